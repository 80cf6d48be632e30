"""What may be put back is read from the stored bytes."""

from __future__ import annotations

import pytest

from admission.engine.document import Document
from admission.engine.licence import Licence
from admission.engine.restored import Restored
from admission.engine.values import Object, Trail
from tests.engine.build import Json, custom_resource, go, raw, restore_times, write

LICENCES = [restore_times("status.parents[*].conditions").licence, Licence()]
STORED: Json = {"parents": [{"conditions": [{"type": "A", "lastTransitionTime": "long ago"}]}, {"conditions": None}]}
HERE: Trail = ("status", "parents", 3, "conditions", 1)


def item(time: Json, type_: str = "A") -> Object:
    return {"type": raw(go(type_)), "lastTransitionTime": raw(go(time))}


def judged(stored: Json = STORED) -> Restored:
    whole = None if stored is None else custom_resource(stored)
    return Restored(Document.of(write(custom_resource({}), whole)), LICENCES)


@pytest.mark.parametrize(
    ("before", "after", "accepted"),
    [
        (item("now"), item("long ago"), True),
        (item("now"), item("then"), False),
        (item("now", "B"), item("long ago", "B"), False),
        (item("now", "B"), item("long ago"), True),
        (item("now"), item("long ago", "B"), True),
        (item(7), item("long ago"), False),
        (item("now"), item(7), False),
    ],
)
def test_accepts_what_is_stored_for_the_item_as_it_was_or_as_it_is(
    before: Object, after: Object, accepted: bool
) -> None:
    assert judged().accepts(before, after, "lastTransitionTime", HERE) is accepted


def test_nothing_is_put_back_elsewhere_or_from_nothing() -> None:
    before, after = item("now"), item("long ago")
    assert not judged().accepts(before, after, "lastTransitionTime", ("status", "conditions", 0))
    assert not judged(None).accepts(before, after, "lastTransitionTime", HERE)


def test_what_is_stored_under_another_name_is_another_item() -> None:
    stored = {name: {"conditions": [{"type": "A", "lastTransitionTime": name}]} for name in ("blue", "green")}
    licences = [restore_times("status.*.conditions").licence]
    restored = Restored(Document.of(write(custom_resource({}), custom_resource(stored))), licences)
    blue: Trail = ("status", "blue", "conditions", 0)
    assert restored.accepts(item("now"), item("blue"), "lastTransitionTime", blue)
    assert not restored.accepts(item("now"), item("green"), "lastTransitionTime", blue)


def test_counts_what_the_texts_brought() -> None:
    restored = judged()
    for sent in ("now", "long ago", "a very long time ago"):
        assert restored.accepts(item(sent), item("long ago"), "lastTransitionTime", HERE)
    assert restored.grown == len("long ago") - len("now")


def test_is_possible_only_with_a_step_that_puts_back() -> None:
    assert judged().possible
    assert not Restored(Document.of(write(custom_resource({}))), [Licence()]).possible
