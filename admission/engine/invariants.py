"""The invariants that are re-checked after every evaluation that changed something.

The check replays the patch on copies of the containers as they were sent, which no step ever gets hold of, so that a
fault in the working copy cannot hide itself. What it compares is what the API server would make of the patch.
"""

from __future__ import annotations

from collections.abc import Sequence

from admission.engine.comparison import Broken, Comparison
from admission.engine.custody import custody_fault
from admission.engine.decision import Op
from admission.engine.document import Document
from admission.engine.licence import Licence
from admission.engine.ownership import MANAGED_FIELDS, managed_fields
from admission.engine.pinned import Pinned
from admission.engine.places import pointer
from admission.engine.replay import DoesNotApplyError, replay
from admission.engine.restored import Restored
from admission.engine.values import Object, Value, encode, same


def broken(document: Document, operations: Sequence[Op], licences: Sequence[Licence], now: int) -> Broken | None:
    """The first invariant that the patch would break, or None. ``licences``: one for every policy at work.

    ``now`` is nanoseconds since the epoch.

    Raises:
        DocumentError: the submitted bytes cannot be read.
    """
    outside = _outside(operations, document.roots)
    if outside is not None:
        return Broken("I1", f"{outside.op} {outside.path} is outside /{', /'.join(document.roots)}")
    sent = document.sent
    try:
        shadow = replay(document.submitted, operations, sent)
    except DoesNotApplyError as error:
        return Broken("I2", str(error))
    submitted = sent.opened(document.submitted)
    assert isinstance(submitted, dict), "it was replayed"  # noqa: S101
    restored = Restored(document, licences)
    comparison = Comparison(document, tuple(licences), restored, Pinned(licences, now))
    roots = (_root_fault(root, document, submitted, shadow, comparison) for root in document.roots)
    found = next((fault for fault in roots if fault is not None), None)
    if found is not None or not operations or not operations[-1].path.startswith(MANAGED_FIELDS):
        return found  # what is done to the managers comes last
    wrong = custody_fault(document, shadow)
    return None if wrong is None else Broken("I11", f"managedFields: {wrong}")


def not_stored(document: Document, operations: Sequence[Op]) -> Broken | None:
    """The first invariant that a patch would break which is to make the object what is stored, or None.

    Raises:
        DocumentError: the submitted bytes cannot be read.
    """
    outside = _outside(operations, document.roots)
    if outside is not None:
        return Broken("I1", f"{outside.op} {outside.path} is outside /{', /'.join(document.roots)}")
    try:
        shadow = replay(document.submitted, operations, document.sent)
    except DoesNotApplyError as error:
        return Broken("I2", str(error))
    stored = document.stored_object or {}
    for root in document.roots:
        if (root in shadow) != (root in stored) or (root in stored and not same(shadow[root], stored[root])):
            return Broken("I2", f"the patch does not lead to what is stored in {root}")
    owners, before = managed_fields(shadow.get("metadata")), managed_fields(stored.get("metadata"))
    if owners != before and (owners is None or before is None or not same(owners, before)):
        return Broken("I2", "the patch does not lead to the managedFields that are stored")
    return None


def _outside(operations: Sequence[Op], roots: Sequence[str]) -> Op | None:
    """The first operation that is neither below a root nor on the managed fields.

    A root that is a list may be replaced, but never be taken away.
    """
    wholes = [pointer((root,)) for root in roots]
    inside = tuple(f"{whole}/" for whole in (*wholes, MANAGED_FIELDS))
    for operation in operations:
        path = operation.path
        if path.startswith(inside) or path == MANAGED_FIELDS or (operation.op == "replace" and path in wholes):
            continue
        return operation
    return None


def _root_fault(
    root: str, document: Document, submitted: Object, shadow: Object, comparison: Comparison
) -> Broken | None:
    before, after, edit = submitted.get(root), shadow.get(root), document.edits.children.get(root)
    if before is None and edit is None and root not in shadow:
        return None
    if before is None or after is None or not _leads_to(after, document, root):
        return Broken("I2", "the patch does not lead to the result of the evaluation")
    restored = comparison.restored
    grown = document.size_of_root(root) - document.size(before)
    if grown > 0 and not restored.possible:
        return Broken("I5", f"{root} got bigger")
    restored.grown = 0
    fault = comparison.fault(before, after, edit, (root,))
    return fault or (Broken("I5", f"{root} got bigger") if grown > restored.grown else None)


def _leads_to(after: Value, document: Document, root: str) -> bool:
    return encode(after) == document.root_bytes(root) or same(after, document.object[root])
