"""The working copy with what is beside it."""

from __future__ import annotations

from admission.engine.attributes import STATUS
from admission.engine.decision import Op
from admission.engine.document import Document
from admission.engine.values import encode
from tests.engine.build import Json, custom_resource, exact, path, raw, write


def document(status: Json) -> Document:
    return Document.of(write(custom_resource(status)), (STATUS,))


def remove(copy: Document, at: str, *positions: int) -> None:
    for trail, items in copy.lists(path(at)):
        copy.remove_items(trail, items, positions)


def test_a_fork_starts_where_its_original_stands_and_goes_its_own_way() -> None:
    copy = document({"history": [1, 2, 3]})
    remove(copy, "status.history", 0)
    fork = copy.fork()
    assert not fork.changed
    remove(fork, "status.history", 0)
    assert fork.operations() == [Op("remove", "/status/history/0")]
    assert exact(encode(copy.object[STATUS])) == exact('{"history":[2,3]}')
    assert exact(encode(fork.object[STATUS])) == exact('{"history":[3]}')


def test_a_fork_weighs_what_its_original_weighs() -> None:
    copy = document({"history": [{"a<b": n, "\u2028": "&"} for n in range(3)]})
    remove(copy, "status.history", 0)
    assert next(copy.lists(path("status.history[*]")), None) is None
    fork = copy.fork()
    assert fork.submitted_size() == fork.root_size() == copy.root_size()


def test_a_stored_object_that_is_none_counts_as_absent() -> None:
    copy = Document(raw("{}"), raw("7"), roots=(STATUS,), on_status=True, compact=True)
    assert copy.stored_object is None
