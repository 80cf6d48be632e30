"""What a case of a suite expects, and where the webhook's answer differs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from admission.engine.decision import Outcome
from admission.engine.measure import stored_size
from admission.engine.values import List, Object, Value, quoted, same
from admission.offline.diff import unified
from admission.offline.gojson import encode
from admission.offline.rehearsal import Rehearsal

Place: TypeAlias = tuple[str, ...]
"""Members on the way from the object to a value."""

STATUS: Final[Place] = ("status",)
Roots: TypeAlias = tuple[str, ...]
"""The members of the object that the policies trim."""

MANAGED_FIELDS: Final[Place] = ("metadata", "managedFields")


@dataclass(frozen=True, slots=True)
class Failure:
    """One expectation that does not hold: its name, and a diff from expected to actual or a sentence."""

    what: str
    message: str = ""
    diff: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.what}: {self.message}" if self.message else self.what
        return "\n".join((head, *self.diff))


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is named must hold; None (and an absent key) is not named.

    ``values`` are compared exactly: as JSON, numbers as they are written. ``most_bytes`` is the stored size of the
    root after the patch. ``warnings`` are searched, one for each warning in order; so is ``message``.
    """

    outcome: Outcome | None = None
    values: Mapping[Place, Value] = field(default_factory=dict)
    patch: List | None = None
    most_patch_ops: int | None = None
    most_bytes: int | None = None
    code: int | None = None
    message: re.Pattern[str] | None = None
    warnings: tuple[re.Pattern[str], ...] | None = None

    def failures(self, rehearsal: Rehearsal, roots: Roots) -> Iterator[Failure]:
        """Every expectation that does not hold. ``roots`` are what the policies work on."""
        for check in _CHECKS:
            yield from check(self, rehearsal, roots)


_Check: TypeAlias = Callable[[Expectation, Rehearsal, Roots], Iterator[Failure]]


def _outcome(expected: Expectation, actual: Rehearsal, roots: Roots) -> Iterator[Failure]:
    decision = actual.decision
    if expected.outcome is not None and expected.outcome is not decision.outcome:
        reason = f" ({decision.reason})" if decision.reason else ""
        yield Failure("outcome", f"expected {expected.outcome}, got {decision.outcome}{reason}")


def _values(expected: Expectation, actual: Rehearsal, roots: Roots) -> Iterator[Failure]:
    for place, value in expected.values.items():
        found = value_at(actual.result, place)
        if found is None or not same(value, found):
            yield _differs(".".join(place), value, found)


def _patch(expected: Expectation, actual: Rehearsal, roots: Roots) -> Iterator[Failure]:
    if expected.patch is not None and not same(expected.patch, actual.patch):
        yield _differs("patch", expected.patch, actual.patch)


def _most_patch_ops(expected: Expectation, actual: Rehearsal, roots: Roots) -> Iterator[Failure]:
    most, count = expected.most_patch_ops, len(actual.patch)
    if most is not None and count > most:
        yield Failure("maxPatchOps", f"expected at most {most}, got {count}")


def _most_bytes(expected: Expectation, actual: Rehearsal, roots: Roots) -> Iterator[Failure]:
    if expected.most_bytes is None:
        return
    values = [value_at(actual.result, (root,)) for root in roots]
    size = sum(stored_size(encode(value)) for value in values if value is not None)
    if size > expected.most_bytes:
        yield Failure(
            "bytesAfter", f"expected at most {expected.most_bytes}, got {size} ({', '.join(roots)} as stored)"
        )


def _code(expected: Expectation, actual: Rehearsal, roots: Roots) -> Iterator[Failure]:
    if expected.code is not None and expected.code != actual.code:
        yield Failure("code", f"expected {expected.code}, got {actual.code or 'no rejection'}")


def _message(expected: Expectation, actual: Rehearsal, roots: Roots) -> Iterator[Failure]:
    if expected.message is not None and not expected.message.search(actual.message):
        yield Failure("message", f"expected /{expected.message.pattern}/, got {actual.message or 'no rejection'}")


def _warnings(expected: Expectation, actual: Rehearsal, roots: Roots) -> Iterator[Failure]:
    if expected.warnings is None:
        return
    patterns = expected.warnings
    fits = len(patterns) == len(actual.warnings) and all(
        pattern.search(warning) for pattern, warning in zip(patterns, actual.warnings, strict=True)
    )
    if not fits:
        yield _differs("warnings", _texts(pattern.pattern for pattern in patterns), _texts(actual.warnings))


_CHECKS: Final[tuple[_Check, ...]] = (
    *(_outcome, _values, _patch, _most_patch_ops, _most_bytes, _code, _message, _warnings),
)


def always(actual: Rehearsal, again: Rehearsal | None) -> Iterator[Failure]:
    """What must hold for every case: no fault, a patch that applies, and a result that is not changed again.

    ``again`` is the next write of the result over itself; None when there is none.
    """
    if actual.fault is not None:
        yield Failure("fault", f"the write was not evaluated: {actual.fault.error!r}")
    for violation in actual.decision.violations:
        yield Failure(
            "invariant", f"{violation.invariant} would have been broken by {violation.policy}: {violation.detail}"
        )
    if actual.broken:
        yield Failure("patch", actual.broken)
    elif again is not None and again.patch:
        yield _differs("idempotence (the result evaluated again)", actual.result, again.result)


def _differs(what: str, expected: Value, found: Value | None) -> Failure:
    message = "it is absent" if found is None else ""
    return Failure(what, message, tuple(unified(expected, found, "expected", "actual")))


def _texts(texts: Iterable[str]) -> List:
    return [quoted(text) for text in texts]


def value_at(document: Object, place: Place) -> Value | None:
    """The value that a place leads to, or None."""
    here: Value | None = document
    for name in place:
        here = here.get(name) if isinstance(here, dict) else None
    return here
