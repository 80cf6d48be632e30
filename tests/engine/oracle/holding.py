"""Whether a write has to be held back, said slowly: in plain Python over decoded JSON.

What trimming leaves is the engine's own (the oracle judges it elsewhere), and so is the reading of times. Which leaves
differ, which of them are covered, how old they are and whether anybody would lose a claim is found anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from msgspec.structs import replace as bent

from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.instant import parse_time
from admission.engine.policy import Mode, Policy
from admission.engine.suppress import SuppressRule
from admission.engine.tolerance import Amount, AnyValue, Percent, Times
from tests.engine.build import NOW, Json, Number, exact, judge, patched, raw
from tests.engine.oracle.gotext import as_go_writes
from tests.engine.oracle.managers import AmbiguousError, owns_leaf, pruned
from tests.engine.oracle.matching import looking, roots_of
from tests.engine.oracle.paths import Trail, places_at
from tests.engine.oracle.requirements import all_hold
from tests.engine.pair import Pair

_SKEW = 300 * 10**9
_REWRITTEN = ("resourceVersion", "generation", "managedFields")
_WHO = ("manager", "operation", "apiVersion", "subresource")


# --- leaves ----------------------------------------------------------------------------------------------------------


def differing(stored: Json, sent: Json, trail: Trail) -> Iterator[Trail | None]:
    """The places of the leaves that differ; None for a difference in shape."""
    if isinstance(stored, dict) and isinstance(sent, dict) and stored.keys() == sent.keys():
        for name in stored:
            yield from differing(stored[name], sent[name], (*trail, name))
    elif isinstance(stored, list) and isinstance(sent, list) and len(stored) == len(sent):
        for at, (old, new) in enumerate(zip(stored, sent, strict=True)):
            yield from differing(old, new, (*trail, at))
    elif isinstance(stored, dict | list) or isinstance(sent, dict | list):
        yield None
    elif type(stored) is not type(sent) or stored != sent:
        yield trail


def covers(rule: SuppressRule, stored: Json, sent: Json) -> bool:
    """True when a rule takes one scalar for nothing new beside another one."""
    match rule.tolerance:
        case Times():
            return _time(stored) is not None and _time(sent) is not None
        case AnyValue():
            return stored is not None and type(stored) is type(sent)
        case Percent(share):
            return _is_near(stored, sent, lambda old: abs(old) * share / 100)
        case Amount(most):
            return _is_near(stored, sent, lambda _: most)
        case other:
            raise AssertionError(other)


def _is_near(stored: Json, sent: Json, distance: Json) -> bool:
    if type(stored) is not type(sent):
        return False
    old, new = _fraction(stored), _fraction(sent)
    return old is not None and new is not None and abs(new - old) <= distance(old)


def _fraction(value: Json) -> Fraction | None:
    text = value.text if isinstance(value, Number) else value
    if not isinstance(text, str) or not text[:1] + text[-1:] <= "9" * 2 or set(text) - set("0123456789+-.eE"):
        return None
    try:
        return None if text[:1] in "+." or text[-1:] == "." else Fraction(Decimal(text))
    except InvalidOperation:
        return None


def _time(value: Json) -> int | None:
    return parse_time(value) if isinstance(value, str) else None


def age_of(stored: Json, trail: Trail) -> int | None:
    """How long a stored leaf has been stored, in nanoseconds; None when nobody knows."""
    value: Json = stored
    for key in trail:
        value = value[key]
    told = _time(value)
    if told is not None and told <= NOW:
        return NOW - told
    entries = managers_of(stored) or []
    owning = [_time(one.get("time", "")) for one in entries if owns_leaf(one.get("fieldsV1"), stored, trail)]
    known = [time for time in owning if time is not None and time <= NOW + _SKEW]
    if known:
        return NOW - max(known)
    return NOW - told if told is not None and told <= NOW + _SKEW else None


# --- managers --------------------------------------------------------------------------------------------------------


def managers_of(whole: Json) -> list[Json] | None:
    """The entries of ``managedFields``; None when they cannot be read."""
    metadata = whole.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    if entries is None:
        return []
    readable = isinstance(entries, list) and all(
        isinstance(one, dict) and all(isinstance(one.get(name, ""), str) for name in (*_WHO, "time")) for one in entries
    )
    return entries if readable else None


def nobody_loses(sent: Json, left: Json, stored: Json, writer: str | None) -> bool:
    """True when no claim is lost by putting the stored managers back.

    Raises:
        AmbiguousError: nobody can say what is left of a claim.
    """
    now, before = managers_of(sent), managers_of(stored)
    if now is None or before is None or _has_managers(sent) is not _has_managers(stored):
        return False
    after = left | {"metadata": sent["metadata"]}
    claims = {_who(one): pruned_fields(one, sent, after) for one in now if one.get("operation") == "Apply"}
    held = {_who(one): _fields(one) for one in before if one.get("operation") == "Apply"}
    changed = [who for who in {**claims, **held} if claims.get(who) != held.get(who)]
    if not changed:
        return {_who(one) for one in now} <= {_who(one) for one in before}
    return writer is not None and all(
        who[0] != writer and who in held and (claims.get(who) is None or _ways(claims[who]) <= _ways(held[who]))
        for who in changed
    )


def _has_managers(whole: Json) -> bool:
    return (whole.get("metadata") or {}).get("managedFields") is not None


def pruned_fields(one: Json, sent: Json, after: Json) -> Json:
    """What trimming leaves of the claims of one entry."""
    fields = _fields(one)
    return None if fields is None else pruned(fields, sent, after) or {}


def _fields(one: Json) -> Json:
    fields = one.get("fieldsV1", {})
    return fields if isinstance(fields, dict) else None


def _who(one: Json) -> tuple[str, ...]:
    return tuple(one.get(name, "") for name in _WHO)


def _ways(node: Json, way: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """All nodes of a ``fieldsV1`` by their names; a leaf is told from a node that holds something."""
    if not isinstance(node, dict) or not node:
        return {(*way, "a leaf")}
    return {way}.union(*(_ways(child, (*way, name)) for name, child in node.items()))


# --- the write -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Waiting:
    """One write under policies that are at work on it; ``before`` are those that were at work earlier."""

    pair: Pair
    working: Sequence[Policy]
    before: Sequence[Policy] = ()

    def is_due(self) -> bool | None:
        """True when it has to be held back; None when that is not for staleness to say.

        Raises:
            AmbiguousError: nobody can say whose something is.
        """
        attributes, roots = self.pair.attributes, roots_of(looking(self.pair))
        free = self._judged(self.working, self.pair)
        if free.violations or free.outcome not in (Outcome.UNCHANGED, Outcome.TRIMMED):
            return None
        if attributes.stored is None:
            return False
        sent, stored = exact(attributes.submitted), exact(attributes.stored)
        left = patched(attributes, free) | {"metadata": sent["metadata"]}
        ready = [one for one in self.working if all_hold(one.match.when, left, stored, roots)]
        policies = [*self.before, *ready]
        return (
            self._is_covered([rule for one in policies for rule in one.suppress], left, stored, roots)
            and self._is_trimmed(policies)
            and nobody_loses(sent, left, stored, attributes.field_manager)
            and (attributes.on_status or _rest(left, roots) == _rest(stored, roots))
        )

    def _is_covered(self, rules: Sequence[SuppressRule], left: Json, stored: Json, roots: Sequence[str]) -> bool:
        known, sent = ({name: whole[name] for name in roots if name in whole} for whole in (stored, left))
        places = list(differing(known, sent, ()))
        return bool(places) and all(
            place is not None and any(_covers_at(rule, place, stored, left) for rule in rules) for place in places
        )

    def _is_trimmed(self, policies: Sequence[Policy]) -> bool:
        """True when trimming what is stored would change nothing."""
        stored = self.pair.attributes.stored
        assert stored is not None
        decision = self._judged(policies, self.pair.sending(bent(self.pair.attributes, submitted=stored)))
        return not decision.patch and not decision.violations

    def _judged(self, policies: Sequence[Policy], pair: Pair) -> Decision:
        trimming = [replace(one, mode=Mode.ENFORCE, limits=(), suppress=()) for one in policies]
        idle = [replace(one, mode=Mode.DRY_RUN, trim=(), limits=(), suppress=()) for one in self.pair.policies]
        named = {one.name for one in trimming}
        return judge(
            pair.under([*trimming, *(one for one in idle if one.name not in named)]).policy_set, pair.attributes
        )


def _covers_at(rule: SuppressRule, place: Trail, stored: Json, sent: Json) -> bool:
    if not any(place in set(places_at(stored, field.segments)) for field in rule.fields):
        return False
    old, new = stored, sent
    for key in place:
        old, new = old[key], new[key]
    age = age_of(stored, place)
    return covers(rule, old, new) and age is not None and age <= rule.max_staleness


def _rest(whole: Json, roots: Sequence[str]) -> Json:
    """All that a write of the main resource may say beside the roots."""
    metadata = whole.get("metadata", {})
    if isinstance(metadata, dict):
        metadata = {name: value for name, value in metadata.items() if name not in _REWRITTEN}
    return {name: value for name, value in whole.items() if name not in (*roots, "metadata")} | {"metadata": metadata}


def misheld(pair: Pair, decision: Decision) -> Iterator[str]:
    """Everything that is wrong with what a decision makes of heartbeats."""
    policies = looking(pair)
    if decision.violations or not any(policy.suppress for policy in policies):
        return
    enforced = [policy for policy in policies if policy.mode is Mode.ENFORCE]
    try:
        yield from _of_the_write(pair, decision, enforced)
        if decision.outcome is not Outcome.REJECTED:
            yield from _of_those_who_observe(pair, decision, enforced)
    except AmbiguousError:
        return


def _of_the_write(pair: Pair, decision: Decision, enforced: Sequence[Policy]) -> Iterator[str]:
    is_held = decision.outcome is Outcome.SUPPRESSED and decision.reason is Reason.WITHIN_STALENESS
    due = Waiting(pair, enforced).is_due()
    if due is not None and due is not is_held:
        yield f"suppress: a write that {'has' if due else 'is not'} to be held back is {decision.outcome}"
    if is_held and due is not None:
        yield from _of_what_is_stored(pair, decision)


def _of_what_is_stored(pair: Pair, decision: Decision) -> Iterator[str]:
    """A write that is held back is what is stored, byte for byte, with its managers."""
    result, stored = patched(pair.attributes, decision), exact(pair.attributes.stored or b"{}")
    for root in roots_of(looking(pair)):
        if not _are_alike(result.get(root), stored.get(root), pair):
            yield f"suppress: /{root} is held back, and not what is stored"
    result, stored = (whole["metadata"].get("managedFields") for whole in (result, stored))
    if not _are_alike(result, stored, pair):
        yield "suppress: held back, and the managers are not those that are stored"


def _are_alike(result: Json, stored: Json, pair: Pair) -> bool:
    """True when two values are the same bytes; when they did not come in Go's form, when they say the same."""
    return as_go_writes(result) == as_go_writes(stored) if pair.attributes.compact else bool(result == stored)


def _of_those_who_observe(pair: Pair, decision: Decision, enforced: Sequence[Policy]) -> Iterator[str]:
    attributes = pair.attributes
    stored = exact(attributes.stored or b"null")
    left = patched(attributes, decision)
    roots = roots_of(looking(pair))
    ready = [one for one in enforced if all_hold(one.match.when, left, stored, roots)]
    passes = pair.sending(bent(attributes, submitted=raw(as_go_writes(left).encode()), compact=False))
    outcomes = {report.name: report.outcome for report in decision.policies}
    for policy in looking(pair):
        if policy.mode in (Mode.WARN, Mode.DRY_RUN) and policy.suppress:
            due = Waiting(passes, [policy], ready).is_due()
            if due is not None and due is not (outcomes[policy.name] is Outcome.WOULD_SUPPRESS):
                yield f"suppress: {policy.name} observes and is {outcomes[policy.name]}, which is wrong"
