"""An organiser makes a game for two players, follows it to its result, and checks the proof of that.

    python3 -m pip install grpcio-tools
    python3 deploy/examples/organised_game.py --at 127.0.0.1:4700 --organiser olga

Everything is asked of one address, as behind a gateway or of `make run`; services that run apart are
named one by one (--game, --session, --rating). Whoever is to organise needs the role, which is given
by a setting of the session service: without it this program ends with 3 and says what to set.

The organiser's password is read from ORGANISER_PASSWORD, and the account is made where there is none.
"""

import argparse
import concurrent.futures
import hashlib
import os
import secrets
import sys
import time
from pathlib import Path

import grpc

# The contract is read as it stands, so there is no code to generate first.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "proto"))
common = grpc.protos("tengen/common/v1/common.proto")
access = grpc.protos("tengen/common/v1/access.proto")
settings = grpc.protos("tengen/game/v1/settings.proto")
game = grpc.protos("tengen/game/v1/game.proto")
games, games_of = grpc.protos_and_services("tengen/game/v1/game_service.proto")
organising, organising_of = grpc.protos_and_services("tengen/game/v1/organiser_service.proto")
ratings, ratings_of = grpc.protos_and_services("tengen/rating/v1/rating_service.proto")
sessions, sessions_of = grpc.protos_and_services("tengen/session/v1/session_service.proto")

NO_ROLE = 3
# Any call; the stream of the game, until it is over; and the ledger, which may be a moment behind.
CALL_S, GAME_S, RATING_S = 10, 120, 30
SIZE = 9


class Wrong(Exception):
    """Something is not as the suite promises."""


class Account:
    """Somebody who is signed in, and asks with a new request id each time."""

    def __init__(self, signed_in) -> None:
        self.player_id, self.name = signed_in.account.player_id, signed_in.account.name
        self.roles = list(signed_in.tokens.roles)
        self.credentials = [("authorization", f"Bearer {signed_in.tokens.access_token}")]

    def ask(self, method, request):
        request.request_id = request_id()
        # After no answer, the same request may be sent again: it is carried out once.
        for last in (False, True):
            try:
                return method(request, metadata=self.credentials, timeout=CALL_S)
            except grpc.RpcError as error:
                if last or error.code() != grpc.StatusCode.UNAVAILABLE:
                    raise


def request_id() -> str:
    return secrets.token_hex(8)


def sign_in(session, name: str, password: str) -> Account:
    """Signs in; makes the account first, if need be."""
    try:
        answer = session.SignIn(sessions.SignInRequest(name=name, password=password), timeout=CALL_S)
    except grpc.RpcError as error:
        if error.code() != grpc.StatusCode.UNAUTHENTICATED:
            raise
        answer = session.Register(
            sessions.RegisterRequest(request_id=request_id(), name=name, password=password),
            timeout=CALL_S,
        )
    return Account(answer)


def agreed() -> settings.Settings:
    """A rated game on a small board: ten seconds a move after five minutes."""
    wanted = settings.Settings(size=common.BoardSize(rows=SIZE, columns=SIZE), rated=True)
    wanted.time.japanese.main.seconds = 300
    wanted.time.japanese.periods = 5
    wanted.time.japanese.period.seconds = 10
    return wanted


def play(table, game_id: str, black: Account, white: Account) -> None:
    """Two walls, a black stone that is lost behind White's, and the count of it."""
    walls = [(row, 3 + side) for row in range(SIZE) for side in (0, 1)]
    number = 0
    for row, column in [*walls, (4, 6)]:
        number += 1
        move = games.PlayMoveRequest(game_id=game_id, move_number=number)
        move.point.row, move.point.column = row, column
        (black if number % 2 else white).ask(table.PlayMove, move)
    for player in (white, black):
        number += 1
        confirm = games.ConfirmEndRequest(game_id=game_id, move_number=number)
        player.ask(table.ConfirmEnd, confirm)
    mark = games.MarkDeadRequest(game_id=game_id, dead=True)
    mark.point.row, mark.point.column = 4, 6
    black.ask(table.MarkDead, mark)
    counting = table.GetGame(games.GetGameRequest(game_id=game_id), timeout=CALL_S).game
    for player in (black, white):
        accept = games.AcceptCountRequest(game_id=game_id, dead_set_hash=counting.dead_set_hash)
        player.ask(table.AcceptCount, accept)


def follow(stream):
    """Every event of a game, each checked to follow the one before; they end with the game."""
    sequence, head = 0, ""
    for message in stream:
        kind = message.WhichOneof("message")
        if kind == "snapshot":
            sequence, head = message.snapshot.game.sequence, message.snapshot.game.head_hash
        elif kind == "event":
            event = message.event
            expect("sequence", event.sequence, sequence + 1)
            expect("previous_hash", event.previous_hash, head)
            sequence, head = event.sequence, event.head_hash
            yield event


def check_proof(result, accepted: dict) -> None:
    """Counts the board of the proof again, by area: stones, and what only one side reaches."""
    proof = result.proof
    expect("reason", result.reason, game.END_REASON_COUNT)
    board_hash = hashlib.sha256("\n".join(proof.rows).encode()).hexdigest()
    expect("board_hash", proof.board_hash, board_hash)
    board = [list(row) for row in proof.rows]
    for point in proof.dead:
        board[point.row][point.column] = "."
    black, white, neutral = area(board)
    expect("black_points", proof.black_points, black)
    expect("white_points", proof.white_points, white)
    expect("neutral_points", proof.neutral_points, neutral)
    # Above half the board and what Black gives, Black wins: all in quarter stones.
    given = proof.komi_quarters + proof.compensation_quarters
    margin = 4 * black + 2 * neutral - 2 * (black + white + neutral) - given
    expect("margin_quarters", result.margin_quarters, margin)
    winner = common.COLOUR_BLACK if margin > 0 else common.COLOUR_WHITE
    expect("winner", result.winner, winner if margin else common.COLOUR_UNSPECIFIED)
    text = f"{'B' if margin > 0 else 'W'}+{abs(margin) / 2:g}" if margin else "0"
    expect("text", result.text, text)
    # Both have accepted this very set of dead stones.
    for sequence in (proof.black_accepted_sequence, proof.white_accepted_sequence):
        expect(f"the acceptance at {sequence}", accepted.get(sequence), proof.dead_set_hash)


def area(board: list[list[str]]) -> tuple[int, int, int]:
    """Points of Black, of White and of neither."""
    counts, seen = {"X": 0, "O": 0, ".": 0}, set()
    for row, line in enumerate(board):
        for column, stone in enumerate(line):
            if stone != ".":
                counts[stone] += 1
            elif (row, column) not in seen:
                points, borders = region(board, row, column)
                seen |= points
                counts[borders.pop() if len(borders) == 1 else "."] += len(points)
    return counts["X"], counts["O"], counts["."]


def region(board: list[list[str]], row: int, column: int) -> tuple[set, set]:
    """The empty points that hang together with one, and whose stones are around them."""
    points, borders, ahead = {(row, column)}, set(), [(row, column)]
    while ahead:
        row, column = ahead.pop()
        for there in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if not (0 <= there[0] < len(board) and 0 <= there[1] < len(board[0])):
                continue
            stone = board[there[0]][there[1]]
            if stone != ".":
                borders.add(stone)
            elif there not in points:
                points.add(there)
                ahead.append(there)
    return points, borders


def check_rating(rating, game_id: str, players: set[str]) -> list:
    """The ledger's rows: one for each player, as soon as the result is booked."""
    question = ratings.GetResultRatingRequest(game_id=game_id)
    until = time.monotonic() + RATING_S
    while time.monotonic() < until:
        answer = rating.GetResultRating(question, timeout=CALL_S)
        if answer.state == game.RATING_STATE_APPLIED:
            expect("players of the ledger's rows", {row.player_id for row in answer.entries}, players)
            return list(answer.entries)
        time.sleep(0.2)
    raise Wrong(f"the result is not booked after {RATING_S} s")


def expect(what: str, found, expected) -> None:
    if found != expected:
        raise Wrong(f"{what} is {found!r}, expected {expected!r}")


def run(options: argparse.Namespace) -> int:
    channel = {name: grpc.insecure_channel(getattr(options, name) or options.at)
               for name in ("game", "session", "rating")}
    session = sessions_of.SessionServiceStub(channel["session"])
    table = games_of.GameServiceStub(channel["game"])
    organisers = organising_of.OrganiserServiceStub(channel["game"])
    rating = ratings_of.RatingServiceStub(channel["rating"])

    password = os.environ.get("ORGANISER_PASSWORD", "")
    organiser = sign_in(session, options.organiser, password)
    if access.ROLE_ORGANISER not in organiser.roles:
        print(f"{organiser.name} is no organiser: set TENGEN_SESSION_ORGANISERS of the session "
              f"service to {organiser.player_id}")
        return NO_ROLE
    black, white = (sign_in(session, f"{colour}-{secrets.token_hex(4)}", secrets.token_hex(16))
                    for colour in ("black", "white"))

    request = organising.CreateGameRequest(
        black_id=black.player_id, white_id=white.player_id, settings=agreed())
    game_id = organiser.ask(organisers.CreateGame, request).game.game_id
    print(f"game {game_id}: {black.name} plays {white.name}")

    # The stream first: so it has all that is played.
    watch = games.WatchGameRequest(game_id=game_id)
    stream = table.WatchGame(watch, metadata=organiser.credentials, timeout=GAME_S)
    accepted, result = {}, None
    with concurrent.futures.ThreadPoolExecutor(1) as hall:
        played = hall.submit(play, table, game_id, black, white)
        for event in follow(stream):
            kind = event.WhichOneof("event")
            print(f"  {event.sequence:3} {kind}")
            if kind == "count_accepted":
                accepted[event.sequence] = event.count_accepted.dead_set_hash
            elif kind == "ended":
                result = event.ended.result
        played.result()
    if result is None:
        raise Wrong("the stream ended before the game")
    check_proof(result, accepted)
    print(f"result {result.text}: the proof holds, {result.proof.black_points} points of Black and "
          f"{result.proof.white_points} of White")
    for row in check_rating(rating, game_id, {black.player_id, white.player_id}):
        print(f"  {row.player_id}: {row.applied:+} points")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--at", default="127.0.0.1:4700", help="the gateway, or tengen dev")
    for name in ("game", "session", "rating"):
        parser.add_argument(f"--{name}", help=f"the {name} service, where it is elsewhere")
    parser.add_argument("--organiser", required=True, help="name of the organiser's account")
    try:
        return run(parser.parse_args())
    except Wrong as reason:
        print(f"wrong: {reason}", file=sys.stderr)
    except grpc.RpcError as error:
        print(f"{error.code().name}: {error.details()}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
