"""The generated parts of ``manifests/README.md``: the flags of the server, its metrics, the fields and reasons of its
decision log.

``python -m admission.offline.reference --write`` writes them anew between their markers, ``--check`` fails when they
are stale.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from admission.observe.entry import Entry, PolicyEntry, RemovedEntry, StepEntry
from admission.observe.metric import METRICS, Metric
from admission.observe.reasons import MEANINGS
from admission.policyfile.markdown import Page, table
from admission.settings import FLAGS
from admission.settings.flag import Flag

README: Final = Path(__file__).resolve().parents[2] / "manifests" / "README.md"

_LINES: Final[Mapping[type[msgspec.Struct], str]] = {
    Entry: "",
    PolicyEntry: "policies[].",
    StepEntry: "policies[].steps[].",
    RemovedEntry: "removed[].",
}
"""What a line of the decision log is made of, by the way to it."""

_WORDS: Final = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
_FLAG: Final = re.compile(r"--[a-z][a-z-]*")


def flags_table() -> str:
    """One row a flag: its name, its twin in the environment, its default and what it means."""
    rows = [(_given(flag), f"`{flag.environment}`", _default(flag), _as_code(flag.help)) for flag in FLAGS]
    return table(("flag", "in the environment", "default", "meaning"), rows)


def _given(flag: Flag) -> str:
    return ", ".join(f"`{name}`" for name in (flag.short, f"{flag.name} {flag.metavar}".strip()) if name)


def _default(flag: Flag) -> str:
    return f"`{flag.default}`" if flag.default and not flag.switch else ""


def _as_code(text: str) -> str:
    return _FLAG.sub(lambda match: f"`{match[0]}`", text)


def metrics_table() -> str:
    """One row a metric: its name, its type, its labels and what it counts."""
    rows = [(f"`{metric.name}`", metric.kind.__name__.lower(), _labels(metric), metric.help) for metric in METRICS]
    return table(("metric", "type", "labels", "meaning"), rows)


def _labels(metric: Metric) -> str:
    return ", ".join(f"`{label}`" for label in metric.labels)


def decision_log_table() -> str:
    """One row a field of a line, in the order in which they stand there."""
    return table(("field", "type", "meaning"), _fields_of(Entry))


def reasons_table() -> str:
    """One row a reason, as it stands in a line, and what it tells."""
    return table(("reason", "meaning"), [(f"`{reason}`", meaning) for reason, meaning in MEANINGS.items()])


def _fields_of(kind: type[msgspec.Struct]) -> Iterator[tuple[str, str, str]]:
    _, definitions = msgspec.json.schema_components(_LINES)
    inner = {each.__name__: each for each in _LINES}
    for name, field in definitions[kind.__name__]["properties"].items():
        items = field.get("items", {}).get("$ref", "").rpartition("/")[2]
        yield f"`{_LINES[kind]}{name}`", _type(field), field["description"]
        if items:
            yield from _fields_of(inner[items])


def _type(field: Mapping[str, Any]) -> str:
    kind = field.get("type", "")  # without one, of any type
    return "list" if kind == "array" else _WORDS.get(kind, "any")


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "flags": flags_table,
    "metrics": metrics_table,
    "decision_log": decision_log_table,
    "reasons": reasons_table,
}


def main(arguments: Sequence[str] | None = None, readme: Path = README) -> int:
    """Write or check the file; returns the exit code."""
    return Page(readme, PARTS).command(arguments)


if __name__ == "__main__":
    sys.exit(main())
