"""The choice between ``All`` and a list, which several steps offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from admission.policyfile.wording import found

ALL: Final = "All"
LIST, WORD = "<list>", "<word>"
"""Which of the two it is: the tags of the union, as pydantic shows them in the place of an error."""


def list_or_word(value: Any) -> str:
    """The tag of a value."""
    return LIST if isinstance(value, list | tuple) else WORD


def all_or(alternative: str) -> Callable[[Any], str]:
    """A reader of the word ``All`` that offers an alternative for any other."""

    def read(value: Any) -> str:
        if value != ALL:
            raise ValueError(f"{found(value)} is no choice; write {ALL}, or {alternative}")
        return ALL

    return read
