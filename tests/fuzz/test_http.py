"""A short run with every test run, and that a run sees what is wrong."""

from __future__ import annotations

import json

import pytest

from tests.fuzz import __main__ as command
from tests.fuzz.http import call, run_http, wrong_with
from tests.serving.target import Reply


def test_two_hundred_and_fifty_mangled_calls_do_no_harm() -> None:
    summary = run_http(seed=3, numbers=range(250))
    assert summary.failures == []
    assert {"200", "400", "415"} <= summary.answers.keys()
    assert summary.good == 10


def test_a_call_is_made_anew_from_its_number() -> None:
    assert call(1, 5) == call(1, 5)
    assert call(1, 5) != call(1, 6) != call(2, 5)


def test_a_run_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--http", "1", "--seed", "2", "--only", "7"]) == 0
    assert capsys.readouterr().out.startswith("seed 2: 1 mangled calls (")


def answer(status: int = 200, **response: object) -> Reply:
    body = {"response": response, "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"}
    return Reply(status, {}, json.dumps(body).encode())


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        pytest.param(answer(uid="u", allowed=True), 0, id="allowed"),
        pytest.param(answer(400), 0, id="refused"),
        pytest.param(answer(500), 1, id="broken"),
        pytest.param(answer(uid="u", allowed=False), 1, id="rejected"),
        pytest.param(answer(uid="", allowed=True), 1, id="for nobody"),
        pytest.param(answer(uid="u", allowed=True, patch="e30="), 1, id="a patch that is no list"),
        pytest.param(answer(uid="u", allowed=True, patch="…"), 1, id="a patch that is no base64"),
        pytest.param(Reply(200, {}, b"{"), 1, id="no JSON"),
    ],
)
def test_answers_are_judged(given: Reply, wrong: int) -> None:
    assert len([*wrong_with(given)]) == wrong
