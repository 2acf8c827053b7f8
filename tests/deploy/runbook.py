"""What deploy/README.md tells an operator to do, done to a suite that runs."""

import sys
import time

import grpc

import processes
import topology
from topology import ROOT, Failure

POSTGRES, CLIENTS = 5432, 8080
CALL_S = 10


def ask_postgres(suite, *command: str) -> None:
    """Runs one of PostgreSQL's programs as the operator."""
    [postgres] = suite.of("postgres")
    own = {"PGHOST": "127.0.0.1", "PGPORT": str(postgres.ports[POSTGRES]), "PGUSER": "postgres",
           "PGPASSWORD": postgres.service.environment["POSTGRES_PASSWORD"]}
    topology.run(list(command), processes.path_only() | own)


def stop(suite, *services: str) -> None:
    suite.stop([replica for service in services for replica in suite.of(service)])


def start(suite, *services: str) -> None:
    replicas = [replica for service in services for replica in suite.of(service)]
    for replica in replicas:
        suite.start(replica, {})
    for replica in replicas:
        replica.process.wait_until("healthy", replica.healthy)


def put_back(suite) -> None:
    """Everything that the databases hold is lost, and put back from dumps."""
    services = ("session", "rating", "game")
    for service in services:
        dump = suite.folder / f"{service}.dump"
        ask_postgres(suite, "pg_dump", "-Fc", f"--file={dump}", f"tengen_{service}")
    stop(suite, *services)
    for service in services:
        database, dump = f"tengen_{service}", suite.folder / f"{service}.dump"
        ask_postgres(suite, "psql", "--quiet", "-d", database, "-c", f"drop owned by {database} cascade")
        ask_postgres(suite, "pg_restore", "--clean", "--if-exists", "-d", database, str(dump))
    start(suite, *services)


def replace_keys(suite) -> None:
    """A signing key is known to others: its tokens are refused, and clients come back by themselves."""
    sys.path.insert(0, str(ROOT / "proto"))
    sessions, sessions_of = grpc.protos_and_services("tengen/session/v1/session_service.proto")
    games, games_of = grpc.protos_and_services("tengen/game/v1/game_service.proto")

    def session(replica):
        return sessions_of.SessionServiceStub(grpc.insecure_channel(replica.address()))

    def taken(token: str) -> bool:
        """Whether a call with it gets through gateway and service, once that is found healthy."""
        [gateway] = suite.of("gateway")
        with grpc.insecure_channel(gateway.address(CLIENTS)) as channel:
            ask, bearer = games_of.GameServiceStub(channel).ListMyGames, f"Bearer {token}"
            until = time.monotonic() + processes.PATIENCE_S
            while True:
                try:
                    ask(games.ListMyGamesRequest(), metadata=[("authorization", bearer)], timeout=CALL_S)
                    return True
                except grpc.RpcError as error:
                    if error.code() == grpc.StatusCode.UNAUTHENTICATED:
                        return False
                    if error.code() != grpc.StatusCode.UNAVAILABLE or time.monotonic() > until:
                        raise Failure(f"ListMyGames: {error.code().name}, {error.details()}") from None
                time.sleep(processes.LOOK_EVERY_S)

    first, second = suite.of("session")
    register = sessions.RegisterRequest(request_id="key-of-old", name="kei", password="three corners")
    before = session(first).Register(register, timeout=CALL_S).tokens
    if not taken(before.access_token):
        raise Failure("a token is refused")
    stop(suite, "session")
    ask_postgres(suite, "psql", "--quiet", "-d", "tengen_session", "-c", "delete from signing_keys")
    start(suite, "session")
    rest = ("game", "clock", "rating", "gateway")
    stop(suite, *rest)
    start(suite, *rest)
    if taken(before.access_token):
        raise Failure("a token of the old key is taken")
    again = sessions.ReconnectRequest(request_id="key-of-new", reconnect_token=before.reconnect_token)
    if not taken(session(second).Reconnect(again, timeout=CALL_S).tokens.access_token):
        raise Failure("a token of the new key is refused")
