"""Rules of ``suppress`` that may hold back what matters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from admission.engine.holdback import SUPPRESS
from admission.engine.tolerance import AnyValue
from admission.errors import Problem
from admission.policyfile.notes.placed import Read

_KEY: Final = "anyValue"


def values_held_back(policies: Sequence[Read]) -> Iterator[Problem]:
    """Fields of which any change may come late: that is right for a progress text, and wrong for a state."""
    for read in policies:
        for position, rule in enumerate(read.policy.suppress):
            if isinstance(rule.tolerance, AnyValue):
                names = ", ".join(map(str, rule.fields))
                yield read.says(
                    ("spec", SUPPRESS, position, _KEY),
                    f"any change of {names} may be held back for as long as maxStaleness; for numbers write within, "
                    "and name no field that somebody waits for",
                )
