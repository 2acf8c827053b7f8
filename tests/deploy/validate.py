"""Holds what is deployed against the tools that will read it, and against the code.

    python3 tests/tools/setup.py compose kubectl kubernetes-validate hadolint prometheus
    python3 tests/tools/setup.py grafana-types
    .cache/venv/bin/python tests/deploy/validate.py

Prints `ok NAME` or `FAILED NAME` for each check, what is wrong before it. Nothing is started or built.
"""

import functools
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

import manifests
import observed
import settings
import topology
from manifests import Manifests
from topology import ROOT, Failure, ensure

from setup import Missing

DEPLOY = ROOT / "deploy"
EXAMPLE = DEPLOY / "env.example"
SECRET = re.compile(r"^[0-9a-f]{64}$")
VARIABLE = re.compile(r"\bTENGEN_[A-Z_]+[A-Z]\b")
FAULT = re.compile(r"\bF\d+\b")
TESTS = ("tests/*/tests", "tests/*/src", "services/*/tests", "services/*/src")


def example_names() -> set[str]:
    return set(re.findall(r"(?m)^([A-Z_]+)=", EXAMPLE.read_text()))


def secrets_are_made() -> list[str]:
    """Each secret is its own, nobody else reads the file, and none is overwritten."""
    with tempfile.TemporaryDirectory() as name:
        file = topology.make_env(Path(name))
        lines = file.read_text().splitlines()
        made = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
        random = re.findall(r"(?m)^(\w+)=random$", EXAMPLE.read_text())
        found = [f"{key} is {made[key]}" for key in random if not SECRET.match(made[key])]
        if len({made[key] for key in random}) < len(random):
            found.append("two secrets are the same")
        if file.stat().st_mode & 0o077:
            found.append("others may read the file")
        again = subprocess.run([str(DEPLOY / "make-env"), str(file)], capture_output=True)
        if again.returncode == 0 or file.read_text().splitlines() != lines:
            found.append("it was made a second time")
    return found


def compose_reads_it() -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        topology.compose(topology.make_env(Path(name)), "--profile", "*", "config", "--quiet")
    return []


@functools.cache
def services() -> dict[str, topology.Service]:
    with tempfile.TemporaryDirectory() as name:
        return topology.read(topology.make_env(Path(name)))


def compose_variables() -> list[str]:
    """Variables of each container; and of the file, which are those of the example."""
    found = []
    for service in services().values():
        given = set(service.environment)
        if service.name == "gateway":
            found += settings.problems(service.name, settings.of_gateway(), given)
        elif service.program:
            declared = settings.of_program(service.program, service.command)
            found += settings.problems(service.name, declared, given)
    used = set(re.findall(r"\$\{(\w+)", topology.COMPOSE_FILE.read_text()))
    # These have defaults, and no place among secrets.
    unknown = used - example_names() - {"VERSION", "GATEWAY_LISTEN", "GRAFANA_LISTEN", "OTEL_TRACES_SAMPLER_ARG"}
    found += [f"{name} is not in deploy/env.example" for name in sorted(unknown)]
    return found


def compose_ends() -> list[str]:
    """Each process has the time to end that a drain may take."""
    found = []
    for service in services().values():
        if service.name == "gateway":
            default = re.search(r"DRAIN_SECONDS:-(\d+)", (DEPLOY / "envoy" / "start.sh").read_text())
            drain = float(default[1])
        elif service.program and not service.on_demand:
            declared = settings.of_program(service.program, [])
            value = lambda name: int(service.environment.get(name, declared[name].default).replace("_", ""))
            drain = (value("TENGEN_DRAIN_NOTICE_MS") + value("TENGEN_DRAIN_GRACE_MS")) / 1000
        else:
            continue
        if service.stop_grace_s <= drain:
            found.append(f"{service.name}: {service.stop_grace_s:g} s, its drain may take {drain:g} s")
        if not service.health:
            found.append(f"{service.name}: no health check")
    return found


def dockerfile() -> list[str]:
    command = [ensure("hadolint"), "--no-color", str(DEPLOY / "Dockerfile")]
    done = subprocess.run(command, capture_output=True, text=True)
    return [] if done.returncode == 0 else (done.stdout + done.stderr).strip().splitlines()


def dockerfile_builds_all() -> list[str]:
    """Every program that a container runs is built, and every file that is copied is there."""
    text = (DEPLOY / "Dockerfile").read_text()
    built = set(re.findall(r"--bin (\S+)", text))
    wanted = {service.program for service in services().values() if service.program}
    found = [f"{name} is not built" for name in sorted(wanted - built)]
    for names in re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", text):
        found += [f"{name} is not there" for name in names.split() if not (ROOT / name).exists()]
    return found


def stores_alike() -> list[str]:
    """Redis and PostgreSQL run in the cluster as they do under compose."""
    here, found = services(), []
    pods = {pod.name: pod.container for pod in rendered("dev").pods()}
    for name in ("redis", "postgres"):
        there = [*pods[name].get("command", []), *pods[name]["args"]]
        # The password is a variable there.
        password = here[name].environment.get("REDISCLI_AUTH")
        ours = ["$(REDISCLI_AUTH)" if word == password else word for word in here[name].command]
        if ours != there:
            found.append(f"{name}: {ours} under compose, {there} in the cluster")
    return found


def runbook() -> list[str]:
    """What the runbook names is there: variables, faults that a test proves, files."""
    text = (DEPLOY / "README.md").read_text()
    declared = set(example_names())
    for service in services().values():
        if service.program:
            declared |= set(settings.of_program(service.program, service.command))
    sources = [path for places in TESTS for folder in ROOT.glob(places) for path in folder.rglob("*.rs")]
    proved = {fault for path in sources for line in path.read_text().splitlines()
              if "fault:" in line for fault in FAULT.findall(line)}
    found = [f"{name} is no variable" for name in sorted(set(VARIABLE.findall(text)) - declared)]
    found += [f"{name} is proved by no test" for name in sorted(set(FAULT.findall(text)) - proved)]
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    found += [f"{link} is not there" for link in links if not (DEPLOY / link).exists()]
    return found


@functools.cache
def rendered(folder: str) -> Manifests:
    return Manifests(folder)


def checks():
    """Every check, by name."""
    yield "deploy/make-env makes secrets", secrets_are_made
    yield "compose reads docker-compose.yml", compose_reads_it
    yield "compose sets what services take", compose_variables
    yield "compose gives drains their time", compose_ends
    yield "hadolint passes the Dockerfile", dockerfile
    yield "the Dockerfile builds what runs", dockerfile_builds_all
    for folder in ("base", "dev", "prod"):
        yield f"k8s/{folder} fits the schemas", lambda at=folder: manifests.schemas(rendered(at))
    for folder in ("dev", "prod"):
        for name, check in (
            ("sets what services take", manifests.variables),
            ("takes secrets that are made", lambda at: manifests.secrets(at, example_names())),
            ("is restricted", manifests.restricted),
            ("gives drains their time", manifests.ends),
            ("names what is there", manifests.names),
            ("lets in who has to call", manifests.lets_in),
            ("is watched, and sends spans", manifests.is_watched),
        ):
            yield f"k8s/{folder} {name}", lambda at=folder, see=check: see(rendered(at))
    yield "stores in k8s/dev are those of compose", stores_alike
    yield "Prometheus finds what is in k8s/prod", lambda: observed.in_kubernetes(rendered("prod").pods())
    for name, check in observed.CHECKS.items():
        yield name, lambda see=check: see(services())
    yield "deploy/README.md names what is there", runbook


def main() -> int:
    failed = False
    for name, check in checks():
        try:
            found = check()
        except (Failure, Missing) as reason:
            found = [str(reason)]
        for problem in found:
            print(problem)
        print(f"FAILED {name}" if found else f"ok {name}", flush=True)
        failed = failed or bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
