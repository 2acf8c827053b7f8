"""Processes of this machine, in the place of containers."""

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from topology import ROOT, Failure, ensure, run

# What anything may take on a busy machine.
PATIENCE_S = 90
LOOK_EVERY_S = 0.1
# Ports that are somebody's, although nobody may listen there yet.
GIVEN: set[int] = set()


class Process:
    """A program that runs until it is stopped."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str], folder: Path,
                 user: str | None = None, end: signal.Signals = signal.SIGKILL) -> None:
        self.name, self.log, self.end = name, folder / f"{name}.log", end
        with self.log.open("wb") as log:
            self.child = subprocess.Popen(
                command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, **as_user(user),
            )

    def wait_until(self, what: str, holds) -> None:
        """Waits until something holds; it may not end meanwhile."""
        until = time.monotonic() + PATIENCE_S
        while not holds():
            if self.child.poll() is not None:
                raise Failure(f"{self.name} ended with {self.child.returncode}: {self.tail()}")
            if time.monotonic() > until:
                raise Failure(f"{self.name} is not {what} after {PATIENCE_S} s: {self.tail()}")
            time.sleep(LOOK_EVERY_S)

    def tell(self) -> None:
        """Tells it to end, as `docker stop` does: once, as a second time means at once."""
        self.child.terminate()

    def ended(self, grace_s: float) -> int:
        """How it has ended, after it was told."""
        try:
            return self.child.wait(grace_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure(f"{self.name} still runs {grace_s:g} s after SIGTERM: {self.tail()}") from None

    def kill(self) -> None:
        self.child.send_signal(self.end)
        try:
            self.child.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()

    def tail(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()[-15:]
        return "".join(f"\n    {line}" for line in lines)


def free_port() -> int:
    """A port that nobody listens on, below those that the system gives to outgoing connections; each
    time another one."""
    while True:
        port = random.randrange(15_000, 32_000)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in GIVEN:
            GIVEN.add(port)
            return port


def redis(command: list[str], port: int, folder: Path) -> Process:
    """A private Redis, with the flags of the container's command."""
    program, *flags = command
    if program != "redis-server":
        raise Failure(f"redis: command {command}, expected redis-server")
    own = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder)]
    return Process("redis", [ensure("redis-server"), *flags, *own], path_only(), folder)


def postgres(command: list[str], environment: dict[str, str], port: int, folder: Path) -> Process:
    """A private PostgreSQL that asks for passwords, as its image makes one."""
    program, *flags = command
    if program != "postgres":
        raise Failure(f"postgres: command {command}, expected postgres")
    programs = Path(ensure("postgres")).resolve().parent
    user = "postgres" if os.geteuid() == 0 else None
    data, password = folder / "data", folder / "password"
    password.write_text(environment["POSTGRES_PASSWORD"])
    if user:
        for path in (folder, password):
            shutil.chown(path, user)
    initdb = [str(programs / "initdb"), "--username=postgres", "--auth=scram-sha-256", "--no-sync",
              "--encoding=UTF8", f"--pwfile={password}", f"--pgdata={data}"]
    made = subprocess.run(initdb, cwd=folder, capture_output=True, text=True, **as_user(user))
    if made.returncode != 0:
        raise Failure(f"initdb ended with {made.returncode}: {made.stderr.strip()}")
    own = ["-c", "listen_addresses=127.0.0.1", "-c", f"port={port}",
           "-c", "unix_socket_directories=", "-c", "fsync=off"]
    run_it = [str(programs / "postgres"), "-D", str(data), *flags, *own]
    # Killed, it would leave its children behind for a while.
    return Process("postgres", run_it, path_only(), folder, user, signal.SIGQUIT)


def fill_postgres(environment: dict[str, str], port: int) -> None:
    """What the image does on an empty server: runs the script that is mounted."""
    own = {"PGHOST": "127.0.0.1", "PGPORT": str(port), "PGPASSWORD": environment["POSTGRES_PASSWORD"]}
    script = ROOT / "deploy" / "postgres" / "init.sh"
    run([str(script)], path_only() | environment | own)


def path_only() -> dict[str, str]:
    """What a program needs to find others; PostgreSQL's are off the usual path."""
    programs = Path(ensure("postgres")).resolve().parent
    return {"PATH": f"{os.environ['PATH']}:{programs}", "LC_ALL": "C"}


def as_user(name: str | None) -> dict:
    if name is None:
        return {}
    entry = pwd.getpwnam(name)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def binary(program: str) -> str:
    """A program of ours, as `cargo test` has built it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    path = target / "debug" / program
    if not path.is_file():
        raise Failure(f"{path} is missing: cargo build --bin {program}")
    return str(path)


def exit_on_sigterm() -> None:
    """So that whoever ends this program ends what it has started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
