"""Labels of metrics: few values by construction, whatever a caller sends."""

from __future__ import annotations

from typing import Final

from admission.engine.policy import PolicySet

OTHER: Final = "other"
"""What a label says of everything that it does not name."""

_OPERATIONS: Final = frozenset({"CREATE", "UPDATE", "DELETE", "CONNECT"})
_MOST_LEARNT: Final = 200
"""Resources that a rule like ``*/status`` may add as labels: more kinds than one group has."""


def operation_label(operation: str) -> str:
    """One of Kubernetes' operations, or :data:`OTHER`."""
    return operation if operation in _OPERATIONS else OTHER


def flag_label(flag: bool) -> str:
    """``true`` or ``false``."""
    return "true" if flag else "false"


class Resources:
    """Which resources are labels: those that a policy names, and those met in a group of which it takes all."""

    def __init__(self, policies: PolicySet) -> None:
        """Find what the rules of ``policies`` name."""
        rules = [rule for policy in policies.policies for rule in policy.match.resources]
        named = {(group, name.partition("/")[0]) for rule in rules for group in rule.groups for name in rule.resources}
        self._whole_groups = frozenset(group for group, resource in named if resource == "*")
        self._labels = {endpoint: _label(*endpoint) for endpoint in named if endpoint[1] != "*"}
        self._most = len(self._labels) + _MOST_LEARNT

    def label(self, group: str, resource: str) -> str:
        """The resource as a label: ``batch.volcano.sh/jobs``, ``services``, or :data:`OTHER`."""
        label = self._labels.get((group, resource))
        if label is not None:
            return label
        if group not in self._whole_groups or len(self._labels) >= self._most:
            return OTHER
        return self._labels.setdefault((group, resource), _label(group, resource))


def _label(group: str, resource: str) -> str:
    return f"{group}/{resource}" if group else resource
