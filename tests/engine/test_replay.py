"""The strict reader of a patch."""

from __future__ import annotations

import pytest

from admission.engine.decision import Op
from admission.engine.replay import DoesNotApplyError, replay
from admission.engine.values import encode
from tests.engine.build import Json, custom_resource, exact, go, raw

A_HISTORY = [{"id": number} for number in range(4)]
STATUS: dict[str, Json] = {"history": A_HISTORY, "phase": "Running"}


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(Op("remove", "/status/missing"), id="a member that is not there"),
        pytest.param(Op("replace", "/status/missing", b"1"), id="a replace without a member"),
        pytest.param(Op("remove", "/status/history/4"), id="an index past the end"),
        pytest.param(Op("remove", "/status/history/-"), id="the place after the last"),
        pytest.param(Op("remove", "/status/history/-1"), id="a negative index"),
        pytest.param(Op("remove", "/status/history/\u0663"), id="a digit of another script"),
        pytest.param(Op("remove", "/status/phase/x"), id="below a scalar"),
        pytest.param(Op("remove", "/status/phase/x/y"), id="far below a scalar"),
        pytest.param(Op("test", "/status/phase", b'"Running"'), id="a test"),
        pytest.param(Op("add", "/status/new", b"1"), id="an add"),
        pytest.param(Op("replace", "/status/phase"), id="a replace without a value"),
    ],
)
def test_refuses_an_operation_that_is_not_certain_to_apply(operation: Op) -> None:
    with pytest.raises(DoesNotApplyError):
        replay(raw(go(custom_resource(STATUS))), [operation])


def test_replays_operations_one_after_the_other() -> None:
    operations = [
        Op("remove", "/status/history/0"),
        Op("remove", "/status/history/2"),
        Op("replace", "/status/~0", b"1"),
    ]
    found = replay(raw(go(custom_resource(STATUS | {"~": 2}))), operations)
    assert exact(encode(found["status"])) == exact(go(STATUS | {"~": 1, "history": A_HISTORY[1:3]}))
