"""Whoever reads a reason in the log can look up what it tells."""

from admission.engine.decision import Reason
from admission.observe.reasons import MEANINGS


def test_every_reason_has_a_meaning_but_the_empty_one() -> None:
    assert list(MEANINGS) == [reason for reason in Reason if reason]


def test_a_meaning_is_a_sentence() -> None:
    assert not [each for each in MEANINGS.values() if not each[0].isupper() or each[-1] != "."]
