"""Where random steps and limits work, by the root of their policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LISTS = (
    "status.history",
    "status.conditions",
    "status.clusterConditions",
    "status.nodeConditions.*",
    "status.nodes.*.conditions",
    "status.nodes.*.history",
    "status.history[*].l",
    "status.set",
    "status.extra",
    "status.nodes['a/b'].history",
)
_MAPS = (
    *("status.executors",) * 6,
    "status.nodes",
    "status.nodes.*.executors",
    "status.nodeConditions",
    "status.*",
    "status.extra",
    "status.nodes.*",
    "status.history[*]",
    "status.conditions[*]",
)
_RESTORED = (
    *("status.conditions",) * 8,
    "status.clusterConditions",
    "status.nodeConditions.*",
    "status.nodes.*.conditions",
    "status.parents[*].conditions",
    "status.parents[0].conditions",
    "status.history",
    "status.*",
)
_TEXTS = (
    "status.message",
    "status.conditions[*].message",
    "status.history[*].m",
    "status.history[:-1].m",
    "status.conditions[*].reason",
    "status.conditions[*].*",
    "status.nodes.*.message",
    "status.nodes.*.conditions[*].message",
    "status.executors.*",
    "status.executors.*.m",
    "status.set[*]",
    "status.*",
    "status.extra[0]",
)
_FIELDS = (
    "status.message",
    "status.extra",
    "status.history[*].m",
    "status.history[:-1].k",
    "status.history[*].type",
    "status.conditions[*].message",
    "status.conditions[*].*",
    "status.nodes.*.message",
    "status.nodes.*.*",
    "status.executors.*.k",
    "status.nodes",
    "status.nodeConditions",
    "status.*",
)
_LEAVES = (
    "status.lastActiveTime",
    "status.size",
    "status.phase",
    "status.beats.*",
    "status.sizes[*]",
    "status.conditions[*].lastTransitionTime",
    "status.conditions[*].lastProbeTime",
    "status.conditions[*].*",
    "status.history[*].t",
    "status.history[:-1].m",
    "status.history[*].*",
    "status.nodes.*.message",
    "status.nodes.*.conditions[*].*",
    "status.*",
    "status.set[*]",
    "status.*.*",
    "status.*[*].*",
    "status.*.*[*].*",
    "status.*[*].conditions[*].*",
)
_WHENS = (
    "status.phase In Running",
    "status.phase NotIn Done",
    "status.history[3] Exists",
    "status.conditions[*].type In A",
    "spec.queue In default",
    "status.history[*].id Gt 3",
    "status.conditions[*].lastTransitionTime OlderThan 5m",
    "status.conditions[*].lastTransitionTime NewerThan 2026-01-01T00:02:00Z",
    "status.history[*].id Lt 2",
    "status.extra DoesNotExist",
    "metadata.labels.team In a",
    "status.nodes.*.message Exists",
)


@dataclass(frozen=True, slots=True)
class Places:
    """Paths below one root.

    ``of_conditions`` and ``lists`` lead to lists, ``maps`` to maps, ``fields`` to members of objects.
    """

    root: str
    of_conditions: Sequence[str]
    lists: Sequence[str]
    maps: Sequence[str]
    texts: Sequence[str]
    fields: Sequence[str]
    restored: Sequence[str]
    whens: Sequence[str]
    leaves: Sequence[str]


STATUS = Places("status", _LISTS[:6], _LISTS, _MAPS, _TEXTS, _FIELDS, _RESTORED, _WHENS, _LEAVES)


def _below(root: str, paths: Sequence[str]) -> Sequence[str]:
    return [path.replace("status", root, 1) for path in paths]


REPORT = Places(
    "report",
    _below("report", STATUS.of_conditions),
    _below("report", _LISTS),
    _below("report", _MAPS),
    _below("report", _TEXTS),
    _below("report", _FIELDS),
    _below("report", _RESTORED),
    _below("report", _WHENS),
    _below("report", _LEAVES),
)
RESULTS = Places(
    "results",
    ("results",),
    ("results", "results", "results[*].l"),
    ("results[*]", "results[*].k"),
    ("results[*].m", "results[:-1].m", "results[*].*", "results[0].k"),
    ("results[*].m", "results[:-1].k", "results[*].type", "results[*].*", "results[*].l"),
    ("results",),
    ("results[*].id Gt 3", "results[3] Exists", "spec.queue In default", "results[*].k NotIn x"),
    ("results[*].t", "results[*].id", "results[*].*", "results[0].m"),
)
CONDITIONS = Places(
    "conditions",
    ("conditions",),
    ("conditions",),
    ("conditions[*]",),
    ("conditions[*].message", "conditions[*].*"),
    ("conditions[*].message", "conditions[*].*", "conditions[:-1].lastProbeTime"),
    ("conditions",),
    ("conditions[*].type In A", "conditions[0].lastTransitionTime OlderThan 5m"),
    ("conditions[*].lastTransitionTime", "conditions[*].lastProbeTime", "conditions[*].*"),
)
PLACES = (STATUS, REPORT, RESULTS, CONDITIONS)
