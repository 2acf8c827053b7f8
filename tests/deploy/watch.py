"""The real Prometheus over the suite that runs, with the configuration and the alerts of deploy/observe."""

import json
import urllib.parse
import urllib.request

import yaml

import observed
import topology
from processes import Process, path_only
from topology import Failure

EVERY = "500ms"
API = 9090
ANSWER_S = 10
# A number of Prometheus's own, which is there once something is wrong.
ALERTS = "ALERTS"


def configuration(suite) -> dict:
    """The same jobs; where names would be looked up stand the replicas that are there."""
    config = yaml.safe_load(observed.CONFIG.read_text())
    config["global"] = {"scrape_interval": EVERY, "scrape_timeout": EVERY, "evaluation_interval": EVERY}
    config["rule_files"] = [str(observed.ALERTS)]
    for job in config["scrape_configs"]:
        groups = []
        for found in job.pop("dns_sd_configs"):
            for name in found["names"]:
                targets = [replica.address(found["port"]) for replica in suite.of(name)]
                groups.append({"targets": targets, "labels": {"__meta_dns_name": name}})
        job["static_configs"] = groups
    return config


def ask(suite, path: str, **words: str):
    """What Prometheus answers: its data."""
    [replica] = suite.of("prometheus")
    url = f"http://{replica.address(API)}/api/v1/{path}?{urllib.parse.urlencode(words)}"
    with urllib.request.urlopen(url, timeout=ANSWER_S) as answer:
        return json.load(answer)["data"]


def every_replica(suite) -> None:
    """Starts it, and waits until it has read all that compose starts of ours."""
    [replica] = suite.of("prometheus")
    folder = suite.folder / replica.name
    folder.mkdir()
    config = folder / "prometheus.yml"
    config.write_text(yaml.safe_dump(configuration(suite)))
    command = [topology.ensure("prometheus"), f"--config.file={config}",
               f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address={replica.address(API)}"]
    replica.process = Process(replica.name, command, path_only(), folder)
    expected = {one.service.name: len(suite.of(one.service.name)) for one in suite.ours()}
    read = lambda: {sample["metric"]["service"]: int(sample["value"][1])
                    for sample in ask(suite, "query", query="sum by (service) (up)")["result"]}
    replica.process.wait_until("reading every replica", lambda: quiet(read) == expected)


def quiet(question):
    """Its answer, or None while Prometheus is starting."""
    try:
        return question()
    except OSError:
        return None


def what_is_asked_for(suite) -> None:
    """Each number that an alert or the dashboard names is shown by a process, and each panel shows something."""
    there = set(ask(suite, "label/__name__/values")) | {ALERTS}
    asked = [(rule["alert"], rule["expr"]) for rule in observed.alerts()] + observed.shown()
    missing = [f"{where}: nobody shows {name}" for where, expression in asked
               for name in sorted(observed.numbers(expression) - there)]
    for title, expression in observed.shown():
        shows = ask(suite, "query", query=expression)["result"]
        if not shows and ALERTS not in observed.numbers(expression):
            missing.append(f"{title}: {expression} shows nothing")
    for group in ask(suite, "rules")["groups"]:
        missing += [f"{rule['name']}: {rule.get('lastError')}"
                    for rule in group["rules"] if rule["health"] != "ok"]
    if missing:
        raise Failure("\n".join(missing))


def what_was_stopped(suite, seconds: float) -> None:
    """Within these seconds all replicas of three services were away, and an alert began for these alone."""
    began = f'count_over_time(ALERTS{{alertname="ServiceGone"}}[{seconds:.0f}s])'
    found = {sample["metric"]["service"] for sample in ask(suite, "query", query=began)["result"]}
    if found != {"session", "rating", "game"}:
        raise Failure(f"ServiceGone began for {sorted(found)}, expected session, rating and game")
