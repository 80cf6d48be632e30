"""Policies, objects and writes from short texts, so that a test shows only what it is about.

Objects are encoded as Go would: members sorted, no blanks, HTML escaped. A case reads
``trimmed(cap, {"conditions": [...]})``: the status that the API server would store after the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import jsonpatch
import msgspec
from msgspec import Raw
from msgspec.structs import replace

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op
from admission.engine.evaluate import evaluate
from admission.engine.fieldpath import FieldPath
from admission.engine.instant import parse_duration, parse_time
from admission.engine.limits import Action, Items, Length, Limit, Size
from admission.engine.match import Globs, Match, ResourceRule
from admission.engine.pin import KeepWhere
from admission.engine.policy import Mode, Policy, PolicySet, Trim
from admission.engine.requirement import Operator, Requirement
from admission.engine.rollout import EVERYBODY
from admission.engine.sides import Of
from admission.engine.steps import (
    Budget,
    CapConditions,
    CapList,
    CapMap,
    Dedupe,
    Drop,
    Expire,
    FitSchema,
    RestoreTimes,
    Step,
    Truncate,
)
from admission.engine.steps.duplicates import Keep, Position, Scope
from admission.engine.steps.order import BY_KEY, DEFAULT_TIME_FIELDS, EntryOrder, Order, OrderKind
from admission.engine.steps.strings import DEFAULT_MARKER, KeepPart
from admission.engine.suppress import SuppressRule
from admission.engine.tolerance import Amount, AnyValue, Percent, Times, Tolerance

Json: TypeAlias = Any
Status: TypeAlias = Mapping[str, Json]

NOW_TEXT: Final = "2026-01-01T12:00:00Z"
NOW: Final = parse_time(NOW_TEXT) or 0
GROUP: Final = "batch.volcano.sh"
EVERYWHERE: Final = Globs()
RULE: Final = ResourceRule((GROUP,), ("jobs/status", "jobs"))

_HTML: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


# --- bytes -----------------------------------------------------------------------------------------------------------


def go(value: Json) -> bytes:
    """The bytes that Go's ``encoding/json`` writes for a map: members sorted, compact, HTML escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    for character, escape in _HTML.items():
        text = text.replace(character, escape)
    return text.encode()


def raw(text: str | bytes) -> Raw:
    """JSON text as an untouched value."""
    return msgspec.json.decode(text, type=Raw)


def at(minute: int) -> str:
    """A time of the day of the tests."""
    return f"2026-01-01T{minute // 60:02}:{minute % 60:02}:00Z"


# --- steps -----------------------------------------------------------------------------------------------------------


def path(text: str) -> FieldPath:
    """A parsed path."""
    return FieldPath.parse(text)


def requirement(text: str) -> Requirement:
    """A requirement from ``field Operator value value``."""
    field, operator, *values = text.split()
    return Requirement(path(field), Operator(operator), tuple(values))


def requirements(texts: Sequence[str]) -> tuple[Requirement, ...]:
    """Requirements that must all hold."""
    return tuple(map(requirement, texts))


def pin(*texts: str, newest: int | None = None) -> KeepWhere:
    """One entry of ``keepWhere``."""
    return KeepWhere(requirements(texts), newest)


def order(text: str) -> Order:
    """An order from ``NewestFirst``, ``NewestLast`` or ``field Time|Number|Natural``."""
    *by, kind = text.split()
    return Order(OrderKind(kind), path(by[0])) if by else Order(OrderKind(kind))


def cap_conditions(
    max: int,
    at: str = "status.conditions",
    *,
    keep: Sequence[str] | None = None,
    type_field: str = "type",
    times: Sequence[str] = DEFAULT_TIME_FIELDS,
) -> CapConditions:
    """A ``capConditions`` step."""
    return CapConditions(path(at), max, type_field, None if keep is None else tuple(keep), tuple(times))


def cap_list(
    max: int,
    by: str = "NewestLast",
    at: str = "status.history",
    *,
    first: int = 0,
    last: int = 0,
    pins: Sequence[KeepWhere] = (),
) -> CapList:
    """A ``capList`` step."""
    return CapList(path(at), max, order(by), first, last, tuple(pins))


def expire(
    older_than: str,
    at: str = "status.history",
    *,
    times: Sequence[str] = DEFAULT_TIME_FIELDS,
    newest: int = 1,
    pins: Sequence[KeepWhere] = (),
    ties: str = "NewestLast",
) -> Expire:
    """An ``expire`` step."""
    age = parse_duration(older_than)
    assert age is not None, older_than
    return Expire(path(at), age, tuple(times), newest, tuple(pins), order(ties))


def cap_map(max: int, by: str = "", at: str = "status.nodes", *, where: Sequence[str] = ()) -> CapMap:
    """A ``capMap`` step; ``by`` is a field and how it compares, nothing for the keys."""
    return CapMap(path(at), max, requirements(where), EntryOrder(order(by)) if by else BY_KEY)


def dedupe(
    keep: str,
    keys: Sequence[str] = (),
    at: str = "status.history",
    *,
    ignoring: Sequence[str] | None = None,
    scope: str = "All",
    position: str = "OfKept",
    times: Sequence[str] = DEFAULT_TIME_FIELDS,
) -> Dedupe:
    """A ``dedupe`` step."""
    return Dedupe(
        path(at),
        Keep(keep),
        tuple(map(path, keys)),
        None if ignoring is None else tuple(ignoring),
        Scope(scope),
        Position(position),
        tuple(times),
    )


def truncate(max_bytes: int, *at: str, keep: str = "Head", marker: str = DEFAULT_MARKER) -> Truncate:
    """A ``truncate`` step."""
    return Truncate(tuple(map(path, at or ("status.message",))), max_bytes, KeepPart(keep), marker)


def drop(*at: str) -> Drop:
    """A ``drop`` step."""
    return Drop(tuple(map(path, at)))


def restore_times(
    at: str = "status.conditions",
    *,
    keys: Sequence[str] = ("type",),
    fields: Sequence[str] = ("lastTransitionTime",),
    unless: Sequence[str] | None = None,
) -> RestoreTimes:
    """A ``restoreTimes`` step."""
    wanted = None if unless is None else tuple(unless)
    return RestoreTimes(path(at), tuple(map(path, keys)), tuple(fields), wanted)


def budget(most: int, *steps: Step | Trim, of: str = "Status") -> Budget:
    """A ``budget`` step."""
    return Budget(most, Of(of), tuple(step if isinstance(step, Trim) else Trim(step) for step in steps))


def fit_schema(*at: str) -> FitSchema:
    """A ``fitSchema`` step."""
    return FitSchema(tuple(map(path, at)))


# --- rules -----------------------------------------------------------------------------------------------------------


def suppress(*at: str, stale: str = "60s", percent: str = "", most: str = "", any_value: bool = False) -> SuppressRule:
    """A ``suppress`` rule for times; with one of the others, for numbers or for any value."""
    tolerance: Tolerance = Times()
    if percent:
        tolerance = Percent(Fraction(percent))
    elif most:
        tolerance = Amount(Fraction(most))
    elif any_value:
        tolerance = AnyValue()
    return SuppressRule(tuple(map(path, at or ("status.lastActiveTime",))), parse_duration(stale) or 0, tolerance)


# --- policies --------------------------------------------------------------------------------------------------------


def policy(
    *steps: Step | Trim,
    name: str = "volcano-job",
    mode: Mode | str = Mode.ENFORCE,
    priority: int = 0,
    when: Sequence[str] = (),
    rules: Sequence[ResourceRule] = (RULE,),
    namespaces: Globs = EVERYWHERE,
    limits: Sequence[Limit] = (),
    suppress: Sequence[SuppressRule] = (),
    rollout: int = EVERYBODY,
) -> Policy:
    """An enforced policy for ``jobs`` and ``jobs/status``."""
    trim = tuple(step if isinstance(step, Trim) else Trim(step) for step in steps)
    match = Match(tuple(rules), namespaces, requirements(when))
    return Policy(
        name, match, trim, Mode(mode), priority, limits=tuple(limits), suppress=tuple(suppress), rollout=rollout
    )


def only(when: str, step: Step) -> Trim:
    """A step that runs under one requirement."""
    return Trim(step, (requirement(when),))


def limit(most: int, what: str = "Status", action: str = "Reject", *, length: bool = False) -> Limit:
    """A limit on bytes (``Status``, ``Object``), else on the items or the ``length`` at a path."""
    if what in ("Status", "Object"):
        return Limit(Size(Of(what)), most, Action(action))
    return Limit(Length(path(what)) if length else Items(path(what)), most, Action(action))


# --- writes ----------------------------------------------------------------------------------------------------------


def custom_resource(
    status: Status | None, *, managed: Sequence[Json] | None = None, **changes: Json
) -> dict[str, Json]:
    """A Volcano Job with this status; ``changes`` replace top-level members, None takes one out."""
    metadata: dict[str, Json] = {"name": "train", "namespace": "research", "resourceVersion": "1042", "uid": "9f2d"}
    if managed is not None:
        metadata["managedFields"] = list(managed)
    members: dict[str, Json] = {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {"queue": "default"},
    }
    if status is not None:
        members["status"] = status
    return {name: value for name, value in (members | changes).items() if value is not None}


def entry(manager: str, fields: Json, operation: str = "Update", **changes: Json) -> dict[str, Json]:
    """One entry of ``managedFields``."""
    return {
        "apiVersion": f"{GROUP}/v1alpha1",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        "manager": manager,
        "operation": operation,
        "subresource": "status",
        "time": at(0),
    } | changes


def write(submitted: Json, stored: Json = None, **changes: Any) -> Attributes:
    """A status write of one object over another; bytes and text are taken as they are."""
    sample = Attributes(
        uid="705ab4f5",
        operation="CREATE" if stored is None else "UPDATE",
        group=GROUP,
        version="v1alpha1",
        resource="jobs",
        subresource="status",
        name="train",
        namespace="research",
        submitted=_raw(submitted),
        stored=None if stored is None else _raw(stored),
        compact=not isinstance(submitted, bytes | str) and not isinstance(stored, bytes | str),
    )
    return replace(sample, **changes)


def _raw(value: Json) -> Raw:
    return raw(value) if isinstance(value, bytes | str) else raw(go(value))


def judge(policies: PolicySet | Policy | Step | Iterable[Policy], attributes: Attributes, now: int = NOW) -> Decision:
    """Evaluate one policy, one step, or several policies."""
    if isinstance(policies, PolicySet):
        return evaluate(policies, attributes, now)
    if isinstance(policies, Policy):
        return evaluate(PolicySet.of((policies,)), attributes, now)
    if isinstance(policies, Iterable):
        return evaluate(PolicySet.of(policies), attributes, now)
    return evaluate(PolicySet.of((policy(policies),)), attributes, now)


def decide(policies: Policy | Step | Iterable[Policy], status: Status, stored: Status | None = None) -> Decision:
    """Evaluate a status write, over a stored status when there is one."""
    before = None if stored is None else custom_resource(stored)
    return judge(policies, write(custom_resource(status), before))


# --- results ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number by its text, so that ``1`` and ``1.0`` differ and nothing is rounded."""

    text: str


def exact(data: bytes | Raw | str) -> Json:
    """Decoded JSON in which numbers keep their text."""
    text = data if isinstance(data, str) else bytes(data).decode()
    return json.loads(text, parse_int=Number, parse_float=Number)


def patch_of(operations: Iterable[Op]) -> list[dict[str, Json]]:
    """Operations as a JSON Patch whose numbers keep their text."""
    return [
        {"op": op.op, "path": op.path} | ({} if op.value is None else {"value": exact(op.value)}) for op in operations
    ]


def patched(attributes: Attributes, decision: Decision) -> Json:
    """The object that the API server makes of the answer (numbers keep their text)."""
    return jsonpatch.apply_patch(exact(attributes.submitted), patch_of(decision.patch), in_place=True)


def plain(value: Json) -> Json:
    """The same with ordinary numbers."""
    match value:
        case dict():
            return {name: plain(inner) for name, inner in value.items()}
        case list():
            return [plain(inner) for inner in value]
        case Number(text):
            return json.loads(text)
        case _:
            return value


def after(policies: Policy | Step | Iterable[Policy], submitted: Json, stored: Json = None, now: int = NOW) -> Json:
    """The object after a status write."""
    attributes = write(submitted, stored)
    decision = judge(policies, attributes, now)
    assert not decision.violations, decision.violations
    return plain(patched(attributes, decision))


def trimmed(policies: Policy | Step | Iterable[Policy], status: Status, now: int = NOW) -> Json:
    """The status after a status write."""
    return after(policies, custom_resource(status), now=now)["status"]


def kept(policies: Policy | Step | Iterable[Policy], items: Sequence[Json], at: str = "history") -> list[Json]:
    """What is left of the list at ``status.AT``."""
    return trimmed(policies, {at: list(items)})[at]  # type: ignore[no-any-return]
