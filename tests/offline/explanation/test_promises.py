"""What a policy can never do follows from what its steps may change."""

from __future__ import annotations

import pytest

from admission.engine.policy import Policy
from admission.offline.explanation.promises import promises
from tests.engine.build import (
    budget,
    cap_conditions,
    cap_list,
    cap_map,
    dedupe,
    drop,
    fit_schema,
    limit,
    policy,
    restore_times,
    truncate,
)

TYPES = "Never changes type, status, reason or observedGeneration of a condition."
LAST = "Never removes the last condition of a type."
ORDER = "Never changes the order of a list."
ITEMS = "Never removes an item from a list."
CUTS = "Never cuts a text."
FIELDS = "Never removes a field."
VALUES = "Never changes a number, a boolean or a time."
REJECTS = "Never rejects a write."


@pytest.mark.parametrize(
    ("one", "never", "perhaps"),
    [
        (policy(cap_conditions(5)), {TYPES, LAST, ORDER, CUTS, FIELDS, VALUES, REJECTS}, {ITEMS}),
        (policy(cap_conditions(5, keep=["Ready"])), {TYPES, ORDER}, {LAST, ITEMS}),
        (policy(cap_list(5)), {ORDER, CUTS, FIELDS, VALUES}, {TYPES, LAST, ITEMS}),
        (policy(dedupe("Newest", ["type"], position="First")), {CUTS}, {ORDER, ITEMS}),
        (policy(truncate(64)), {ITEMS, ORDER, FIELDS, VALUES}, {CUTS, TYPES}),
        (policy(truncate(64, "status.*.*")), {TYPES}, {CUTS}),
        (policy(drop("status.log")), {ITEMS, CUTS}, {FIELDS}),
        (policy(cap_map(5)), {ITEMS, CUTS}, {FIELDS}),
        (policy(restore_times()), {TYPES, ITEMS}, {VALUES}),
        (policy(fit_schema()), {TYPES, LAST, ORDER, FIELDS, VALUES}, {ITEMS, CUTS}),
        (policy(budget(9, cap_list(5), drop("status.log"))), {ORDER, CUTS, VALUES}, {ITEMS, FIELDS}),
        (policy(cap_list(5), limits=[limit(10)]), set(), {REJECTS}),
        (policy(cap_list(5), limits=[limit(10, action="Warn")]), {REJECTS}, set()),
    ],
)
def test_only_what_no_step_may_do_is_promised(one: Policy, never: set[str], perhaps: set[str]) -> None:
    told = set(promises(one))
    assert never <= told
    assert not perhaps & told


def test_what_the_schema_limits_may_be_anywhere_in_the_root() -> None:
    first, *_ = promises(policy(fit_schema()))
    assert first.startswith("Never touches anything but status;")
    first, *_ = promises(policy(fit_schema("status.message")))
    assert first.startswith("Never touches anything but status.message;")


def test_what_is_touched_is_named_once_by_what_holds_it() -> None:
    first, *_ = promises(policy(truncate(64, "status.history[*].message", "status.a"), cap_list(5)))
    assert first == (
        "Never touches anything but status.history and status.a; in metadata.managedFields only "
        "who owns what was removed."
    )


def test_one_that_only_limits_touches_nothing() -> None:
    assert list(promises(policy(limits=[limit(10)]))) == ["Never touches anything."]
