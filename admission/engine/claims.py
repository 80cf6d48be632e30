"""Claims: leaves of ``fieldsV1``, as a tree of their own, and how a manager gets and loses them.

A tree of claims is a ``fieldsV1`` that has nothing but leaves: what managers are to have, or to have no longer.
"""

from __future__ import annotations

from collections.abc import Sequence

from admission.engine.elements import SELF, Fields, Names


def add_claim(claims: Fields, names: Sequence[str]) -> None:
    """Put the leaf at the end of these names into a tree of claims."""
    for name in names:
        claims = claims.setdefault(name, {})


def owned_of(claims: Fields, fields: Fields) -> Fields:
    """Those of some claims that a manager has who owns ``fields``, in the words of ``fields``."""
    found: Fields = {}
    names = Names(fields)
    for name, claim in claims.items():
        here = names.spelling(name)
        child = None if here is None else fields[here]
        if here is None or type(child) is not dict or bool(claim) is not bool(child):
            continue
        inside = owned_of(claim, child)
        if inside or not claim:
            found[here] = inside
    return found


def with_claims(left: Fields | None, claims: Fields, whole: Fields) -> Fields:
    """What a manager owns with some claims of ``whole`` beside what was ``left`` to it, in the order of ``whole``.

    A node of which only itself was left is written as a leaf; ``whole`` tells that it is none.
    """
    base: Fields = {} if left is None else left or {SELF: {}}
    names = Names(base)
    found: Fields = {}
    for name, child in whole.items():
        here, claim = names.spelling(name), claims.get(name)
        mine = None if here is None else base[here]
        if claim is not None:
            found[here or name] = with_claims(mine, claim, child) if claim else {}
        elif here is not None:
            found[here] = mine
    return found | {name: child for name, child in base.items() if name not in found}


def without_claims(node: Fields, claims: Fields, had: Fields) -> Fields | None:
    """What a manager owns without some claims, but for those that it ``had`` before: None when that is nothing.

    It is ``node`` itself when the manager has none of them.
    """
    claimed, before = Names(claims), Names(had)
    found: Fields = {}
    for name, child in node.items():
        claim = claimed.child(name)
        if claim is None or type(child) is not dict:
            found[name] = child
            continue
        left = _without(child, claim, before.child(name))
        if left is not None:
            found[name] = left
    if len(found) == len(node) and all(found[name] is node[name] for name in found):
        return node
    if not found:
        return None
    return {} if found.keys() == {SELF} else found


def _without(child: Fields, claim: Fields, old: Fields | None) -> Fields | None:
    if claim and child:
        return without_claims(child, claim, old if type(old) is dict else {})
    return child if claim or child or old == {} else None
