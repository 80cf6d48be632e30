"""Is a value what licensed steps may leave of another one?"""

from __future__ import annotations

from collections.abc import Sequence

from admission.engine.steps import Truncate
from tests.engine.build import Json
from tests.engine.oracle.cutting import cut_by_the_book
from tests.engine.oracle.paths import Trail
from tests.engine.oracle.rights import Rights


def is_trim(before: Json, after: Json, trail: Trail, rights: Rights) -> bool:
    """True when ``after`` can be what licensed steps leave of ``before``, which is at ``trail`` of what was sent."""
    if isinstance(before, dict) and isinstance(after, dict):
        gone = [name for name in before if name not in after]
        return (
            [name for name in before if name in after] == list(after)
            and all(_may_go(before[name], (*trail, name), rights) for name in gone)
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


def _may_go(member: Json, trail: Trail, rights: Rights) -> bool:
    return rights.may_drop(trail, member) or rights.may_evict(trail, member)


def _cuts_of(text: str, trail: Trail, rights: Rights) -> set[str]:
    shortest = rights.shortest(trail)
    if shortest is None or rights.shared(trail):
        return set()
    found, new = {text}, {text}
    while new:
        made = {_cut(one, step, shortest) for one in new for step in rights.cuts(trail)}
        most = rights.most(trail, "maxLength")
        made |= set() if most is None or most < shortest else {one[:most] for one in new}
        new = made - found
        found |= new
    return found


def _cut(text: str, step: Truncate, shortest: int) -> str:
    """The shortest cut that has as many code points as the schema demands; the text itself when there is none."""
    for most in range(step.max_bytes, len(text.encode())):
        short = cut_by_the_book(text, most, step.keep.value, step.marker)
        if len(short) >= shortest:
            return short
    return text


def _is_shorter_list(before: list[Json], after: list[Json], trail: Trail, rights: Rights) -> bool:
    fits = [[is_trim(old, new, (*trail, n), rights) for n, old in enumerate(before)] for new in after]
    if len(before) == len(after) and all(fits[n][n] for n in range(len(after))):
        return True
    if len(after) >= len(before) or rights.shared(trail):
        return False
    most = rights.most(trail, "maxItems")
    if not any(rights.shrinkers(trail)) and (most is None or len(after) < most):
        return False
    lost = set() if _may_go("", (*trail, 0, "type"), rights) else _types(before) - _types(after)
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
