"""What may be put back is read from the stored bytes."""

from __future__ import annotations

import pytest

from admission.engine.document import Document
from admission.engine.licence import Licence
from admission.engine.restored import Restored
from admission.engine.values import Object, Trail
from tests.engine.build import Json, custom_resource, go, path, raw, restore_times, write

LICENCES = [restore_times("status.parents[*].conditions").licence, Licence()]
STORED: Json = {"parents": [{"conditions": [{"type": "A", "lastTransitionTime": "long ago"}]}, {"conditions": None}]}
SENT: Json = {"parents": [{"conditions": [{}, {}]}, {"conditions": None}]}
HERE: Trail = ("status", "parents", 0, "conditions", 1)


def item(time: Json, type_: str = "A") -> Object:
    return {"type": raw(go(type_)), "lastTransitionTime": raw(go(time))}


def judged(stored: Json = STORED, sent: Json = SENT) -> Restored:
    whole = None if stored is None else custom_resource(stored)
    return Restored(Document.of(write(custom_resource(sent), whole)), LICENCES)


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
    sent = {name: {"conditions": [{"type": "A"}]} for name in stored}
    restored = Restored(Document.of(write(custom_resource(sent), custom_resource(stored))), licences)
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


# --- lists below a list ----------------------------------------------------------------------------------------------

PARENTS: Json = [
    {"name": name, "conditions": [{"type": "A", "lastTransitionTime": name}], "extra": 1} for name in ("blue", "green")
]


def parents(*names: str, **changes: Json) -> Json:
    return {"parents": [{"name": name, "conditions": [{"type": "A"}], "extra": 1} | changes for name in names]}


def at_parent(position: int) -> Trail:
    return ("status", "parents", position, "conditions", 0)


def accepts(restored: Restored, text: str, position: int) -> bool:
    return restored.accepts(item("now"), item(text), "lastTransitionTime", at_parent(position))


def test_what_is_stored_for_another_item_of_the_same_wildcard_is_another_item() -> None:
    restored = judged({"parents": PARENTS}, parents("blue", "green"))
    assert accepts(restored, "blue", 0)
    assert accepts(restored, "green", 1)
    assert not accepts(restored, "green", 0)
    assert not accepts(restored, "blue", 1)


def test_lists_around_which_something_differs_have_nothing_to_do_with_each_other() -> None:
    for sent in (parents("green", "blue"), parents("blue", "green", extra=2), parents("blue", "green", more=0)):
        restored = judged({"parents": PARENTS}, sent)
        assert not any(accepts(restored, text, at) for text in ("blue", "green") for at in (0, 1))


def test_a_list_may_have_been_paired_before_or_after_items_around_it_went() -> None:
    copy = Document.of(write(custom_resource(parents("gone", "blue", "green")), custom_resource({"parents": PARENTS})))
    for trail, items in copy.lists(path("status.parents")):
        copy.remove_items(trail, items, [0])
    restored = Restored(copy, LICENCES)
    assert accepts(restored, "blue", 0)
    assert accepts(restored, "green", 1)
    assert not accepts(restored, "green", 0)


def test_what_was_edited_around_a_list_says_nothing() -> None:
    copy = Document.of(write(custom_resource(parents("blue", extra="e" * 9)), custom_resource({"parents": PARENTS})))
    for trail, container, key in list(copy.places(path("status.parents[*].extra"))):
        assert isinstance(container, dict)
        copy.remove_member(trail, container, str(key))
    assert accepts(Restored(copy, LICENCES), "blue", 0)
