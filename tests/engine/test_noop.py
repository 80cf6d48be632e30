"""Writes that change nothing."""

from __future__ import annotations

import pytest

from admission.engine.document import Document
from admission.engine.noop import equals_stored, may_become_stored
from tests.engine.build import Json, custom_resource, entry, write

STATUS: Json = {"phase": "Running"}
OWNED = entry("controller", {"f:status": {"f:phase": {}}})


@pytest.mark.parametrize(
    ("sent", "stored", "equal"),
    [
        (STATUS, STATUS, True),
        (STATUS, {"phase": "Done"}, False),
        (STATUS, None, False),
        (None, STATUS, False),
        (None, None, True),
    ],
)
def test_the_roots_are_compared(sent: Json, stored: Json, equal: bool) -> None:
    assert equals_stored(Document.of(write(custom_resource(sent), custom_resource(stored)))) is equal


def test_members_in_another_order_are_equal() -> None:
    sent, stored = '{"status":{"a":1,"b":2}}', '{"status": {"b": 2, "a": 1}}'
    assert equals_stored(Document.of(write(sent, stored)))


def test_a_create_equals_nothing() -> None:
    assert not equals_stored(Document.of(write(custom_resource(STATUS))))


@pytest.mark.parametrize(
    ("managed", "subresource", "changes", "may"),
    [
        ([OWNED], "status", {}, True),
        ([OWNED], "status", {"spec": {}}, True),
        ([OWNED], "", {}, True),
        ([OWNED], "", {"spec": {}}, False),
        ([OWNED, entry("newcomer", {})], "status", {}, False),
    ],
)
def test_a_write_may_become_what_is_stored_when_nobody_loses_anything(
    managed: Json, subresource: str, changes: Json, may: bool
) -> None:
    sent = custom_resource(STATUS, managed=managed, **changes)
    attributes = write(sent, custom_resource(STATUS, managed=[OWNED]), subresource=subresource)
    assert may_become_stored(Document.of(attributes), attributes, {}) is may
