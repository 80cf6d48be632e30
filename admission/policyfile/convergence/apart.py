"""Judging in a process of its own: what goes in and what comes out, as bytes.

A server judges beside its work. In a thread it would hold the interpreter's lock for milliseconds at a time, and every
answer would wait for it.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

import msgspec

from admission.engine.policy import Policy, PolicySet
from admission.engine.schema import Schemas
from admission.policyfile.convergence.judgement import QUICK, judge

COMMAND: Final = (sys.executable, "-m", "admission.policyfile.convergence")
"""Reads policies from its standard input, and writes what it thinks of them."""

_LOWEST_PRIORITY: Final = 19
_LIST: Final = msgspec.msgpack.Decoder(list[bytes])


@dataclass(frozen=True, slots=True)
class Told:
    """Policies (one or two, by name) that do not converge, why, and a sample that shows it as plain data."""

    policies: tuple[str, ...]
    message: str
    sample: Any


@dataclass(frozen=True, slots=True)
class Report:
    """What came of judging; ``policies_left`` and ``pairs_left`` were not judged for want of time."""

    nonconverging: int
    told: tuple[Told, ...]
    policies_left: int
    pairs_left: int


_REPORT: Final = msgspec.json.Decoder(Report)


def packed(policies: PolicySet) -> bytes:
    """Policies, and what is known of their kinds. One after the other: who else has work gets a turn between them."""
    known = {key: schema for key, schema in policies.schemas.by_resource.items() if key[::2] in _kinds(policies)}
    parts: Iterable[Any] = (*policies.policies, *known.items())
    return msgspec.msgpack.encode([pickle.dumps(part) for part in parts])


def _kinds(policies: PolicySet) -> frozenset[tuple[str, str]]:
    return frozenset(
        (group, resource.partition("/")[0])
        for policy in policies.policies
        for rule in policy.match.resources
        for group in rule.groups
        for resource in rule.resources
    )


def unpacked(packed: bytes) -> PolicySet:
    """The policies that were packed."""
    parts = [pickle.loads(part) for part in _LIST.decode(packed)]  # noqa: S301 - from the process that started this one
    schemas = Schemas(dict(part for part in parts if not isinstance(part, Policy)))
    return PolicySet.of((part for part in parts if isinstance(part, Policy)), schemas)


def report_of(policies: PolicySet) -> Report:
    """Judge policies, in bounded time."""
    judgement = judge(policies, QUICK)
    told = tuple(
        Told(tuple(policy.name for policy in each.policies), each.message, each.sample.told())
        for each in judgement.disagreements
    )
    return Report(len(judgement.nonconverging), told, judgement.policies_left, judgement.pairs_left)


def read_report(data: bytes) -> Report:
    """What the command has written.

    Raises:
        msgspec.DecodeError: it was broken off.
    """
    return _REPORT.decode(data)


def main(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """The command."""
    os.nice(_LOWEST_PRIORITY)
    stdout.write(msgspec.json.encode(report_of(unpacked(stdin.read()))))
