"""What looks on: deploy/observe, held against its tools, against compose and against itself."""

import functools
import itertools
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml

from manifests import GATEWAY, Pod
from topology import ROOT, Service, ensure, run

OBSERVE = ROOT / "deploy" / "observe"
CONFIG, ALERTS, COLLECTOR = (OBSERVE / name for name in ("prometheus.yml", "alerts.yml", "collector.yaml"))
DATASOURCES = OBSERVE / "grafana" / "datasources" / "tengen.yml"
DASHBOARDS = OBSERVE / "grafana" / "dashboards"
BOARD = DASHBOARDS / "tengen.json"
README = ROOT / "deploy" / "README.md"
ALERT_TESTS = ROOT / "tests" / "deploy" / "alerts.yml"
OBSERVERS = ("collector", "prometheus", "grafana")
# Ports: numbers of a service, numbers of the gateway, spans, queries of traces.
ADMIN, OBSERVED, OTLP, TRACES = 4701, 8081, 4317, 16686
SEVERITIES = ("critical", "warning")
# What Grafana puts in, and what promtool is given for it.
MACRO, INSTEAD = re.compile(r"\$__\w+"), "1m"
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# What of an expression names labels or times: matchers, ranges, and what follows `by` and its like.
LABELS = re.compile(r"\{[^}]*\}|\[[^]]*\]|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)")
NAME = re.compile(r"(?<![\w.])[a-zA-Z_:][\w:]*\b(?!\s*\()")
WORDS = {"and", "or", "unless", "bool", "offset", "inf", "nan"}
SCRAPED = re.compile(r"```yaml\n(scrape_configs:\n.*?)```", re.DOTALL)
ALERT_ROW = re.compile(r"(?m)^\| `(\w+)` \| (yes)?")


def program() -> str:
    return str(Path(ensure("prometheus")).with_name("promtool"))


def promtool(*words: str) -> list[str]:
    """What it finds wrong."""
    done = subprocess.run([program(), *words], capture_output=True, text=True)
    return [] if done.returncode == 0 else (done.stdout + done.stderr).strip().splitlines()


@functools.cache
def alerts() -> list[dict]:
    return [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


@functools.cache
def panels() -> list[dict]:
    """All panels but the rows between them."""
    return [panel for panel in json.loads(BOARD.read_text())["panels"] if panel["type"] != "row"]


def shown() -> list[tuple[str, str]]:
    """Each expression of the dashboard, as Prometheus may be asked it, by the name of its panel."""
    return [(panel["title"], MACRO.sub(INSTEAD, target["expr"]))
            for panel in panels() for target in panel["targets"] if "expr" in target]


def numbers(expression: str) -> set[str]:
    """The numbers that an expression is made of."""
    bare = LABELS.sub(" ", STRING.sub('""', expression))
    return {name for name in NAME.findall(bare) if name.lower() not in WORDS}


def configuration(services: dict[str, Service]) -> list[str]:
    """Prometheus takes its configuration, reads all of ours, and its files are where they are mounted."""
    found = promtool("check", "config", str(CONFIG))
    read = {}
    for job in yaml.safe_load(CONFIG.read_text())["scrape_configs"]:
        for names in job["dns_sd_configs"]:
            read |= dict.fromkeys(names["names"], (names["port"], job.get("metrics_path", "/metrics")))
    expected = {name: (ADMIN, "/metrics") for name, service in services.items()
                if service.program and not service.on_demand}
    expected["gateway"] = (OBSERVED, "/stats/prometheus")
    found += [f"{name} is read at {read.get(name)}, expected {expected.get(name)}"
              for name in sorted(read | expected) if read.get(name) != expected.get(name)]
    return found


def in_kubernetes(pods: list[Pod]) -> list[str]:
    """By what the README says Prometheus finds each pod's numbers in a cluster, as Kubernetes tells of it."""
    [block] = SCRAPED.findall(README.read_text())
    config = yaml.safe_load(block)
    [job] = config["scrape_configs"]
    # Debian's has no Kubernetes within it.
    if [found["role"] for found in job.pop("kubernetes_sd_configs")] != ["pod"]:
        return ["it does not look for pods"]
    ours = [pod for pod in pods if pod.kind == "Deployment"]
    addresses = {pod.name: f"10.1.1.{number}" for number, pod in enumerate(ours, 1)}
    job["static_configs"] = [told(pod, addresses.get(pod.name, "10.1.2.1")) for pod in pods]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        yaml.safe_dump(config, file)
        file.flush()
        command = [program(), "check", "service-discovery", "--timeout=1s", file.name, job["job_name"]]
        labels = [found["labels"] for found in json.loads(run(command))]
    read = {(found["service"], found["__address__"], found["__metrics_path__"]) for found in labels if found}
    expected = set()
    for pod in ours:
        port, path = (OBSERVED, "/stats/prometheus") if pod.image == GATEWAY else (ADMIN, "/metrics")
        expected.add((pod.labels["app.kubernetes.io/name"], f"{addresses[pod.name]}:{port}", path))
    return [] if read == expected else [f"{sorted(read)} are read, expected {sorted(expected)}"]


def told(pod: Pod, address: str) -> dict:
    """A pod as discovery tells of it."""
    escaped = lambda name: re.sub(r"\W", "_", name)
    about = {f"__meta_kubernetes_pod_label_{escaped(name)}": value for name, value in pod.labels.items()}
    about |= {f"__meta_kubernetes_pod_annotation_{escaped(name)}": value
              for name, value in pod.annotations.items()}
    return {"targets": [f"{address}:4700"], "labels": about | {"__meta_kubernetes_pod_ip": address}}


def alerts_are_whole(_: dict[str, Service]) -> list[str]:
    """Each alert says how long, how bad, what, and stands in the runbook."""
    found = promtool("check", "rules", "--lint=all", "--lint-fatal", str(ALERTS))
    for rule in alerts():
        name, about = rule["alert"], rule.get("annotations", {})
        if "for" not in rule:
            found.append(f"{name}: no `for`")
        if rule.get("labels", {}).get("severity") not in SEVERITIES:
            found.append(f"{name}: no severity of {SEVERITIES}")
        if "summary" not in about:
            found.append(f"{name}: no summary")
        page, _, heading = about.get("runbook", "").partition("#")
        place = re.search(rf"(?mi)^#+ {heading}$", (ROOT / page).read_text()) if heading else None
        if place is None:
            found.append(f"{name}: its runbook {about.get('runbook')} is not there")
    rows = {(name, SEVERITIES[0] if critical else SEVERITIES[1])
            for name, critical in ALERT_ROW.findall(README.read_text())}
    named = {(rule["alert"], rule.get("labels", {}).get("severity", "")) for rule in alerts()}
    return found + [f"{name}, {severity}: in alerts.yml or in the runbook alone"
                    for name, severity in sorted(named ^ rows)]


def alerts_fire(_: dict[str, Service]) -> list[str]:
    """Each of them fires in the tests, and none where nothing is wrong."""
    found = promtool("test", "rules", str(ALERT_TESTS))
    cases = [case for test in yaml.safe_load(ALERT_TESTS.read_text())["tests"]
             for case in test["promql_expr_test"]]
    fired = {name for case in cases for sample in case["exp_samples"]
             for name in re.findall(r'alertname="(\w+)"', sample["labels"])}
    found += [f"{rule['alert']} fires in no test" for rule in alerts() if rule["alert"] not in fired]
    if not any(case["exp_samples"] == [] for case in cases):
        found.append("no test in which nothing is wrong")
    return found


def dashboard(services: dict[str, Service]) -> list[str]:
    """Grafana finds its sources and its dashboard, whose panels have their places and ask what can be asked."""
    sources = {source["uid"]: source for source in yaml.safe_load(DATASOURCES.read_text())["datasources"]}
    ports = {"prometheus": 9090, "jaeger": TRACES}
    hosts = {"prometheus": "prometheus", "jaeger": "collector"}
    found = []
    for uid, source in sources.items():
        expected = f"http://{hosts[source['type']]}:{ports[source['type']]}"
        if source["url"] != expected or hosts[source["type"]] not in services:
            found.append(f"the source {uid} is at {source['url']}, expected {expected}")
    for panel in panels():
        of = panel["datasource"]
        if sources.get(of["uid"], {}).get("type") != of["type"]:
            found.append(f"{panel['title']}: no source {of}")
        if not panel["targets"]:
            found.append(f"{panel['title']}: asks nothing")
    everything = json.loads(BOARD.read_text())["panels"]
    if len({panel["id"] for panel in everything}) < len(everything):
        found.append("two panels have one id")
    found += [f"{one['title']} lies over {other['title']}"
              for one, other in itertools.combinations(everything, 2) if overlap(one, other)]
    rules = [{"record": "shown", "expr": expression, "labels": {"number": str(number)}}
             for number, (_, expression) in enumerate(shown())]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
        file.flush()
        return found + promtool("check", "rules", file.name)


def fields(_: dict[str, Service]) -> list[str]:
    """Grafana's own types know all that the dashboard says."""
    ensure("grafana-types")
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.cog.plugins import register_default_plugins
    from grafana_foundation_sdk.models.dashboard import Dashboard

    register_default_plugins()
    said = json.loads(BOARD.read_text())
    return list(unknown(said, json.loads(JSONEncoder().encode(Dashboard.from_json(said))), "dashboard"))


def unknown(said, known, where: str) -> Iterator[str]:
    """What was said and is not in what was understood."""
    if isinstance(said, dict) and isinstance(known, dict):
        for key, value in said.items():
            yield from unknown(value, known.get(key), f"{where}.{key}")
    elif isinstance(said, list) and isinstance(known, list):
        for number, (one, other) in enumerate(itertools.zip_longest(said, known)):
            yield from unknown(one, other, f"{where}.{number}")
    elif said != known:
        yield f"{where}: Grafana does not know {said}"


def overlap(one: dict, other: dict) -> bool:
    a, b = one["gridPos"], other["gridPos"]
    return (a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"]
            and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"])


def collector(services: dict[str, Service]) -> list[str]:
    """Whatever the collector's pipelines and stores name is there, and is used, and takes what is sent."""
    config, found = yaml.safe_load(COLLECTOR.read_text()), []
    pipelines, extensions = config["service"]["pipelines"], config["extensions"]
    for kind in ("receivers", "processors", "exporters"):
        used = {name for pipeline in pipelines.values() for name in pipeline[kind]}
        found += [f"{kind}: {name} is defined or used, not both" for name in sorted(used ^ set(config[kind]))]
    used = set(config["service"]["extensions"])
    found += [f"extensions: {name} is defined or used, not both" for name in sorted(used ^ set(extensions))]
    stores = set(extensions["jaeger_storage"]["backends"])
    named = {config["exporters"]["jaeger_storage_exporter"]["trace_storage"],
             extensions["jaeger_query"]["storage"]["traces"]}
    if named != stores:
        found.append(f"stores {stores}, of which {named} are named")
    if config["receivers"]["otlp"]["protocols"]["grpc"]["endpoint"] != f"0.0.0.0:{OTLP}":
        found.append(f"it does not take spans at {OTLP}")
    for service in services.values():
        sends = service.environment.get("OTEL_EXPORTER_OTLP_ENDPOINT")
        ours = service.name == "gateway" or (service.program and not service.on_demand)
        if sends != (f"http://collector:{OTLP}" if ours else None):
            found.append(f"{service.name} sends spans to {sends}")
    return found


def restricted(services: dict[str, Service]) -> list[str]:
    """Images of one version, nobody is root, nothing can be written, and what is mounted is there."""
    found = []
    for name in OBSERVERS:
        raw = services[name].raw
        mounts = [mount for mount in raw.get("volumes", []) if mount["type"] == "bind"]
        for holds, what in (
            (re.fullmatch(r"[\w./-]+:v?\d+\.\d+\.\d+", raw["image"]), "image"),
            (re.fullmatch(r"[1-9]\d*:\d+", raw.get("user", "")), "user"),
            (raw.get("read_only") is True, "read_only"),
            (raw.get("cap_drop") == ["ALL"], "cap_drop"),
            (raw.get("security_opt") == ["no-new-privileges:true"], "security_opt"),
            ("mem_limit" in raw, "mem_limit"),
            (services[name].health, "healthcheck"),
            (mounts and all(mount.get("read_only") and Path(mount["source"]).exists() for mount in mounts),
             "volumes"),
            (all(port.get("host_ip") == "127.0.0.1" for port in raw.get("ports", [])), "ports"),
        ):
            if not holds:
                found.append(f"{name}: {what} is not as it should be")
    if set(services["grafana"].raw["networks"]) != {"observers"}:
        found.append("grafana: it reaches services and stores")
    return found


CHECKS = {
    "Prometheus reads all of compose": configuration,
    "alerts stand in the runbook": alerts_are_whole,
    "alerts fire, and only when they should": alerts_fire,
    "the dashboard asks what can be asked": dashboard,
    "Grafana knows all of the dashboard": fields,
    "the collector's pipelines are whole": collector,
    "observers are restricted": restricted,
}
