"""The word that somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_LONGEST: Final = 60  # characters that are compared; no word of ours is as long
_NEAR: Final = 0.7
"""How alike words are that one may be meant by the other: of six letters, two; `operations` is no `apiVersions`."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is closest to ``word`` (whatever its case), or None when none is near."""
    by_folded = {name.casefold(): name for name in known}
    close = get_close_matches(word[:_LONGEST].casefold(), by_folded, n=1, cutoff=_NEAR)
    return by_folded[close[0]] if close else None
