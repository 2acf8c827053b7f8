"""A file as sgfmill reads it: board, komi, stones before the game, turns and result, as JSON."""

import json
import sys

from sgfmill import sgf


def point(move: tuple[int, int] | None, size: int) -> str:
    """Letters from the top left; sgfmill counts rows from the bottom."""
    if move is None:
        return ""
    row, column = move
    return chr(97 + column) + chr(97 + size - 1 - row)


game = sgf.Sgf_game.from_bytes(open(sys.argv[1], "rb").read())
root, size = game.get_root(), game.get_size()
stones = root.get("AB") if root.has_property("AB") else set()
turns = [node.get_move() for node in game.get_main_sequence()]
print(
    json.dumps(
        {
            "size": size,
            "komi": root.get_raw("KM").decode(),
            "stones": sorted(point(stone, size) for stone in stones),
            "turns": [colour.upper() + point(at, size) for colour, at in turns if colour],
            "result": root.get("RE") if root.has_property("RE") else None,
            "names": [game.get_player_name(colour) for colour in "bw"],
        }
    )
)
