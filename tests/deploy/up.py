"""Runs the topology of docker-compose.yml without Docker, and plays a game on it.

    python3 tests/tools/setup.py compose grpcio redis-server postgres envoy prometheus
    cargo build --bins
    .cache/venv/bin/python tests/deploy/up.py

The file is read by compose itself, with an environment that deploy/make-env has made. Then its
services run as processes of this machine: as many replicas as it says, with the variables, commands
and health checks that it says; only hosts and ports become free ports of loopback. Loopback has no
name with two addresses, so the gateway knows the first replica of each service, and Prometheus is told
of all. Nobody takes the spans: the suite does without. The game is that of deploy/examples, through the
gateway; afterwards what deploy/README.md tells operators to do is done to the suite. Prints `ok NAME` or `FAILED NAME` for each thing that was to be seen.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

import grpc

import processes
import runbook
import topology
import watch
from processes import Process, binary, free_port
from topology import ROOT, Failure, Service

from setup import Missing

EXAMPLE = ROOT / "deploy" / "examples" / "organised_game.py"
# How the example ends where the organiser has no such role yet.
NO_ROLE = 3
GATEWAY, STORES = "gateway", ("redis", "postgres")
# Of these Prometheus alone is run, by `watch`.
OBSERVERS = ("collector", "prometheus", "grafana")
# Of each service, one that needs no account and no field.
GUEST_CALLS = ("game.v1.LobbyService/ListChallenges", "clock.v1.ClockService/SyncTime",
               "rating.v1.RatingService/GetLadder", "session.v1.SessionService/GetKeys")
# Ports of the containers.
CALLS, ADMIN, REDIS, POSTGRES, CLIENTS, OBSERVE, ENVOY = 4700, 4701, 6379, 5432, 8080, 8081, 9901
SPANS = 4317
PORTS = (CALLS, ADMIN, REDIS, POSTGRES, CLIENTS, OBSERVE, ENVOY, SPANS, watch.API)
ADDRESS = re.compile(r"([a-z+]+://)([^/@,]*@)?([a-z][a-z0-9-]*):(\d+)")


class Replica:
    """One container's place: its ports here, and its process while it runs."""

    def __init__(self, service: Service, number: int) -> None:
        self.service, self.name = service, f"{service.name}-{number}"
        self.ports = {port: free_port() for port in PORTS}
        self.process: Process | None = None

    def address(self, port: int = CALLS) -> str:
        return f"127.0.0.1:{self.ports[port]}"

    def healthy(self) -> bool:
        """What the container's own health check says."""
        command = [self.here(word) for word in self.service.health]
        environment = processes.path_only() | self.service.environment
        environment["PGPORT"] = str(self.ports[POSTGRES])
        return subprocess.run(command, env=environment, capture_output=True).returncode == 0

    def here(self, word: str) -> str:
        for port in (ADMIN, OBSERVE):
            word = word.replace(f"/{port} ", f"/{self.ports[port]} ")
        return word.replace("redis-cli", f"redis-cli -p {self.ports[REDIS]}")


class Suite:
    """All that the file starts by itself."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.services = topology.read(topology.make_env(folder))
        started = [service for service in self.services.values() if not service.on_demand]
        self.replicas = [Replica(service, number)
                         for service in started for number in range(1, service.replicas + 1)]

    def of(self, name: str) -> list[Replica]:
        return [replica for replica in self.replicas if replica.service.name == name]

    def ours(self) -> list[Replica]:
        """All but the stores, and what looks on."""
        others = (*STORES, *OBSERVERS)
        return [replica for replica in self.replicas if replica.service.name not in others]

    def localise(self, text: str) -> str:
        """The same addresses, on loopback: a name with two replicas becomes two addresses."""

        def local(found: re.Match) -> str:
            scheme, user, host, port = found.groups()
            replicas = self.of(host)
            if not replicas:
                raise Failure(f"{scheme}…{host}:{port} is no service of the file")
            return ",".join(f"{scheme}{user or ''}{it.address(int(port))}" for it in replicas)

        return ADDRESS.sub(local, text)

    def environment(self, service: Service, more: dict[str, str]) -> dict[str, str]:
        return {name: self.localise(value) for name, value in (service.environment | more).items()}

    def start_stores(self) -> None:
        [redis], [postgres] = self.of("redis"), self.of("postgres")
        for replica in (redis, postgres):
            (self.folder / replica.name).mkdir()
        redis.process = processes.redis(
            redis.service.command, redis.ports[REDIS], self.folder / redis.name)
        variables = postgres.service.environment
        postgres.process = processes.postgres(
            postgres.service.command, variables, postgres.ports[POSTGRES],
            self.folder / postgres.name)
        for replica in (redis, postgres):
            replica.process.wait_until("healthy", replica.healthy)
        processes.fill_postgres(variables, postgres.ports[POSTGRES])

    def start(self, replica: Replica, more: dict[str, str]) -> None:
        if replica.service.name == GATEWAY:
            self.start_gateway(replica)
            return
        listen = {"TENGEN_LISTEN": replica.address(CALLS), "TENGEN_ADMIN_LISTEN": replica.address(ADMIN)}
        environment = self.environment(replica.service, more) | listen
        command = [binary(replica.service.program), *replica.service.command]
        replica.process = Process(replica.name, command, environment, self.folder)

    def start_gateway(self, replica: Replica) -> None:
        environment = processes.path_only() | self.environment(replica.service, {})
        for name, host in replica.service.environment.items():
            if name.endswith("_HOST"):
                environment[name] = "127.0.0.1"
                environment[name.replace("_HOST", "_PORT")] = str(self.of(host)[0].ports[CALLS])
        environment |= {"LISTEN_ADDRESS": "127.0.0.1", "LISTEN_PORT": str(replica.ports[CLIENTS]),
                        "OBSERVE_ADDRESS": "127.0.0.1", "OBSERVE_PORT": str(replica.ports[OBSERVE]),
                        "ADMIN_PORT": str(replica.ports[ENVOY]), "ENVOY": topology.ensure("envoy"),
                        "DRAIN_SECONDS": "1"}
        command = [str(ROOT / "deploy" / "envoy" / "start.sh")]
        # Killed, it would leave Envoy behind.
        replica.process = Process(replica.name, command, environment, self.folder, end=signal.SIGTERM)

    def stop(self, replicas: list[Replica]) -> None:
        for replica in replicas:
            replica.process.tell()
        for replica in replicas:
            status = replica.process.ended(replica.service.stop_grace_s)
            if status != 0:
                raise Failure(f"{replica.name} ended with {status}: {replica.process.tail()}")

    def end(self) -> None:
        for replica in self.replicas:
            if replica.process:
                replica.process.kill()


def stores(suite: Suite) -> None:
    suite.start_stores()


def replicas(suite: Suite) -> None:
    for replica in suite.ours():
        suite.start(replica, {})
    for replica in suite.ours():
        replica.process.wait_until("healthy", replica.healthy)
    found = {name: len(suite.of(name)) for name in ("game", "clock", "rating", "session")}
    if set(found.values()) != {2}:
        raise Failure(f"{found}, expected two replicas of each")


def example(suite: Suite) -> subprocess.CompletedProcess:
    """Plays the game of the example, all of it through the gateway."""
    [gateway] = suite.of(GATEWAY)
    environment = processes.path_only() | {"ORGANISER_PASSWORD": "an organiser of games"}
    command = [sys.executable, str(EXAMPLE), "--organiser=olga", f"--at={gateway.address(CLIENTS)}"]
    return subprocess.run(command, env=environment, capture_output=True, text=True,
                          timeout=processes.PATIENCE_S * 2)


def gateway(suite: Suite) -> None:
    """A guest's call to each service gets through, once Envoy has found it healthy."""
    [replica] = suite.of(GATEWAY)
    with grpc.insecure_channel(replica.address(CLIENTS)) as channel:
        for method in GUEST_CALLS:
            ask = channel.unary_unary(f"/tengen.{method}")
            replica.process.wait_until(f"answering {method}", lambda: answers(ask, method))


def answers(ask, method: str) -> bool:
    try:
        ask(b"", timeout=processes.PATIENCE_S)
    except grpc.RpcError as error:
        if error.code() != grpc.StatusCode.UNAVAILABLE:
            raise Failure(f"{method}: {error.code().name}, {error.details()}") from None
        return False
    return True


def role(suite: Suite) -> None:
    """Makes the example's account an organiser, as the README says, and session's replicas anew."""
    told = example(suite)
    named = re.search(r"set (\w+) of the session service to (\S+)", told.stdout)
    if told.returncode != NO_ROLE or named is None:
        raise Failure(f"the example ended with {told.returncode}: {told.stdout}{told.stderr}")
    for replica in suite.of("session"):
        suite.stop([replica])
        suite.start(replica, {named[1]: named[2]})
        replica.process.wait_until("healthy", replica.healthy)


def game(suite: Suite) -> None:
    played = example(suite)
    print(played.stdout, end="", flush=True)
    if played.returncode != 0:
        raise Failure(f"the example ended with {played.returncode}: {played.stderr}")


def in_rust(suite: Suite) -> None:
    """The same by the example in Rust; session has been started anew meanwhile, without the role."""
    role(suite)
    [replica] = suite.of(GATEWAY)
    environment = processes.path_only() | {"ORGANISER_PASSWORD": "an organiser of games"}
    command = [binary("examples/organised_game"), f"http://{replica.address(CLIENTS)}", "olga"]
    print(topology.run(command, environment), end="", flush=True)


def audit(suite: Suite) -> None:
    service = suite.services["audit"]
    command = [binary(service.program), *service.command]
    said = topology.run(command, suite.environment(service, {})).strip()
    print(said, flush=True)
    if " 1 games, 2 ledger rows," not in said:
        raise Failure(f"{said!r}, expected one game with two rows")


def put_back(suite: Suite) -> None:
    began = time.monotonic()
    runbook.put_back(suite)
    audit(suite)
    watch.what_was_stopped(suite, time.monotonic() - began)


def drain(suite: Suite) -> None:
    """Everything ends by itself within what compose waits for."""
    suite.stop(suite.ours())


STEPS = {
    "stores as the file has them": stores,
    "two replicas of each service are healthy": replicas,
    "Prometheus reads every replica": watch.every_replica,
    "the gateway lets guests through": gateway,
    "an organiser is named by a setting": role,
    "an organised game with a proof": game,
    "the audit finds the books in order": audit,
    "alerts and the dashboard ask for what is shown": watch.what_is_asked_for,
    "what was dumped is put back, and an alert began meanwhile": put_back,
    "a signing key is replaced by hand": runbook.replace_keys,
    "an organised game with a proof, in Rust": in_rust,
    "every process drains in time": drain,
}


def main() -> int:
    processes.exit_on_sigterm()
    with tempfile.TemporaryDirectory(prefix="tengen-") as name:
        # PostgreSQL may run as another user.
        os.chmod(name, 0o711)
        suite = None
        try:
            for step, see in STEPS.items():
                suite = suite or Suite(Path(name))
                see(suite)
                print(f"ok {step}", flush=True)
        except (Failure, Missing, subprocess.TimeoutExpired) as reason:
            print(f"{reason}\nFAILED {step}", flush=True)
            return 1
        finally:
            if suite:
                suite.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
