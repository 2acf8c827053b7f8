"""`tengen dev` with the gateway before it, in the foreground; Ctrl-C ends both.

    python3 tests/tools/gateway.py [argument of `tengen dev` …]

TENGEN_DEV_LISTEN says where the services are, LISTEN_PORT where the gateway is; what else it may be
told stands at the top of deploy/envoy/envoy.yaml.
"""

import os
import signal
import subprocess
import sys

sys.dont_write_bytecode = True

from setup import ROOT, Missing, ensure

PAGES = r"https?://(localhost|127\.0\.0\.1)(:\d+)?"
GREETING = """
The gateway is at {url}, before it all: Ctrl-C ends both.

  JSON      curl {url}/v1/ladder
  gRPC-Web  .cache/venv/bin/buf curl --schema proto --protocol grpcweb \\
              {url}/tengen.rating.v1.RatingService/GetLadder
  gRPC      .cache/venv/bin/buf curl --schema proto --protocol grpc --http2-prior-knowledge \\
              {url}/tengen.rating.v1.RatingService/GetLadder

proto/openapi.json describes the JSON.
"""


def variables(envoy: str) -> dict[str, str]:
    """What the gateway is told: all services are at one address, and pages of this machine may call."""
    host, port = os.environ.get("TENGEN_DEV_LISTEN", "127.0.0.1:4700").rsplit(":", 1)
    named = {"ENVOY": envoy, "LISTEN_ADDRESS": "127.0.0.1", "OBSERVE_ADDRESS": "127.0.0.1"}
    named |= {"LISTEN_PORT": "8080", "CORS_ORIGINS": PAGES, "DRAIN_SECONDS": "0"}
    for service in ("GAME", "CLOCK", "RATING", "SESSION"):
        named |= {f"{service}_HOST": host, f"{service}_PORT": port}
    return named | os.environ


def main(arguments: list[str]) -> int:
    try:
        ensure("cc")
        told = variables(ensure("envoy"))
    except Missing as reason:
        print(reason, file=sys.stderr)
        return 1
    cargo = ["cargo", "run", "--release", "-p", "tengen-standalone"]
    built = subprocess.run([*cargo, "--", "--version"], cwd=ROOT, stdout=subprocess.DEVNULL)
    if built.returncode != 0:
        return built.returncode
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    running = [
        subprocess.Popen([*cargo, "--quiet", "--", "dev", *arguments], cwd=ROOT),
        subprocess.Popen([ROOT / "deploy/envoy/start.sh"], env=told),
    ]
    try:
        print(GREETING.format(url=f"http://127.0.0.1:{told['LISTEN_PORT']}"), flush=True)
        # Neither is of use without the other.
        ended, status = os.wait()
        return os.waitstatus_to_exitcode(status)
    except KeyboardInterrupt:
        return 0
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
