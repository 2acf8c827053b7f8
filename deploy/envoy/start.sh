#!/usr/bin/env bash
# Fills envoy.yaml in and runs Envoy until it is told to end: then new calls go elsewhere, clients are
# told to, and what still runs has DRAIN_SECONDS. ENVOY is the program.
# Arguments are Envoy's own: `--mode validate` only checks.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

export GAME_PORT=${GAME_PORT:-4700} CLOCK_PORT=${CLOCK_PORT:-4700}
export RATING_PORT=${RATING_PORT:-4700} SESSION_PORT=${SESSION_PORT:-4700}
export LISTEN_ADDRESS=${LISTEN_ADDRESS:-0.0.0.0} LISTEN_PORT=${LISTEN_PORT:-8080}
export OBSERVE_ADDRESS=${OBSERVE_ADDRESS:-0.0.0.0} OBSERVE_PORT=${OBSERVE_PORT:-8081}
export ADMIN_PORT=${ADMIN_PORT:-9901}
export TOKEN_ISSUER=${TOKEN_ISSUER:-tengen} TOKEN_AUDIENCE=${TOKEN_AUDIENCE:-tengen}
# By default no page may call: nothing comes before its own beginning.
export CORS_ORIGINS=${CORS_ORIGINS:-'a^'} TRUSTED_HOPS=${TRUSTED_HOPS:-0}
export RATE_PER_SECOND=${RATE_PER_SECOND:-50} RATE_BURST=${RATE_BURST:-200}
export DESCRIPTORS=${DESCRIPTORS:-$here/../../proto/src/gen/descriptors.bin}
export TLS_CERTIFICATE=${TLS_CERTIFICATE:-} TLS_KEY=${TLS_KEY:-}
# The collector of spans as services are told of it, and as Envoy is.
export OTEL_EXPORTER_OTLP_ENDPOINT=${OTEL_EXPORTER_OTLP_ENDPOINT:-}
export OTEL_TRACES_SAMPLER_ARG=${OTEL_TRACES_SAMPLER_ARG:-0.01}
case $OTEL_EXPORTER_OTLP_ENDPOINT in
  '' | http://*[!:/]:[0-9]*) ;;
  *) echo "OTEL_EXPORTER_OTLP_ENDPOINT is not http://host:port" >&2 && exit 64 ;;
esac
collector=${OTEL_EXPORTER_OTLP_ENDPOINT#http://} collector=${collector%/}
export TRACES_PERCENT=${TRACES_PERCENT:-$(awk 'BEGIN { print 100 * ENVIRON["OTEL_TRACES_SAMPLER_ARG"] }')}
export COLLECTOR_HOST=${COLLECTOR_HOST:-${collector%:*}} COLLECTOR_PORT=${COLLECTOR_PORT:-${collector##*:}}
DRAIN_SECONDS=${DRAIN_SECONDS:-20}

# Comments name variables, and need no values.
filled=$(awk '
  /^ *# only with [A-Z_]+$/ { left_out = ENVIRON[$NF] == "" }
  /^ *# until here$/ { left_out = 0 }
  /^ *#/ || left_out { next }
  {
    while (match($0, /\$\{[A-Z_]+\}/)) {
      name = substr($0, RSTART + 2, RLENGTH - 3)
      if (ENVIRON[name] == "") { print name " is not set" > "/dev/stderr"; exit 64 }
      $0 = substr($0, 1, RSTART - 1) ENVIRON[name] substr($0, RSTART + RLENGTH)
    }
    print
  }' "$here/envoy.yaml")

"${ENVOY:-envoy}" --config-yaml "$filled" --disable-hot-restart --drain-time-s "$DRAIN_SECONDS" --log-level "${LOG_LEVEL:-warn}" "$@" &
envoy=$!

# Asks the admin port, and waits for the answer.
admin() {
  exec 3<>"/dev/tcp/127.0.0.1/$ADMIN_PORT" || return
  printf 'POST %s HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n' "$1" >&3
  cat <&3 >/dev/null
  exec 3>&-
}

# What runs on is cut when the time is up: streams are resumed elsewhere.
drain() {
  trap '' TERM INT
  { admin /healthcheck/fail && admin '/drain_listeners?graceful&skip_exit'; } 2>/dev/null || true
  sleep "$DRAIN_SECONDS"
  kill "$envoy" 2>/dev/null || true
}
trap drain TERM INT

# A signal ends a wait; the process may still run.
status=1
while kill -0 "$envoy" 2>/dev/null; do
  wait "$envoy" && status=0 || status=$?
done
exit "$status"
