"""Read the Prometheus text format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SAMPLE = re.compile(r"(?P<name>[A-Za-z_:][\w:]*)(?:\{(?P<labels>.*)\})?\s+(?P<value>\S+)(?:\s+\S+)?$")
LABEL = re.compile(r'(\w+)="((?:\\.|[^"\\])*)"')
ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of /metrics."""

    name: str
    labels: dict[str, str]
    value: float


def samples(text: str, name_prefix: str) -> Iterator[Sample]:
    """Yield the samples whose name starts with ``name_prefix``; comments and other lines are passed over."""
    for line in text.splitlines():
        if line.startswith(name_prefix) and (match := SAMPLE.match(line)):
            labels = {key: unescape(value) for key, value in LABEL.findall(match["labels"] or "")}
            yield Sample(match["name"], labels, float(match["value"]))


def unescape(value: str) -> str:
    return re.sub(r"\\[\\\"n]", lambda escape: ESCAPES[escape.group()], value)
