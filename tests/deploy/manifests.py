"""The manifests of deploy/k8s, as kubectl renders them, and what has to hold for them."""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

import settings
from topology import ROOT, Failure, ensure, run

OURS = {"tengen/game": "tengen-game", "tengen/clock": "tengen-clock", "tengen/rating": "tengen-rating",
        "tengen/session": "tengen-session", "tengen/tools": "tengen"}
GATEWAY = "tengen/gateway"
URL = re.compile(r"https?://([a-z0-9-]+):(\d+)")
STORES = {"TENGEN_REDIS_URL": "redis"}
# Where collectors take spans.
OTLP = 4317
WORKLOADS = ("Deployment", "StatefulSet", "CronJob")


@dataclass(frozen=True)
class Pod:
    """The pods of one workload; each of ours has one container."""

    kind: str
    name: str
    labels: dict[str, str]
    annotations: dict[str, str]
    spec: dict

    @property
    def container(self) -> dict:
        return self.spec["containers"][0]

    @property
    def image(self) -> str:
        return self.container["image"].rsplit(":", 1)[0]


class Manifests:
    """What one folder renders to."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.text = run([ensure("kubectl"), "kustomize", str(ROOT / "deploy" / "k8s" / folder)])
        self.all = [document for document in yaml.safe_load_all(self.text) if document]

    def of(self, *kinds: str) -> Iterator[dict]:
        return (document for document in self.all if document["kind"] in kinds)

    def pods(self) -> list[Pod]:
        return [self.pod(document) for document in self.of(*WORKLOADS)]

    def pod(self, document: dict) -> Pod:
        spec = document["spec"]
        spec = spec["jobTemplate"]["spec"] if document["kind"] == "CronJob" else spec
        template = spec["template"]
        about = template["metadata"]
        labels, annotations = about["labels"], about.get("annotations", {})
        return Pod(document["kind"], document["metadata"]["name"], labels, annotations, template["spec"])

    def variables(self, pod: Pod) -> dict[str, str | None]:
        """What is set for a pod; None for what is secret."""
        maps = {document["metadata"]["name"]: document["data"] for document in self.of("ConfigMap")}
        found: dict[str, str | None] = {}
        for source in pod.container.get("envFrom", []):
            name = source["configMapRef"]["name"]
            if name not in maps:
                raise Failure(f"{pod.name}: there is no ConfigMap {name}")
            found |= maps[name]
        return found | {entry["name"]: entry.get("value") for entry in pod.container.get("env", [])}

    def policies(self, pod: Pod) -> list[dict]:
        """The network policies that select a pod."""
        return [document["spec"] for document in self.of("NetworkPolicy")
                if matches(document["spec"]["podSelector"], pod.labels)]

    def drain_s(self, pod: Pod) -> float:
        """How long its process may take to end."""
        set_here = self.variables(pod)
        if pod.image == GATEWAY:
            return float(set_here["DRAIN_SECONDS"])
        declared = settings.of_program(OURS[pod.image], [])
        value = lambda name: int((set_here.get(name) or declared[name].default).replace("_", ""))
        return (value("TENGEN_DRAIN_NOTICE_MS") + value("TENGEN_DRAIN_GRACE_MS")) / 1000


def schemas(manifests: Manifests) -> list[str]:
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(manifests.text)
        file.flush()
        command = [ensure("kubernetes-validate"), "--strict", "--quiet", file.name]
        done = subprocess.run(command, capture_output=True, text=True)
    return [] if done.returncode == 0 else (done.stdout + done.stderr).strip().splitlines()


def variables(manifests: Manifests) -> list[str]:
    found = []
    for pod in manifests.pods():
        given = set(manifests.variables(pod))
        if pod.image == GATEWAY:
            found += settings.problems(pod.name, settings.of_gateway(), given)
        elif pod.image in OURS:
            declared = settings.of_program(OURS[pod.image], pod.container.get("args", []))
            found += settings.problems(pod.name, declared, given)
    return found


def secrets(manifests: Manifests, known: set[str]) -> list[str]:
    """Keys that no environment file has, from which the Secret is made."""
    found = []
    for pod in manifests.pods():
        for entry in pod.container.get("env", []):
            if reference := entry.get("valueFrom", {}).get("secretKeyRef"):
                if reference["name"] != "tengen" or reference["key"] not in known:
                    found.append(f"{pod.name}: no key {reference['key']} in deploy/env.example")
    return found


def restricted(manifests: Manifests) -> list[str]:
    """What Kubernetes calls restricted, and a file system that cannot be written, and no token."""
    found = []
    for pod in manifests.pods():
        own, all_of_it = pod.container.get("securityContext", {}), pod.spec.get("securityContext", {})
        for holds, what in (
            (all_of_it.get("runAsNonRoot") is True, "runAsNonRoot"),
            (all_of_it.get("runAsUser", 0) != 0, "runAsUser"),
            (all_of_it.get("seccompProfile") == {"type": "RuntimeDefault"}, "seccompProfile"),
            (own.get("allowPrivilegeEscalation") is False, "allowPrivilegeEscalation"),
            (own.get("readOnlyRootFilesystem") is True, "readOnlyRootFilesystem"),
            (own.get("capabilities") == {"drop": ["ALL"]}, "capabilities"),
            (pod.spec.get("automountServiceAccountToken") is False, "automountServiceAccountToken"),
            ("memory" in pod.container.get("resources", {}).get("limits", {}), "resources"),
            (len(pod.spec["containers"]) == 1, "one container"),
        ):
            if not holds:
                found.append(f"{pod.name}: {what} is not as it should be")
    return found


def ends(manifests: Manifests) -> list[str]:
    """Whether each process has the time it may take to end, and each is asked whether it is ready."""
    found = []
    for pod in manifests.pods():
        if pod.kind != "Deployment":
            continue
        given, drain = pod.spec.get("terminationGracePeriodSeconds", 30), manifests.drain_s(pod)
        if given <= drain:
            found.append(f"{pod.name}: {given} s to end in, its drain may take {drain:g} s")
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            if probe not in pod.container:
                found.append(f"{pod.name}: no {probe}")
    return found


def names(manifests: Manifests) -> list[str]:
    """Whatever names something else: services in addresses, targets, selectors and ports."""
    pods, found = manifests.pods(), []
    services = {(document["metadata"]["name"], port["port"])
                for document in manifests.of("Service") for port in document["spec"]["ports"]}
    for pod in pods:
        for name, value in manifests.variables(pod).items():
            for host, port in URL.findall(value or ""):
                if (host, int(port)) not in services:
                    found.append(f"{pod.name}: {name} names {host}:{port}, which is no service")
            if name.endswith("_HOST") and (value, 4700) not in services:
                found.append(f"{pod.name}: {name} names {value}:4700, which is no service")
    deployments = {pod.name for pod in pods if pod.kind == "Deployment"}
    targets = {document["spec"]["scaleTargetRef"]["name"]
               for document in manifests.of("HorizontalPodAutoscaler")}
    found += [f"no autoscaler for {name}" for name in sorted(deployments - targets)]
    found += [f"an autoscaler for {name}, which is not there" for name in targets - deployments]
    for document in manifests.of("Service", "PodDisruptionBudget", "NetworkPolicy"):
        for selector, ports in selectors(document):
            chosen = [pod for pod in pods if matches(selector, pod.labels)]
            where = f"{document['kind']} {document['metadata']['name']}"
            if not chosen:
                found.append(f"{where}: {selector} selects no pod")
            for port in ports:
                if not all(port in known_ports(pod) for pod in chosen):
                    found.append(f"{where}: {port} is no port of what it selects")
    return found


def lets_in(manifests: Manifests) -> list[str]:
    """Whether network policies let in those who have to call, and nobody else but at the gateway."""
    pods, found = manifests.pods(), []
    services = {document["metadata"]["name"]: {"matchLabels": document["spec"]["selector"]}
                for document in manifests.of("Service")}
    called = {pod.name: calls(manifests, pod) for pod in pods}
    for target in pods:
        own = {name for name, selector in services.items() if matches(selector, target.labels)}
        expected = {pod.name for pod in pods if called[pod.name] & own}
        policies = manifests.policies(target)
        rules = [rule for policy in policies for rule in policy.get("ingress", [])]
        if not policies:
            found.append(f"{target.name}: no policy, so anybody is let in")
        if any("from" not in rule for rule in rules):
            if target.image != GATEWAY:
                found.append(f"{target.name}: anybody is let in")
            continue
        peers = [peer["podSelector"] for rule in rules for peer in rule["from"] if "podSelector" in peer]
        allowed = {pod.name for pod in pods if any(matches(peer, pod.labels) for peer in peers)}
        if allowed != expected:
            found.append(f"{target.name}: {sorted(allowed)} are let in, {sorted(expected)} call it")
    return found


def is_watched(manifests: Manifests) -> list[str]:
    """Whether each of ours says where its numbers are, and other namespaces may read these alone; and
    whether spans get out."""
    found = []
    for pod in manifests.pods():
        ours = pod.kind == "Deployment"
        port, path = ("observe", "/stats/prometheus") if pod.image == GATEWAY else ("admin", "/metrics")
        if ours:
            ports = {entry["name"]: str(entry["containerPort"]) for entry in pod.container["ports"]}
            expected = {"scrape": "true", "port": ports[port], "path": path}
            said = {key: pod.annotations.get(f"prometheus.io/{key}") for key in expected}
            if said != expected:
                found.append(f"{pod.name}: its annotations say {said}, expected {expected}")
        policies = manifests.policies(pod)
        read = {opened["port"] for policy in policies for rule in policy.get("ingress", [])
                if from_elsewhere(rule.get("from", [])) for opened in rule["ports"]}
        if read != ({port} if ours else set()):
            found.append(f"{pod.name}: other namespaces reach {sorted(read)}")
        shut = [policy for policy in policies if "Egress" in policy["policyTypes"]]
        sent = {opened["port"] for policy in shut for rule in policy.get("egress", [])
                if from_elsewhere(rule["to"]) for opened in rule["ports"]}
        if shut and sent - {53} != {OTLP}:
            found.append(f"{pod.name}: it reaches {sorted(sent)} of other namespaces")
    return found


def from_elsewhere(peers: list[dict]) -> bool:
    return any("namespaceSelector" in peer for peer in peers)


def calls(manifests: Manifests, pod: Pod) -> set[str]:
    """The services that a pod calls, as its variables say; the addresses of stores are secret."""
    found = set()
    for name, value in manifests.variables(pod).items():
        found |= {host for host, _ in URL.findall(value or "")}
        if name.endswith("_HOST"):
            found.add(value)
        elif name in STORES or name.endswith("_DATABASE_URL"):
            found.add(STORES.get(name, "postgres"))
    return found


def selectors(document: dict) -> Iterator[tuple[dict, list]]:
    """Each selector of a document, with the ports that its pods are said to have."""
    spec = document["spec"]
    if document["kind"] == "Service":
        yield {"matchLabels": spec["selector"]}, [port["targetPort"] for port in spec["ports"]]
        return
    if document["kind"] == "PodDisruptionBudget":
        yield spec["selector"], []
        return
    rules = spec.get("ingress", [])
    yield spec["podSelector"], [port["port"] for rule in rules for port in rule["ports"]]
    for rule in rules:
        yield from ((peer["podSelector"], []) for peer in rule.get("from", []) if "podSelector" in peer)
    for rule in spec.get("egress", []):
        ports = [port["port"] for port in rule["ports"]]
        yield from ((peer["podSelector"], ports) for peer in rule["to"] if "podSelector" in peer)


def matches(selector: dict, labels: dict[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items()) and all(
        rule["operator"] == "In" and labels.get(rule["key"]) in rule["values"]
        for rule in selector.get("matchExpressions", []))


def known_ports(pod: Pod) -> set:
    ports = pod.container.get("ports", [])
    return {port["name"] for port in ports} | {port["containerPort"] for port in ports}
