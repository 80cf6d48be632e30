"""An applier between two updaters meets no conflict that it would not meet without policies."""

from __future__ import annotations

import random

from tests.fuzz.sequences import APPLIER, CONFLICTS, LEFT_WHOLE, Verb, Write, compare, run, sequence, words


def test_random_sequences_of_writes_have_no_conflict_because_of_a_trim() -> None:
    found = run(seed=11, sequences=60)
    assert (found[CONFLICTS], found[LEFT_WHOLE]) == (0, 0)
    assert all(found[verb] > 30 for verb in Verb), found


def test_a_sequence_has_a_number_of_its_own() -> None:
    assert [*sequence(random.Random("1:2"))] == [*sequence(random.Random("1:2"))]


def test_a_conflict_that_is_there_without_policies_is_none_of_theirs() -> None:
    applied = Write(APPLIER, Verb.APPLY, words(0))
    found = compare([applied, Write("agent", Verb.UPDATE, {"message": "another"}), applied])
    assert (found[CONFLICTS], found["conflicts without policies too"]) == (0, 1)


def test_a_conflict_because_of_a_trim_is_counted() -> None:
    """As long as the applier comes second, and says more than is left of what the updater said."""
    found = compare([Write("agent", Verb.UPDATE, words(0)), Write(APPLIER, Verb.APPLY, words(0))])
    assert found[CONFLICTS] == 1
