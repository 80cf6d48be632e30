"""Regular expressions of a CRD's schema, judged only where Python's ``re`` is certain to say what the API server does.

The API server uses Go's ``regexp`` (RE2, https://github.com/google/re2/wiki/Syntax): other escapes and classes, no
backtracking. What both read alike is taken: literals, classes of literals and ranges, groups, alternatives,
repetitions. ``re`` tries all ways to match one by one, so their number is bounded, too.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_ESCAPED: Final = r"\\[-\\.+*?()\[\]{}|^$/:_,\"'@#%&=!<>~]"  # punctuation stands for itself
_TOKEN: Final = re.compile(
    rf"""
      (?P<class>\[\^?(?:{_ESCAPED}|\\[dw]|[^\\\[\]&|~-]|-(?=\])|(?<=[\[^])-|(?<=[0-9A-Za-z])-(?=[0-9A-Za-z]))+\])
    | (?P<literal>{_ESCAPED}|\\[dDwW]|[^\\\[\](){{}}*+?|^$.]|\.|\^)
    | (?P<end>\$)
    | (?P<open>\((?:\?:)?)
    | (?P<close>\))
    | (?P<either>\|)
    | (?P<times>\{{\d{{1,3}}\}}\??)
    | (?P<maybe>\?\??)
    | (?P<many>(?:[*+]|\{{\d{{1,3}},\d{{0,3}}\}})\??)
    """,
    re.VERBOSE,
)
_REPEATING: Final = frozenset({"times", "maybe", "many"})
_MOST_WAYS: Final = 100_000
"""Ways to match that are tried at most, about: a millisecond or few."""


def matches(pattern: str, text: str) -> bool | None:
    """True when a pattern is found somewhere in a text, as the API server finds it; None when that is not certain."""
    read = _read(pattern)
    if read is None:
        return None
    compiled, choices, repetitions = read
    if 2**choices * (len(text) + 1) ** (repetitions + 1) > _MOST_WAYS:
        return None
    return compiled.search(text) is not None


@lru_cache(maxsize=256)
def _read(pattern: str) -> tuple[re.Pattern[str], int, int] | None:
    """The pattern as Python writes it, with its numbers of choices and of open repetitions."""
    parts: list[str] = []
    kinds: list[str] = [""]
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        kind = "" if token is None else token.lastgroup or ""
        if token is None or (kind in _REPEATING and not _may_repeat(kind, kinds[-1])):
            return None
        parts.append(r"\Z" if kind == "end" else token.group())  # here ``$`` also stands before a line feed at the end
        kinds.append(kind)
        at = token.end()
    try:
        compiled = re.compile("".join(parts), re.ASCII)
    except re.error:
        return None
    return compiled, kinds.count("maybe") + kinds.count("either"), kinds.count("many")


def _may_repeat(kind: str, before: str) -> bool:
    """A group is at most optional: repeated, it could match in more ways than there is time for."""
    return before in ("class", "literal") or (kind == "maybe" and before == "close")
