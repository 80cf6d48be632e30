"""Rules of suppress in a policy file: what they become, and what is refused."""

from fractions import Fraction
from typing import Any

import pytest

from admission.engine.instant import HOUR, MINUTE, SECOND
from admission.engine.suppress import SuppressRule
from admission.engine.tolerance import Amount, AnyValue, Percent, Times, Tolerance
from tests.engine.build import path
from tests.policyfile.sample import GONE, bent, loaded, told

BEAT: dict[str, Any] = {"fields": ["status.lastActiveTime"], "maxStaleness": "60s"}
FIELDS = (path("status.lastActiveTime"),)


def with_rules(*rules: Any) -> dict[str, Any]:
    return bent(("spec.suppress", [*rules]))


@pytest.mark.parametrize(
    ("entry", "tolerance"),
    [
        ({}, Times()),
        ({"within": {"percent": 5}}, Percent(Fraction(5))),
        ({"within": {"percent": 0.5}}, Percent(Fraction(1, 2))),
        ({"within": {"quantity": "100Mi"}}, Amount(Fraction(100 * 1024 * 1024))),
        ({"within": {"quantity": 50}}, Amount(Fraction(50))),
        ({"within": {"quantity": 0.1}}, Amount(Fraction(1, 10))),
        ({"within": {"quantity": "0.25"}}, Amount(Fraction(1, 4))),
        ({"anyValue": True}, AnyValue()),
    ],
)
def test_an_entry_becomes_a_rule(entry: Any, tolerance: Tolerance) -> None:
    assert loaded(with_rules({**BEAT, **entry})).suppress == (SuppressRule(FIELDS, 60 * SECOND, tolerance),)


@pytest.mark.parametrize(
    ("text", "duration"), [("60s", MINUTE), ("1h30m", 90 * MINUTE), ("7d", 168 * HOUR), ("0.5s", SECOND // 2)]
)
def test_durations_are_as_go_writes_them_or_days(text: str, duration: int) -> None:
    (rule,) = loaded(with_rules({**BEAT, "maxStaleness": text})).suppress
    assert rule.max_staleness == duration


def test_rules_alone_make_a_policy() -> None:
    policy = loaded(bent(("spec.trim", GONE), ("spec.suppress", [BEAT, {**BEAT, "fields": ["status.seen"]}])))
    assert (policy.trim, len(policy.suppress)) == ((), 2)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (
            {"maxStaleness": GONE},
            (
                "spec.suppress[0].maxStaleness: is missing; write the oldest that a stored value may get (60s, 5m): "
                "when it is older, the write passes"
            ),
        ),
        ({"fields": []}, "spec.suppress[0].fields: the list is empty; write at least one entry"),
        (
            {"maxStaleness": "0s"},
            'spec.suppress[0].maxStaleness: "0s" is no duration above 0; write for example 60s, 5m or 7d',
        ),
        (
            {"maxStaleness": "soon"},
            'spec.suppress[0].maxStaleness: "soon" is no duration above 0; write for example 60s, 5m or 7d',
        ),
        (
            {"maxStaleness": 60},
            ("spec.suppress[0].maxStaleness: expected a duration, found 60; write for example 60s, 5m or 7d"),
        ),
        (
            {"within": {}},
            "spec.suppress[0].within: write percent: 5, or quantity: 100Mi, and not both",
        ),
        (
            {"within": {"percent": 5, "quantity": 1}},
            "spec.suppress[0].within: write percent: 5, or quantity: 100Mi, and not both",
        ),
        (
            {"within": {"percent": 0}},
            "spec.suppress[0].within.percent: 0 is no share above 0 and up to 100; write for example 5",
        ),
        (
            {"within": {"percent": 101}},
            "spec.suppress[0].within.percent: 101 is no share above 0 and up to 100; write for example 5",
        ),
        (
            {"within": {"percent": "5%"}},
            'spec.suppress[0].within.percent: expected a number, found "5%"; write for example 5',
        ),
        (
            {"within": {"quantity": -1}},
            "spec.suppress[0].within.quantity: -1 is not above 0; write for example 100Mi, 50 or 0.5",
        ),
        (
            {"within": {"quantity": "lots"}},
            (
                'spec.suppress[0].within.quantity: "lots" is no quantity; write for example 32Ki, 1Mi, 500k or a plain '
                "number of bytes"
            ),
        ),
        ({"anyValue": False}, "spec.suppress[0].anyValue: false is not known; write true"),
        ({"anyValue": "true"}, 'spec.suppress[0].anyValue: "true" is not known; write true'),
        (
            {"within": {"percent": 5}, "anyValue": True},
            "spec.suppress[0]: has within and anyValue; any value is within any distance, write one of them",
        ),
        (
            {"fields": ["spec.replicas"]},
            (
                "spec.suppress[0].fields[0]: spec.replicas is outside the root; write a path below status, for example "
                "status.conditions"
            ),
        ),
        (
            {"fields": ["status"]},
            (
                "spec.suppress[0].fields[0]: status is the whole root; name a field below it, for example "
                "status.conditions"
            ),
        ),
        (
            {"fields": ["status.conditions[*].status"], "anyValue": True},
            (
                "spec.suppress[0].fields[0]: status.conditions[*].status: machines read the status of a condition; "
                "name another field, for example message"
            ),
        ),
    ],
)
def test_what_is_wrong_is_told(entry: Any, problem: str) -> None:
    rule = {key: value for key, value in {**BEAT, **entry}.items() if value is not GONE}
    assert told(with_rules(rule)) == [problem]
