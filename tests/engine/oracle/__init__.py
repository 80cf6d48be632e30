"""The invariants once more, slowly, in plain Python over decoded JSON: nothing of the engine's own checks is used.

The only things it takes from the engine are a decision and the fields of policies. It answers with a list of what is
wrong; an empty list is what every test wants.
"""

from tests.engine.oracle.aging import evicted_by_the_book, expired_by_the_book
from tests.engine.oracle.answer import problems
from tests.engine.oracle.cutting import cut_by_the_book
from tests.engine.oracle.gotext import as_go_writes, size
from tests.engine.oracle.limits import left_to_validate, phases_agree

__all__ = [
    "as_go_writes",
    "cut_by_the_book",
    "evicted_by_the_book",
    "expired_by_the_book",
    "left_to_validate",
    "phases_agree",
    "problems",
    "size",
]
