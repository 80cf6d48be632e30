"""Hours of heartbeats: nothing waits longer than its rule says, no claim is lost, and what is news lands at once."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.hours import RULES, Hours, Said, clock_text, run, sequence
from tests.fuzz.sequences import Verb


@pytest.mark.parametrize("number", range(3))
def test_whoever_says_all_of_its_fields_waits_no_longer_than_a_rule_says(number: int) -> None:
    world = run(seed=5, number=number, hours=0.5)
    assert world.wrong == []
    assert dict(world.late) == {}
    assert world.counts["update Suppressed"] > 300
    assert world.counts["apply Suppressed"] > 50
    assert world.counts["update Unchanged"] + world.counts["update Trimmed"] > 20


def test_whoever_writes_field_by_field_waits_longer_for_numbers_but_never_for_times() -> None:
    """The API server keeps one time for all that a manager owns: each of its writes makes all of them look fresh."""
    world = run(seed=5, number=0, hours=0.3, apart=True)
    assert world.wrong == []
    assert set(world.late) & {"active", "seen", "next", "pulse"} == set()
    assert world.late["size"] > 0
    assert world.counts["update Suppressed"] > 500


def test_a_first_claim_is_never_lost() -> None:
    world = Hours()
    world.write(Said(0, "controller", Verb.UPDATE, {"active": clock_text(0), "phase": "a"}))
    world.write(Said(9, "controller", Verb.UPDATE, {"active": clock_text(9), "phase": "a"}))
    world.write(Said(10, "newcomer", Verb.FORCE, {"active": clock_text(10)}))
    assert (world.counts["update Suppressed"], world.wrong) == (1, [])
    assert world.stored is not None
    assert {entry["manager"] for entry in world.stored.managers} == {"controller", "newcomer"}


def test_what_waits_too_long_is_seen() -> None:
    world = Hours()
    world.write(Said(0, "agent", Verb.UPDATE, {"mood": "a", "news": 0}))
    world.write(Said(299, "agent", Verb.UPDATE, {"news": 1}))
    world.write(Said(301, "agent", Verb.UPDATE, {"mood": "b"}))
    assert dict(world.late) == {"mood": 1}
    world.write(Said(599, "agent", Verb.UPDATE, {"mood": "b"}))
    world.write(Said(600, "agent", Verb.UPDATE, {"mood": "b"}))
    assert world.stored is not None
    assert world.stored.status["mood"] == "b"


def test_hours_bring_every_kind_of_writer() -> None:
    said = [*sequence(random.Random(1), 1)]
    assert {one.manager for one in said} >= {"controller", "agent", "operator", "argocd"}
    assert sum(one.manager.startswith("newcomer") for one in said) == 3
    assert RULES.keys() <= {name for one in said for name in one.status}
    assert [one.second for one in said] == sorted(one.second for one in said)
