"""The invariants once more, slowly, in plain Python over decoded JSON: nothing of the engine's own checks is used.

The only things it takes from the engine are a decision and the fields of policies. It answers with a list of what is
wrong; an empty list is what every test wants.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import jsonpatch

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Outcome
from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member, Segment
from admission.engine.policy import Mode, Policy
from admission.engine.steps import CapConditions, CapList, Dedupe, Drop, RestoreTimes, Truncate
from admission.engine.steps.lists import Position
from tests.engine.build import Json, Number, exact, patch_of

Trail: TypeAlias = tuple[str | int, ...]

PROTECTED = ("type", "status", "reason", "observedGeneration")


# --- bytes as Go writes them -----------------------------------------------------------------------------------------

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", '"': '\\"', "\\": "\\\\"}


def as_go_writes(value: Json) -> str:
    """JSON text of an exact value, character by character."""
    match value:
        case str():
            return '"' + "".join(map(_character, value)) + '"'
        case list():
            return "[" + ",".join(map(as_go_writes, value)) + "]"
        case dict():
            return "{" + ",".join(f"{as_go_writes(name)}:{as_go_writes(inner)}" for name, inner in value.items()) + "}"
        case Number(text):
            return text
        case _:
            return json.dumps(value)


def _character(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    return f"\\u{ord(character):04x}" if character < " " or character in "<>&\u2028\u2029" else character


def size(value: Json) -> int:
    """Bytes in etcd."""
    return len(as_go_writes(value).encode())


# --- cutting ---------------------------------------------------------------------------------------------------------


def cut_by_the_book(text: str, max_bytes: int, keep: str, marker: str) -> str:
    """The rule said slowly: the largest room R with which what is kept and the marker fit."""
    whole = text.encode()
    if len(whole) <= max_bytes:
        return text
    for room in range(len(whole), -1, -1):
        half = {"Head": room, "Tail": 0, "HeadAndTail": -(-room // 2)}[keep]
        head = whole[:half].decode(errors="ignore")
        rest = room - len(head.encode()) if keep != "Head" else 0
        tail = whole[len(whole) - rest :].decode(errors="ignore") if rest else ""
        gone = len(whole) - len(head.encode()) - len(tail.encode())
        result = head + marker.replace("{bytes}", str(gone)) + tail
        if gone > 0 and len(result.encode()) <= max_bytes:
            return result
    raise AssertionError("the marker does not fit")


# --- what policies may -----------------------------------------------------------------------------------------------


def along(path: FieldPath, trail: Trail) -> bool:
    """True when a path may lead along a trail."""
    if len(path.segments) != len(trail):
        return False
    return all(_fits(segment, key) for segment, key in zip(path.segments, trail, strict=True))


def _fits(segment: Segment, key: str | int) -> bool:
    match segment:
        case Member(name):
            return key == name
        case EveryEntry():
            return isinstance(key, str)
        case Items() | Index():
            return isinstance(key, int)


def named_conditions(trail: Trail) -> bool:
    """True for a list whose key, or whose map's key, ends in ``conditions``."""
    ends = [isinstance(key, str) and key.lower().endswith("conditions") for key in trail]
    return bool(trail) and (ends[-1] or (len(trail) > 1 and isinstance(trail[-1], str) and ends[-2]))


@dataclass(frozen=True, slots=True)
class Rights:
    """What enforced policies may do, and what managers forbid."""

    policies: Sequence[Policy]
    entries: Sequence[Json]
    submitted: Json
    stored: Json = None

    def calls_conditions(self, policy: Policy, trail: Trail) -> bool:
        steps = [entry.step for entry in policy.trim]
        declared = any(isinstance(step, CapConditions | RestoreTimes) and along(step.path, trail) for step in steps)
        return named_conditions(trail) or declared

    def shrinkers(self, trail: Trail) -> Iterator[tuple[Policy, CapConditions | CapList | Dedupe]]:
        for policy in self.policies:
            for entry in policy.trim:
                step = entry.step
                if isinstance(step, CapConditions | CapList | Dedupe) and along(step.path, trail):
                    yield policy, step

    def may_lose(self, trail: Trail, type_: str) -> bool:
        """True when all conditions of a type may leave a list."""
        for policy, step in self.shrinkers(trail):
            if not self.calls_conditions(policy, trail):
                return True
            keeps = step.keep_types if isinstance(step, CapConditions) and step.type_field == "type" else None
            if keeps is not None and type_ not in keeps:
                return True
        return False

    def reorders(self, trail: Trail) -> bool:
        return any(isinstance(step, Dedupe) and step.position is Position.FIRST for _, step in self.shrinkers(trail))

    def protects(self, policy: Policy, trail: Trail) -> bool:
        in_condition = len(trail) > 1 and isinstance(trail[-2], int) and self.calls_conditions(policy, trail[:-2])
        return in_condition and trail[-1] in PROTECTED

    def may_drop(self, trail: Trail, value: Json) -> bool:
        """True when some policy drops a member, and no manager forbids it."""
        for policy in self.policies:
            if self.protects(policy, trail) or (isinstance(value, list) and self.calls_conditions(policy, trail)):
                continue
            steps = [entry.step for entry in policy.trim]
            if any(isinstance(s, Drop) and any(along(path, trail) for path in s.paths) for s in steps):
                return not self.shared(trail)
        return False

    def may_put_back(self, before: Json, after: Json, trail: Trail, name: str) -> bool:
        """True when a member of an item became the text that is stored in an item with the same keys."""
        if not isinstance(after[name], str) or not isinstance(before[name], str) or self.shared((*trail, name)):
            return False
        for policy in self.policies:
            steps = [entry.step for entry in policy.trim if isinstance(entry.step, RestoreTimes)]
            for step in [] if self.protects(policy, (*trail, name)) else steps:
                if name in step.fields and along(step.path, trail[:-1]) and trail and isinstance(trail[-1], int):
                    lists = [found for found in values_at(self.stored, step.path.segments) if isinstance(found, list)]
                    for item in (before, after):
                        if any(after[name] in stored_texts(found, item, step, name) for found in lists):
                            return True
        return False

    def cuts(self, trail: Trail) -> list[Truncate]:
        found = []
        for policy in self.policies:
            if self.protects(policy, trail):
                continue
            steps = [entry.step for entry in policy.trim]
            found += [s for s in steps if isinstance(s, Truncate) and any(along(path, trail) for path in s.paths)]
        return found

    def shared(self, trail: Trail) -> bool:
        """True when an applier and somebody else own the value at a trail (in the submitted object) as one leaf."""
        owners = [one for one in self.entries if owns_leaf(one.get("fieldsV1"), self.submitted, trail)]
        return len(owners) > 1 and any(one.get("operation") == "Apply" for one in owners)


def values_at(value: Json, segments: Sequence[Segment]) -> Iterator[Json]:
    """Everything that a path leads to."""
    if not segments:
        yield value
        return
    keys: list[str | int] = []
    match segments[0], value:
        case Member(name), dict() if name in value:
            keys = [name]
        case EveryEntry(), dict():
            keys = list(value)
        case (Items(), list()) | (Index(), list()):
            keys = list(segments[0].positions(len(value)))  # type: ignore[union-attr]
    for key in keys:
        yield from values_at(value[key], segments[1:])


def stored_texts(items: list[Json], item: Json, step: RestoreTimes, name: str) -> list[Json]:
    """The texts at ``name`` of the one stored item that has the keys of an item."""

    def keys_of(one: Json) -> list[Json]:
        return [next(values_at(one, key.segments), None) for key in step.keys]

    wanted = keys_of(item)
    found = [one for one in items if isinstance(one, dict) and None not in wanted and keys_of(one) == wanted]
    return [found[0].get(name)] if len(found) == 1 else []


def owns_leaf(node: Json, value: Json, trail: Trail) -> bool:
    for key in trail:
        child = child_of(node, value, key)
        if child == {}:
            return True
        if not isinstance(child, dict):
            return False
        node, value = child, value[key]
    return False


def child_of(node: Json, value: Json, key: str | int) -> Json:
    if not isinstance(node, dict):
        return None
    if isinstance(key, str):
        return node.get(f"f:{key}")
    return next((child for name, child in node.items() if names_item(name, value[key], key)), None)


def names_item(name: str, item: Json, position: int) -> bool:
    kind, body = name[:2], name[2:]
    if kind == "i:":
        return body == str(position)
    try:
        wanted = exact(body)
    except ValueError:
        return False
    if kind == "v:":
        return bool(wanted == item)
    return kind == "k:" and isinstance(item, dict) and all(n in item and item[n] == v for n, v in wanted.items())


# --- is it a trim ----------------------------------------------------------------------------------------------------


def is_trim(before: Json, after: Json, trail: Trail, rights: Rights) -> bool:
    """True when ``after`` can be what licensed steps leave of ``before``, which is at ``trail`` of what was sent."""
    if isinstance(before, dict) and isinstance(after, dict):
        gone = [name for name in before if name not in after]
        return (
            [name for name in before if name in after] == list(after)
            and all(rights.may_drop((*trail, name), before[name]) for name in gone)
            and all(
                is_trim(before[name], after[name], (*trail, name), rights)
                or rights.may_put_back(before, after, trail, name)
                for name in after
            )
        )
    if isinstance(before, list) and isinstance(after, list):
        return _is_shorter_list(before, after, trail, rights)
    if type(before) is not type(after):
        return False
    if before == after:
        return True
    return isinstance(before, str) and after in _cuts_of(before, trail, rights)


def _cuts_of(text: str, trail: Trail, rights: Rights) -> set[str]:
    if rights.shared(trail):
        return set()
    found, new = {text}, {text}
    while new:
        new = {
            cut_by_the_book(one, step.max_bytes, step.keep.value, step.marker)
            for one in new
            for step in rights.cuts(trail)
        } - found
        found |= new
    return found


def _is_shorter_list(before: list[Json], after: list[Json], trail: Trail, rights: Rights) -> bool:
    fits = [[is_trim(old, new, (*trail, n), rights) for n, old in enumerate(before)] for new in after]
    if len(before) == len(after) and all(fits[n][n] for n in range(len(after))):
        return True
    if len(after) >= len(before) or not any(rights.shrinkers(trail)) or rights.shared(trail):
        return False
    lost = set() if rights.may_drop((*trail, 0, "type"), "") else _types(before) - _types(after)
    if not all(rights.may_lose(trail, name) for name in lost):
        return False
    return _permuted(fits, len(before)) if rights.reorders(trail) else _in_order(fits, len(before))


def _types(items: Sequence[Json]) -> set[str]:
    return {item["type"] for item in items if isinstance(item, dict) and isinstance(item.get("type"), str)}


def _in_order(fits: Sequence[Sequence[bool]], count: int) -> bool:
    at = 0
    for row in fits:
        at = next((n for n in range(at, count) if row[n]), count) + 1
        if at > count:
            return False
    return True


def _permuted(fits: Sequence[Sequence[bool]], count: int) -> bool:
    """A matching of every item that stayed with an item that was sent (augmenting paths)."""
    taken: dict[int, int] = {}

    def place(new: int, seen: set[int]) -> bool:
        for old in range(count):
            if fits[new][old] and old not in seen:
                seen.add(old)
                if old not in taken or place(taken[old], seen):
                    taken[old] = new
                    return True
        return False

    return all(place(new, set()) for new in range(len(fits)))


# --- managedFields ---------------------------------------------------------------------------------------------------


class AmbiguousError(Exception):
    """Several items have the name of one element, and one of them changed: nobody can say whose it is."""


def pruned(node: Json, before: Json, after: Json) -> Json:
    """A ``fieldsV1`` node without what was in ``before`` and is not in ``after``; None when nothing is left of it."""
    if not isinstance(node, dict) or not node or before == after:
        return node
    if isinstance(after, dict) and isinstance(before, dict):
        children = {name: _pruned_member(name, child, before, after) for name, child in node.items()}
    elif isinstance(after, list) and isinstance(before, list):
        children = {name: _pruned_item(name, child, before, after) for name, child in node.items()}
    else:
        return node
    left = {name: child for name, child in children.items() if child is not None}
    if left == node:
        return node
    return None if not left else {} if left.keys() == {"."} else left


def _pruned_member(name: str, child: Json, before: Json, after: Json) -> Json:
    member = name[2:]
    if not name.startswith("f:") or member not in before:
        return child
    return pruned(child, before[member], after[member]) if member in after else None


def _pruned_item(name: str, child: Json, before: list[Json], after: list[Json]) -> Json:
    if name.startswith("i:"):
        return child if len(before) == len(after) or (name[2:].isdigit() and int(name[2:]) < len(after)) else None
    old = [item for n, item in enumerate(before) if names_item(name, item, n)]
    new = [item for n, item in enumerate(after) if names_item(name, item, n)]
    if not new:
        return None if old else child
    if not old or new[0] in old:
        return child
    if len(old) > 1:
        raise AmbiguousError(name)
    return pruned(child, old[0], new[0])


# --- the whole answer ------------------------------------------------------------------------------------------------


def problems(policies: Sequence[Policy], attributes: Attributes, decision: Decision) -> list[str]:
    """Everything that is wrong with an answer."""
    found = list(_of_the_patch(decision))
    submitted = exact(attributes.submitted)
    try:
        result = jsonpatch.apply_patch(submitted, patch_of(decision.patch))
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
        return [*found, f"I2: the patch does not apply: {error}"]
    found += _of_the_result(policies, attributes, decision, submitted, result)
    found += _of_managed_fields(attributes, decision, submitted, result)
    return found


def _of_the_patch(decision: Decision) -> Iterator[str]:
    for op in decision.patch:
        if not op.path.startswith(("/status/", "/metadata/managedFields")):
            yield f"I1: {op.path}"
        if op.op not in ("add", "replace", "remove") or (op.value is None) != (op.op == "remove"):
            yield f"I2: {op}"
    if decision.patch and decision.outcome not in (Outcome.TRIMMED, Outcome.SUPPRESSED):
        yield f"a patch with the outcome {decision.outcome}"
    if not decision.patch and decision.outcome in (Outcome.TRIMMED, Outcome.SUPPRESSED):
        yield f"{decision.outcome} without a patch"


def _of_the_result(
    policies: Sequence[Policy], attributes: Attributes, decision: Decision, submitted: Json, result: Json
) -> Iterator[str]:
    enforced = [policy for policy in policies if policy.mode is Mode.ENFORCE]
    entries = submitted.get("metadata", {}).get("managedFields") or []
    readable = all(isinstance(one, dict) and isinstance(one.get("fieldsV1", {}), dict | None) for one in entries)
    rights = Rights(enforced, entries if readable else [], submitted, exact(attributes.stored or b"null"))
    before, after = submitted.get("status"), result.get("status")
    if not is_trim(before, after, ("status",), rights):
        yield "I6/I7/I11: the result is no licensed trim of what was sent"
    if size(after) > size(before) and not any(isinstance(e.step, RestoreTimes) for p in enforced for e in p.trim):
        yield f"I5: {size(before)} bytes became {size(after)}"
    if decision.bytes_before != size(before):
        yield f"bytes before: {decision.bytes_before}, measured {size(before)}"
    if decision.outcome in (Outcome.TRIMMED, Outcome.SUPPRESSED, Outcome.UNCHANGED) and decision.bytes_after != size(
        after
    ):
        yield f"bytes after: {decision.bytes_after}, measured {size(after)}"
    if _outside(submitted) != _outside(result):
        yield "I1: something outside the status changed"
    if decision.outcome is Outcome.SUPPRESSED:
        stored = exact(attributes.stored or b"{}")
        if after != stored.get("status"):
            yield "suppressed, but the status is not the stored one"
        if result["metadata"].get("managedFields") != stored["metadata"].get("managedFields"):
            yield "suppressed, but managedFields are not the stored ones"


def _outside(whole: Json) -> Json:
    """An object without its status and managedFields."""
    metadata = {name: value for name, value in whole.get("metadata", {}).items() if name != "managedFields"}
    return {name: value for name, value in whole.items() if name != "status"} | {"metadata": metadata}


def _of_managed_fields(attributes: Attributes, decision: Decision, submitted: Json, result: Json) -> Iterator[str]:
    if decision.outcome is Outcome.SUPPRESSED:
        return
    sent = submitted["metadata"].get("managedFields")
    got = result["metadata"].get("managedFields")
    if not sent:
        if sent != got:
            yield "managedFields were made up"
        return
    for one, left in zip(sent, got, strict=True):
        if {**one, "fieldsV1": None} != {**left, "fieldsV1": None}:
            yield "more than fieldsV1 changed in managedFields"
        try:
            wanted = pruned(one.get("fieldsV1"), submitted, result | {"metadata": submitted["metadata"]})
        except AmbiguousError:
            continue
        if (wanted or {}) != (left.get("fieldsV1") or {}):
            yield f"managedFields: {left.get('fieldsV1')} where {wanted} is right"
