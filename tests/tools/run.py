"""Runs the checks and tests of the project, one step after another, and counts them.

    python3 tests/tools/run.py test     # everything; the last line is `N passed, N failed`
    python3 tests/tools/run.py check    # what is fast
    python3 tests/tools/run.py bench    # the benchmarks' `bench ` lines alone

`test` and `check` take names of steps, to run these alone (`run.py test "pure crates"`).
A step fails on its own: what comes after it still runs, unless the step is marked `stop`.
Nothing is skipped: a missing tool, an ignored test, and a step that found no test each fail.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

sys.dont_write_bytecode = True

from setup import ROOT, VENV, Missing, ensure

# A hung test must not hang its machine for ever. A cold build must fit.
STEP_LIMIT_S = 25 * 60
FAILED = 1
# Tests at once where they hardly do anything but wait.
WAITING_AT_ONCE = 8
# Package, benchmark, and the tools that it needs from setup.py.
BENCHES = [
    ("tengen-rules", "rules", ""),
    ("tengen-live", "commit", "redis-server"),
    ("tengen-rating", "settlements", "postgres"),
    ("tengen-rating", "leaderboard", "postgres"),
    ("tengen-suite", "lateness", ""),
    ("tengen-load", "load", "redis-server postgres baseline-node"),
    ("tengen-load", "storm", "redis-server postgres"),
    ("tengen-load", "traces", "redis-server postgres"),
    ("tengen-faults", "attacks", "redis-server postgres"),
]

RESULT = re.compile(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;")
TARGET = re.compile(r"\s+(?:Running|Doc-tests) (.+)")
FAILED_TEST = re.compile(r"test (.+) \.\.\. FAILED$")
NAMED = re.compile(r"(ok|FAILED) (.+)")


@dataclass(frozen=True)
class Step:
    name: str
    # Empty where the step is only about having its tool.
    command: list[str]
    # Whether it prints cargo's test results, which are counted; else the step itself counts 1.
    tests: bool = False
    # Whether it prints `ok NAME` and `FAILED NAME` instead, which are counted.
    named: bool = False
    # Where the command runs, from the root.
    folder: str = "."
    # What it needs first, from setup.py.
    tool: str = ""
    # Whether nothing after it makes sense where it fails.
    stop: bool = False


@dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    # One line for each failure, for the summary.
    failures: list[str] = field(default_factory=list)

    def fail(self, what: str, count: int = 1) -> None:
        self.failed += count
        self.failures.append(what)


class NamedOutput:
    """Prints output line by line, and counts what it names."""

    def __init__(self, step: Step, tally: Tally) -> None:
        self.step, self.tally = step, tally
        self.before = (tally.passed, tally.failed)

    def line(self, line: str) -> None:
        say(line)
        if named := NAMED.fullmatch(line):
            if named[1] == "ok":
                self.tally.passed += 1
            else:
                self.tally.fail(f"{self.step.name}: {named[2]}")

    def close(self) -> None:
        """Nothing is left open."""

    def end(self, status: int) -> None:
        self.close()
        if status != 0 and self.tally.failed == self.before[1]:
            self.tally.fail(f"{self.step.name}: {how(status)}")
        elif (self.tally.passed, self.tally.failed) == self.before:
            self.tally.fail(f"{self.step.name}: ran no test")


class TestOutput(NamedOutput):
    """Prints cargo's output line by line, and counts the results in it."""

    def __init__(self, step: Step, tally: Tally) -> None:
        super().__init__(step, tally)
        self.target: str | None = None

    def line(self, line: str) -> None:
        say(line)
        if target := TARGET.match(line):
            self.close()
            self.target = target[1]
        elif result := RESULT.match(line):
            passed, failed, ignored = (int(number) for number in result.groups())
            self.tally.passed += passed
            self.tally.failed += failed
            if ignored:
                self.tally.fail(f"{self.step.name}: {ignored} ignored in {self.target}", ignored)
            self.target = None
        elif test := FAILED_TEST.match(line):
            self.tally.failures.append(f"{self.step.name}: {test[1]} in {self.target}")

    def close(self) -> None:
        """A target without a result was killed, or left by itself."""
        if self.target is not None:
            self.tally.fail(f"{self.step.name}: {self.target} ended without a result")
        self.target = None


def pure_crates() -> list[str]:
    """Packages of the crates whose manifests say that they are pure."""
    manifests = [tomllib.loads(path.read_text()) for path in ROOT.glob("services/*/Cargo.toml")]
    packages = [manifest["package"] for manifest in manifests]
    layer = lambda package: package.get("metadata", {}).get("tengen", {}).get("layer")
    return sorted(package["name"] for package in packages if layer(package) == "pure")


def check_steps() -> list[Step]:
    """What is fast: under a minute once it has been built."""
    pure = [word for crate in pure_crates() for word in ("-p", crate)]
    unit = ["cargo", "test", "--no-fail-fast", "--lib", *pure]
    return [*lint_steps(), Step("unit", unit, tests=True)]


def lint_steps() -> list[Step]:
    clippy = ["cargo", "clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]
    return [
        Step("C compiler", [], tool="cc", stop=True),
        Step("format", ["cargo", "fmt", "--all", "--check"]),
        Step("clippy", clippy),
        Step("house rules", ["cargo", "test", "--no-fail-fast", "-p", "tengen-tidy"], tests=True),
    ]


def test_steps() -> list[Step]:
    """Everything, what is fast first. The crates tested early are left out of the suites."""
    pure = [word for crate in pure_crates() for word in ("-p", crate)]
    early = ["tengen-tidy", *pure_crates()]
    rest = ["--workspace", *(word for crate in early for word in ("--exclude", crate))]
    suites = ["cargo", "test", "--no-fail-fast", *rest]
    # Of the same packages, as others would be compiled with other features.
    waits = [*suites, "--test", "waits", "--", "--test-threads", str(WAITING_AT_ONCE)]
    buf, python = (str(VENV / "bin" / name) for name in ("buf", "python"))
    format_check = [buf, "format", "--diff", "--exit-code"]
    return [
        *lint_steps(),
        Step("pure crates", ["cargo", "test", "--no-fail-fast", *pure], tests=True),
        Step("contract lint", [buf, "lint"], folder="proto", tool="buf"),
        Step("contract format", format_check, folder="proto", tool="buf"),
        Step("generated code", ["cargo", "gen", "--check"]),
        Step("OpenAPI validator", [], tool="openapi-spec-validator"),
        Step("Envoy", [], tool="envoy"),
        Step("OpenSSL", [], tool="openssl"),
        Step("curl", [], tool="curl"),
        Step("Redis", [], tool="redis-server"),
        Step("Valkey", [], tool="valkey-server"),
        Step("PostgreSQL", [], tool="postgres"),
        Step("Node baseline", [], tool="baseline-node"),
        Step("sgfmill", [], tool="sgfmill"),
        Step("Sabaki's SGF parser", [], tool="sabaki-sgf"),
        Step("GNU Go", [], tool="gnugo"),
        Step("gRPC in Python", [], tool="grpcio"),
        Step("Prometheus", [], tool="prometheus"),
        Step("deployment", [python, "tests/deploy/validate.py"], named=True, tool="kubernetes-validate"),
        Step("build", ["cargo", "test", "--no-run", *rest], stop=True),
        Step("deployment runs", [python, "tests/deploy/up.py"], named=True),
        Step("suites", suites, tests=True),
        Step("faults that are waited for", waits, tests=True),
        *web_steps(),
    ]


def web_steps() -> list[Step]:
    """The web board, its browsers included; they play on the binary that was built for the suites."""
    npm = ["npm", "run", "-s"]
    return [
        Step("Chromium", [], tool="chromium"),
        Step("Chinese fonts", [], tool="cjk-fonts"),
        Step("web types", [*npm, "check"], folder="services/web", tool="web-packages"),
        Step("web build", [*npm, "build"], folder="services/web"),
        Step("web board", [*npm, "test"], tests=True, folder="services/web"),
    ]


def run(steps: list[Step]) -> int:
    tally = Tally()
    # One after another, while the first steps compile.
    installer = ThreadPoolExecutor(max_workers=1)
    tools = {step.tool: installer.submit(ensure, step.tool) for step in steps if step.tool}
    try:
        run_steps(steps, tools, tally)
    finally:
        installer.shutdown(cancel_futures=True)
    if tally.failures:
        say("\n=== failures")
        for failure in tally.failures:
            say(failure)
    say(f"{tally.passed} passed, {tally.failed} failed")
    return FAILED if tally.failed else 0


def run_steps(steps: list[Step], tools: dict[str, Future[str]], tally: Tally) -> None:
    for step in steps:
        say(f"\n=== {step.name}")
        failed = tally.failed
        run_step(step, tools, tally)
        if step.stop and tally.failed > failed:
            tally.failures.append(f"stopped: without {step.name}, what comes after it cannot run")
            break


def run_step(step: Step, tools: dict[str, Future[str]], tally: Tally) -> None:
    if step.tool:
        try:
            say(f"{step.tool}: {tools[step.tool].result()}")
        except Missing as reason:
            say(str(reason))
            tally.fail(f"{step.name}: {reason}")
            return
    if step.tests or step.named:
        output = (TestOutput if step.tests else NamedOutput)(step, tally)
        output.end(stream(step.command, step.folder, output.line))
        return
    status = stream(step.command, step.folder, say) if step.command else 0
    if status == 0:
        tally.passed += 1
    else:
        tally.fail(f"{step.name}: {how(status)}")


def bench() -> int:
    """Prints the lines of measurement; everything, if there is none or a benchmark fails."""
    status = 0
    for package, name, tools in BENCHES:
        command, lines = ["cargo", "bench", "-p", package, "--bench", name], []
        try:
            for tool in tools.split():
                ensure(tool)
        except Missing as reason:
            say(str(reason))
            status = FAILED
            continue
        failed = stream(command, ".", lines.append) != 0
        measured = [line for line in lines if line.startswith("bench ")]
        failed = failed or not measured
        for line in lines if failed else measured:
            say(line)
        status = FAILED if failed else status
    return status


def stream(command: list[str], folder: str, take: Callable[[str], object]) -> int:
    """Runs a command, hands on each line as it comes, and gives the exit status."""
    try:
        # A session of its own: whatever the command has started is ended together with it.
        child = subprocess.Popen(
            command, cwd=ROOT / folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
        )
    except OSError as error:
        take(f"{command[0]}: {error.strerror}")
        return 127
    limit = threading.Timer(STEP_LIMIT_S, end, [child])
    limit.start()
    try:
        for line in child.stdout:
            take(line.rstrip("\n"))
        return child.wait()
    finally:
        limit.cancel()
        end(child)


def end(child: subprocess.Popen) -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # It has ended, with all that it started.


def how(status: int) -> str:
    return f"exit status {status}" if status >= 0 else f"ended by {signal.Signals(-status).name}"


def say(line: str) -> None:
    print(line, flush=True)


def main(words: list[str]) -> int:
    kind, *names = words or [""]
    if kind == "bench" and not names:
        return bench()
    plans = {"check": check_steps, "test": test_steps}
    steps = plans[kind]() if kind in plans else []
    unknown = set(names) - {step.name for step in steps}
    if not steps or unknown:
        known = "".join(f"\n  {step.name}" for step in steps)
        say(f"usage: run.py check|test [step …] | bench{known}")
        return 2
    return run([step for step in steps if not names or step.name in names])


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
