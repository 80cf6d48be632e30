"""What stands in a line of the decision log."""

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from admission.engine.decision import unchanged
from admission.handler import Answer
from admission.observe.entry import entry_of, read, rfc3339, write
from tests.observe.answers import NOW, POLICIES, TRIMMED, answer, validated
from tests.review_sample import OBJECT_UID, UID, USER, review

MILLISECOND = 1_000_000


def line(given: Answer, duration: int = 1_234_567) -> dict[str, Any]:
    assert given.decision is not None
    written: dict[str, Any] = json.loads(write(entry_of(given, given.decision, "replica-1", duration)))
    return written


def test_a_line_says_its_phase() -> None:
    assert line(validated(TRIMMED))["phase"] == "validating"


def test_a_line_has_every_field_in_order() -> None:
    expected = {
        "time": "2026-01-01T00:00:00.123Z",
        "instance": "replica-1",
        "phase": "mutating",
        "uid": UID,
        "objectUid": OBJECT_UID,
        "resourceVersion": "1042",
        "policyDigest": POLICIES.digest,
        "operation": "UPDATE",
        "group": "batch.volcano.sh",
        "version": "v1alpha1",
        "resource": "jobs",
        "subresource": "status",
        "namespace": "research",
        "name": "train-mpi",
        "user": USER,
        "fieldManager": "vc-controller-manager",
        "requestDryRun": False,
        "outcome": "Trimmed",
        "reason": "",
        "policies": [
            {
                "name": "volcano-job-conditions",
                "mode": "Enforce",
                "outcome": "Trimmed",
                "reason": "",
                "steps": [
                    {"step": "capConditions", "path": "status.conditions", "items": 2, "bytes": 180},
                    {"step": "capList", "path": "status.history", "items": 0, "bytes": 0, "reason": "CoOwned"},
                ],
            }
        ],
        "bytesBefore": 612,
        "bytesAfter": 432,
        "objectBytes": 1904,
        "patchOps": 2,
        "durationMs": 1.234,
    }
    assert line(answer()) == expected
    assert list(line(answer())) == list(expected)


def test_a_line_reads_back() -> None:
    entry = entry_of(answer(), TRIMMED, "replica-1", 5 * MILLISECOND)
    assert read(write(entry)) == entry
    with pytest.raises(msgspec.DecodeError):
        read(b"{}")


def test_no_value_of_the_status_is_in_a_line() -> None:
    assert "phase change" not in json.dumps(line(answer()))


def test_nothing_is_stored_yet_when_an_object_is_created() -> None:
    created = line(answer(unchanged(), oldObject=None, operation="CREATE"))
    assert (created["objectUid"], created["resourceVersion"]) == (OBJECT_UID, "")


def test_a_review_that_could_not_be_decoded_has_its_uid() -> None:
    bodiless = replace(answer(unchanged()), attributes=None)
    assert (line(bodiless)["uid"], line(bodiless)["resource"]) == (UID, "")


def test_a_caller_that_only_tries_is_told_apart() -> None:
    assert line(answer(dryRun=True))["requestDryRun"] is True
    assert review(dryRun=True) != review()


@pytest.mark.parametrize(
    ("at", "text"),
    [(NOW, "2026-01-01T00:00:00.123Z"), (0, "1970-01-01T00:00:00.000Z"), (999_999, "1970-01-01T00:00:00.000Z")],
)
def test_times_are_rfc_3339_in_utc(at: int, text: str) -> None:
    assert rfc3339(at) == text
