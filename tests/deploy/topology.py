"""docker-compose.yml, as compose itself reads it."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPOSE_FILE = ROOT / "docker-compose.yml"
sys.path.insert(0, str(ROOT / "tests" / "tools"))

from setup import ensure

# A duration as compose prints it: 1m30s.
PART = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s)")
SECONDS = {"h": 3600, "m": 60, "s": 1, "ms": 0.001}


class Failure(Exception):
    """Something is not as it should be; the text says what."""


@dataclass(frozen=True)
class Service:
    name: str
    replicas: int
    # The program of ours that its image holds: `tengen-game`; empty for an image of others.
    program: str
    command: list[str]
    environment: dict[str, str]
    # As the container runs it; empty for none.
    health: list[str]
    stop_grace_s: float
    # Started only when it is asked for.
    on_demand: bool
    # As compose has it.
    raw: dict


def make_env(folder: Path) -> Path:
    """An environment file of its own, made as an operator makes it."""
    path = folder / "env"
    run([str(ROOT / "deploy" / "make-env"), str(path)])
    return path


def compose(env_file: Path, *words: str) -> str:
    """What compose answers. The file's variables come from `env_file` alone."""
    # The binary itself: its wrapper of Python ends with 0 whatever happens.
    command = [ensure("compose"), "--file", str(COMPOSE_FILE), "--env-file", str(env_file), *words]
    return run(command, {"PATH": os.environ["PATH"], "HOME": str(env_file.parent)})


def read(env_file: Path) -> dict[str, Service]:
    """The services, those that are started on demand included."""
    text = compose(env_file, "--profile", "*", "config", "--format", "json")
    return {name: service(name, raw) for name, raw in json.loads(text)["services"].items()}


def service(name: str, raw: dict) -> Service:
    # A dollar stays doubled in what compose prints.
    single = lambda word: word.replace("$$", "$")
    test = [single(word) for word in raw.get("healthcheck", {}).get("test", [])]
    health = {"CMD": test[1:], "CMD-SHELL": ["sh", "-c", *test[1:]]}.get(test[0]) if test else []
    if health is None:
        raise Failure(f"{name}: health check {test}, expected CMD or CMD-SHELL")
    return Service(
        name=name,
        replicas=(raw.get("deploy") or {}).get("replicas", 1),
        program=(raw.get("build") or {}).get("args", {}).get("BIN", ""),
        command=[single(word) for word in raw.get("command") or []],
        environment={key: single(value or "") for key, value in raw.get("environment", {}).items()},
        health=health,
        stop_grace_s=seconds(raw.get("stop_grace_period", "10s")),
        on_demand=bool(raw.get("profiles")),
        raw=raw,
    )


def seconds(text: str) -> float:
    parts = PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise Failure(f"{text} is no duration")
    return sum(float(number) * SECONDS[unit] for number, unit in parts)


def run(command: list[str], environment: dict[str, str] | None = None) -> str:
    """The output of a program that has to succeed."""
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode != 0:
        said = "\n".join(text for text in (done.stdout.strip(), done.stderr.strip()) if text)
        raise Failure(f"{Path(command[0]).name} ended with {done.returncode}: {said}")
    return done.stdout
