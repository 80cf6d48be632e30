"""What is promised of each kind: a status as it should be stored keeps all, one that is bent breaks one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tests.demo.applications import Applications
from tests.demo.clusters import Clusters
from tests.demo.jobs import Jobs, last_of_each_phase
from tests.demo.kind import Json, Kind, Promise
from tests.demo.kinds import KINDS

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Bend = Callable[[Json], object]


def sent(kind: Kind) -> Json:
    status = kind.reconciled(kind.grown(NOW), 1, NOW + timedelta(seconds=1))
    return kind.reconciled(status, 2, NOW + timedelta(seconds=2))


def trimmed(kind: Kind, status: Json) -> Json:
    """Return a status as the policy of its kind leaves it, by hand."""
    stored = copy.deepcopy(status)
    if isinstance(kind, Jobs):
        stored["conditions"] = last_of_each_phase(stored["conditions"])
    if isinstance(kind, Applications):
        stored["history"] = stored["history"][-5:]
        operation = stored["operationState"]
        operation["message"] = operation["message"][:4096]
        for resource in operation["syncResult"]["resources"]:
            resource["message"] = resource["message"][:1024]
    if isinstance(kind, Clusters):
        message = stored["conditions"][-1]["message"]
        stored["conditions"][-1]["message"] = f"{message[:31_000]}… [statuscap: 16000 bytes cut]"
    return stored


def broken(promises: list[Promise]) -> list[str]:
    return [promise.text for promise in promises if not promise.kept]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.title)
def test_what_is_trimmed_as_promised_breaks_nothing(kind: Kind) -> None:
    status = sent(kind)
    assert broken(kind.promises(status, trimmed(kind, status))) == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.title)
def test_what_is_not_trimmed_breaks_a_promise(kind: Kind) -> None:
    status = sent(kind)
    assert broken(kind.promises(status, status))


@pytest.mark.parametrize(
    ("kind", "bend", "promise"),
    [
        pytest.param(Jobs(), lambda status: status["conditions"].pop(), "one condition", id="the newest phase is gone"),
        pytest.param(Jobs(), lambda status: status["conditions"].reverse(), "one condition", id="order"),
        pytest.param(Jobs(), lambda status: status.update(retryCount=0), "phase, retries", id="a counter"),
        pytest.param(Applications(), lambda status: status["history"].pop(), "history", id="the newest entry is gone"),
        pytest.param(
            Applications(),
            lambda status: status["operationState"].update(message="x" * 4097),
            "messages of the sync",
            id="a byte too long",
        ),
        pytest.param(Applications(), lambda status: status["sync"].clear(), "sync, health", id="another field"),
        pytest.param(
            Clusters(),
            lambda status: status["conditions"][-1].update(message="é" * 16_001),
            "within 32000 bytes",
            id="bytes, not characters",
        ),
        pytest.param(
            Clusters(),
            lambda status: status["conditions"][-1].update(message="other… [statuscap: 1 bytes cut]"),
            "the start of the newest",
            id="another message",
        ),
        pytest.param(
            Clusters(), lambda status: status["conditions"][0].update(status="False"), "as written", id="a condition"
        ),
    ],
)
def test_a_status_bent_in_one_place_breaks_the_promise_about_it(kind: Kind, bend: Bend, promise: str) -> None:
    status = sent(kind)
    stored = trimmed(kind, status)
    bend(stored)
    assert any(promise in text for text in broken(kind.promises(status, stored)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.title)
def test_a_controller_adds_to_what_it_reads_and_changes_nothing_of_it(kind: Kind) -> None:
    status = kind.grown(NOW)
    before = copy.deepcopy(status)
    assert kind.reconciled(status, 1, NOW) != status
    assert status == before
