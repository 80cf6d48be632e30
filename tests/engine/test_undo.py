"""The way back from what is stored to what was submitted."""

from __future__ import annotations

from dataclasses import replace

import jsonpatch
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from admission.engine.decision import Op, Outcome
from admission.engine.policy import Mode
from admission.engine.undo import undo_of
from admission.errors import DocumentError
from tests.engine import strategies
from tests.engine.build import (
    Json,
    at,
    cap_conditions,
    cap_list,
    custom_resource,
    dedupe,
    exact,
    go,
    judge,
    patch_of,
    patched,
    policy,
    raw,
    truncate,
    write,
)
from tests.engine.conftest import EXAMPLES
from tests.engine.pair import Pair
from tests.engine.strategies import Drawn

LONG = "a long message <of the tool> & more"
SENT: Json = {"status": {"a/b": 1, "history": [{"id": 0}, {"id": 1, "m": "x"}, {"id": 2}], "message": LONG, "n": None}}


def undone(sent: Json, *patch: Op) -> list[Op]:
    """The way back, after a look at whether it leads there."""
    back = list(undo_of(raw(go(sent)), patch))
    there = jsonpatch.apply_patch(exact(go(sent)), patch_of(patch))
    assert jsonpatch.apply_patch(there, patch_of(back)) == exact(go(sent))
    return back


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param(
            [Op("remove", "/status/history/2"), Op("remove", "/status/history/0")],
            [Op("add", "/status/history/0", b'{"id":0}'), Op("add", "/status/history/2", b'{"id":2}')],
            id="items, at their positions in what was submitted",
        ),
        pytest.param(
            [Op("remove", "/status/history/0"), Op("remove", "/status/history/0")],
            [Op("add", "/status/history/0", b'{"id":0}'), Op("add", "/status/history/1", b'{"id":1,"m":"x"}')],
            id="items removed from the front",
        ),
        pytest.param(
            [Op("replace", "/status/message", b'"a long"')],
            [Op("replace", "/status/message", go(LONG))],
            id="the whole text before a cut, as it was sent",
        ),
        pytest.param(
            [Op("remove", "/status/history/0"), Op("replace", "/status/history/0/m", b'""')],
            [Op("add", "/status/history/0", b'{"id":0}'), Op("replace", "/status/history/1/m", b'"x"')],
            id="a cut inside an item that moved up",
        ),
        pytest.param([Op("remove", "/status/a~1b")], [Op("add", "/status/a~1b", b"1")], id="a field"),
        pytest.param([Op("remove", "/status/n")], [Op("add", "/status/n", b"null")], id="a null"),
        pytest.param([Op("remove", "/status")], [Op("add", "/status", go(SENT["status"]))], id="the root"),
        pytest.param([Op("add", "/status/new", b"1")], [Op("remove", "/status/new")], id="a field that was added"),
        pytest.param(
            [Op("add", "/status/new", b"{}"), Op("replace", "/status/new", b"1"), Op("remove", "/status/new")],
            [],
            id="a field that came and went",
        ),
        pytest.param([Op("add", "/status/n", b"1")], [Op("replace", "/status/n", b"null")], id="an add that replaces"),
        pytest.param(
            [Op("remove", "/status/n"), Op("add", "/status/n", b"1")],
            [Op("replace", "/status/n", b"null")],
            id="a field that went and came",
        ),
        pytest.param(
            [Op("replace", "/status/history", b'[{"id":1,"m":"x"}]')],
            [Op("add", "/status/history/0", b'{"id":0}'), Op("add", "/status/history/2", b'{"id":2}')],
            id="a list replaced by some of its items",
        ),
        pytest.param(
            [Op("replace", "/status/history", b'[{"id":1,"m":"y"}]')],
            [Op("replace", "/status/history", go(SENT["status"]["history"]))],
            id="a list replaced by other items",
        ),
        pytest.param(
            [Op("replace", "/status/history", b"[]"), Op("add", "/status/history/-", b"1")],
            [Op("replace", "/status/history", go(SENT["status"]["history"]))],
            id="a replaced list that grew",
        ),
        pytest.param(
            [Op("add", "/status/history/1", b"1"), Op("remove", "/status/history/0")],
            [Op("replace", "/status/history", go(SENT["status"]["history"]))],
            id="a list that got an item",
        ),
        pytest.param(
            [Op("remove", "/status/history/2"), Op("replace", "/status/history/0", b'{"id":2}')],
            [Op("add", "/status/history/2", b'{"id":2}'), Op("replace", "/status/history/0", b'{"id":0}')],
            id="an item that took the place of another",
        ),
        pytest.param(
            [Op("replace", "/status/history/1/m", b'""'), Op("remove", "/status/history/1")],
            [Op("add", "/status/history/1", b'{"id":1,"m":"x"}')],
            id="an item that was cut and then went",
        ),
    ],
)
def test_leads_back(patch: list[Op], expected: list[Op]) -> None:
    assert undone(SENT, *patch) == expected


def test_what_the_api_server_keeps_for_itself_is_left_out() -> None:
    sent = custom_resource({"message": LONG}, managed=[])
    patch = [Op("replace", "/metadata/managedFields", b"[]"), Op("replace", "/status/message", b'""')]
    assert undo_of(raw(go(sent)), patch) == (Op("replace", "/status/message", go(LONG)),)


def test_numbers_come_back_as_they_were_sent() -> None:
    sent = raw(b'{"status":{"list":[1.0, 9007199254740993, 1e-7]}}')
    back = undo_of(sent, [Op("replace", "/status/list", b"[9007199254740993]")])
    assert [op.value for op in back] == [b"1.0", b"1e-7"]


@pytest.mark.parametrize(
    ("sent", "path"),
    [(b'{"status":1}', "/status/x"), (b'{"status":{}}', "/status/x/y"), (b'{"status":[]}', "/status/0/x")],
)
def test_a_patch_that_is_not_for_this_object_is_an_error(sent: bytes, path: str) -> None:
    with pytest.raises(LookupError):
        undo_of(raw(sent), [Op("replace", path, b"1")])


def test_an_object_that_is_no_json_is_an_error() -> None:
    with pytest.raises(DocumentError):
        undo_of(raw(b'{"status":{"\xff":1}}'), [Op("remove", "/status/a")])


CONDITIONS = [
    {"type": f"T{number % 3}", "status": "True", "message": LONG * 3, "lastTransitionTime": at(number)}
    for number in range(40)
]
HISTORY = [{"id": number % 7, "m": "x" * number} for number in range(40)]


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([cap_conditions(5)], id="few stay: the list is replaced"),
        pytest.param([cap_conditions(38)], id="few go"),
        pytest.param(
            [cap_conditions(5), truncate(20, "status.conditions[*].message", marker="…")], id="capped and cut"
        ),
        pytest.param([dedupe("Last", ["id"], position="First"), cap_list(4)], id="moved and capped"),
    ],
)
def test_a_trimmed_status_can_be_had_again(steps: list[Json]) -> None:
    attributes = write(custom_resource({"conditions": CONDITIONS, "history": HISTORY, "message": LONG}))
    decision = judge(policy(*steps), attributes)
    assert decision.outcome is Outcome.TRIMMED
    back = undo_of(attributes.submitted, decision.patch)
    assert jsonpatch.apply_patch(patched(attributes, decision), patch_of(back)) == exact(attributes.submitted)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """Some enforced policies and a write that they are for."""
    dice = Drawn(draw)
    enforced = tuple(replace(policy, mode=Mode.ENFORCE) for policy in strategies.some_policies(dice))
    return strategies.a_pair(dice, enforced)


@settings(max_examples=EXAMPLES or 200)
@given(pairs())
def test_every_answer_can_be_undone(pair: Pair) -> None:
    attributes = pair.attributes
    decision = judge(pair.policy_set, attributes)
    event(decision.outcome)
    stored, sent = patched(attributes, decision), exact(attributes.submitted)
    rebuilt = jsonpatch.apply_patch(stored, patch_of(undo_of(attributes.submitted, decision.patch)))
    for whole in (rebuilt, sent):
        whole.get("metadata", {}).pop("managedFields", None)
    assert rebuilt == sent
