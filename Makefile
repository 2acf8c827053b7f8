# The way in: `make run` to play, `make check` while you work, `make test` before you push.
# What a target does stands in tests/tools. From another folder: make -C <this one> <target>.

ARGS ?=

.PHONY: run gateway check test bench buf

# All services in one process, on loopback, with the web board. ARGS are those of `tengen dev`.
run:
	@python3 tests/tools/setup.py cc
	-@python3 tests/tools/setup.py buf
	@python3 tests/tools/setup.py web-board || true
	@exec cargo run --release -p tengen-standalone -- dev $(ARGS)

# The same with the gateway before it: JSON, gRPC-Web and gRPC on 127.0.0.1:8080.
gateway:
	-@python3 tests/tools/setup.py buf
	@exec python3 tests/tools/gateway.py $(ARGS)

# Format, clippy, the house rules, and unit tests of the pure crates: under a minute.
check:
	@python3 tests/tools/run.py check

# Everything. The last line is `N passed, N failed`.
test:
	@python3 tests/tools/run.py test

# Measurements, one `bench ` line each.
bench:
	@python3 tests/tools/run.py bench

# buf, to call the services by hand: .cache/venv/bin/buf curl …
buf:
	@python3 tests/tools/setup.py buf
