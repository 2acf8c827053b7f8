"""Which variables a program takes, read off the source that declares them."""

import re
from dataclasses import dataclass
from pathlib import Path

from topology import ROOT

ARG = re.compile(r"#\[arg\((.*?)\)\]\n\s*(?:pub )?(\w+): ([^\n]+),\n", re.DOTALL)
VARIABLE = re.compile(r'env = "(\w+)"')
DEFAULT = re.compile(r'default_value(?:_t)? = "?([^",\n]*)')
UNLESS = re.compile(r'required_unless_present = "(\w+)"')
# What need not be there: an option, a list, a switch.
OPTIONAL = ("Option<", "Vec<", "bool")
KIT = ("services/kit/src/config/mod.rs", "services/kit/src/config/limits.rs")
# Which share is traced is OpenTelemetry's to say.
TRACES, SAMPLER = "services/kit/src/telemetry/traces.rs", re.compile(r'"(OTEL_\w+)"')
GATEWAY = ("deploy/envoy/envoy.yaml", "deploy/envoy/start.sh")
PLACE = re.compile(r"\$\{([A-Z_]+)\}")
PLACE_WITH_DEFAULT = re.compile(r"([A-Z_]+)=\$\{\1:-")


@dataclass(frozen=True)
class Setting:
    name: str
    required: bool
    # As it is written in the source; empty for none.
    default: str
    # What may be set in its place; empty for nothing.
    instead: str


def of_program(program: str, command: list[str]) -> dict[str, Setting]:
    """The variables of `tengen-game`, or of a command of `tengen`."""
    if program == "tengen":
        sources = [f"services/standalone/src/{command[0]}.rs"]
    else:
        folder = f"services/{program.removeprefix('tengen-')}/src"
        sources = [*KIT, f"{folder}/config.rs", f"{folder}/process.rs"]
    found = {name: found for source in sources for name, found in read(ROOT / source).items()}
    if program == "tengen":
        return found
    traces = SAMPLER.findall((ROOT / TRACES).read_text())
    return found | {name: Setting(name, False, "", "") for name in traces}


def of_gateway() -> dict[str, Setting]:
    """The variables of Envoy's configuration: those without a default are required."""
    config, start = (re.sub(r"(?m)^\s*#.*$", "", (ROOT / path).read_text()) for path in GATEWAY)
    defaults = set(PLACE_WITH_DEFAULT.findall(start))
    places = set(PLACE.findall(config))
    return {name: Setting(name, name not in defaults, "", "") for name in places | defaults}


def read(path: Path) -> dict[str, Setting]:
    fields = {}
    for attribute, field, kind in ARG.findall(path.read_text()):
        if variable := VARIABLE.search(attribute):
            fields[field] = (variable[1], attribute, kind)
    found = {}
    for name, attribute, kind in fields.values():
        default, unless = DEFAULT.search(attribute), UNLESS.search(attribute)
        required = unless is not None or (default is None and not kind.startswith(OPTIONAL))
        instead = fields[unless[1]][0] if unless else ""
        found[name] = Setting(name, required, default[1] if default else "", instead)
    return found


def problems(where: str, declared: dict[str, Setting], given: set[str]) -> list[str]:
    """What is set and not declared, and what has to be set and is not."""
    found = [f"{where}: {name} is no variable of it" for name in sorted(given - set(declared))]
    for setting in declared.values():
        if setting.required and not given & {setting.name, setting.instead}:
            found.append(f"{where}: {setting.name} is required and not set")
    return found
