"""What was sent stays as it was, whoever changes what he got of it."""

from __future__ import annotations

import pytest

from admission.engine.sent import MOST_IN_ALL, Sent
from admission.engine.values import NULL, Object
from admission.errors import DocumentError
from tests.engine.build import go, raw

STATUS = raw(go({"conditions": [{"type": "A"}, {"type": "B"}], "phase": "Running"}))


def holder() -> Object:
    return {"status": STATUS}


def test_a_copy_can_be_changed_and_what_was_sent_stays() -> None:
    sent, mine = Sent(), holder()
    status = sent.open_copy(mine, "status")
    assert isinstance(status, dict)
    conditions = sent.open_copy(status, "conditions")
    assert isinstance(conditions, list)
    del conditions[0], status["phase"]
    assert mine == {"status": {"conditions": [raw(b'{"type":"B"}')]}}
    again = sent.opened(STATUS)
    assert isinstance(again, dict)
    assert again == {"conditions": raw(b'[{"type":"A"},{"type":"B"}]'), "phase": raw(b'"Running"')}
    assert sent.opened(again["conditions"]) == [raw(b'{"type":"A"}'), raw(b'{"type":"B"}')]


def test_what_is_opened_in_place_stays_opened() -> None:
    sent, mine = Sent(), holder()
    assert sent.open_copy(mine, "status") is sent.open_copy(mine, "status") is mine["status"]


def test_a_container_is_decoded_once() -> None:
    sent = Sent()
    assert sent.opened(STATUS) is sent.opened(STATUS)
    assert sent.open_copy(holder(), "status") is not sent.open_copy(holder(), "status")


def test_a_scalar_is_no_container_and_stays_where_it_is() -> None:
    members: Object = {"name": NULL}
    assert Sent().open_copy(members, "name") is None
    assert members == {"name": NULL}


def test_what_is_known_is_not_decoded_again_and_belongs_to_its_bytes_alone() -> None:
    known: Object = {"phase": raw(b'"Running"')}
    sent = Sent([(STATUS, known)])
    assert sent.opened(STATUS) is known
    assert sent.opened(raw(bytes(STATUS))) != known


def test_opens_no_more_in_all_than_there_is_time_for() -> None:
    sent, half = Sent(), go([{}] * (MOST_IN_ALL // 2))
    for _ in range(2):
        assert sent.opened(raw(half)) is not None
    with pytest.raises(DocumentError, match="more than 200000 members in all"):
        sent.opened(raw(b"[1]"))
    assert sent.opened(NULL) is None
