"""The first and the last bytes of a review."""

from typing import Any

import pytest

from admission.engine.attributes import Attributes
from admission.errors import ReviewError
from admission.review.ends import PREFIX_SIZE, Ends, decode_ends, uid_in_prefix
from admission.review.request import decode
from tests.review_sample import UID, custom_resource, review


@pytest.mark.parametrize(
    ("body", "uid"),
    [
        pytest.param(review()[:200], UID, id="cut off behind the uid"),
        pytest.param(b'{ "request" : {\n "uid" : "a-1", "x": [[[', "a-1", id="blanks"),
        pytest.param(review()[:80], None, id="cut off before the uid"),
        pytest.param(b" " * PREFIX_SIZE + review(), None, id="beyond the prefix"),
        pytest.param(b'{"request":{"uid":"\xff"', None, id="not ASCII"),
        pytest.param(b'{"request":{"uid":"a\\"b"', None, id="an escape"),
        pytest.param(b'{"request":{"name":"{\\"request\\":{\\"uid\\":\\"fake\\"', None, id="a uid in a string"),
        pytest.param(b"", None, id="empty"),
    ],
)
def test_finds_the_uid_of_what_cannot_be_decoded(body: bytes, uid: str | None) -> None:
    assert uid_in_prefix(body) == uid


OBJECTS = ("submitted", "stored")


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="a status write"),
        pytest.param({"object": custom_resource(2_000)}, id="a large object"),
        pytest.param({"oldObject": None, "operation": "CREATE"}, id="no stored object"),
        pytest.param({"object": None, "operation": "DELETE"}, id="no submitted object"),
        pytest.param({"dryRun": True}, id="a dry run"),
        pytest.param({"dryRun": None, "options": None}, id="nothing behind the objects"),
        pytest.param({"options": None}, id="no options"),
        pytest.param(
            {"dryRun": True, "options": {"dryRun": ["All"], "kind": "UpdateOptions"}}, id="options say so too"
        ),
        pytest.param({"options": {"fieldManager": 'x","dryRun":true,"'}}, id="a name that looks like a member"),
        pytest.param({"userInfo": {"username": 'x","object":{}'}}, id="a user that looks like a member"),
        pytest.param(
            {"object": custom_resource() | {"zz": {"a": 1, "dryRun": True}}}, id="an object with such members"
        ),
    ],
)
def test_the_ends_of_a_review_tell_its_facts(changes: dict[str, Any]) -> None:
    body = review(**changes)
    whole, read = decode(body), decode_ends(Ends.of(body))
    assert (bytes(read.submitted), read.stored) == (b"null", None)
    facts = [name for name in Attributes.__struct_fields__ if name not in (*OBJECTS, "compact", "opened")]
    assert [getattr(read, name) for name in facts] == [getattr(whole, name) for name in facts]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(review()[:300], id="cut off before the objects"),
        pytest.param(
            review(userInfo={"username": "x", "extra": {"a": [], "object": []}}), id="an object in the extras"
        ),
        pytest.param(review(userInfo={"username": "x", "groups": ["g" * 9_000]}), id="too long before the objects"),
    ],
)
def test_ends_that_do_not_tell_are_refused(body: bytes) -> None:
    with pytest.raises(ReviewError):
        decode_ends(Ends.of(body))
