"""The form that a CRD's schema demands of a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from admission.engine.instant import is_date_time
from admission.engine.pattern import matches

_DATE_TIME: Final = "date-time"


@dataclass(frozen=True, slots=True)
class TextForm:
    """Lengths in code points, patterns to be found in the text, lists of values one of which it is, formats."""

    min_length: int = 0
    max_length: int | None = None
    patterns: tuple[str, ...] = ()
    enums: tuple[frozenset[str], ...] = ()
    formats: tuple[str, ...] = ()

    @classmethod
    def of(cls, openapi: Mapping[str, Any]) -> TextForm:
        """Read it from ``openAPIV3Schema``. What has not its form demands nothing."""
        values = openapi.get("enum")
        return cls(
            _number(openapi, "minLength") or 0,
            _number(openapi, "maxLength"),
            _word(openapi, "pattern"),
            (frozenset(value for value in values if isinstance(value, str)),) if isinstance(values, list) else (),
            _word(openapi, "format"),
        )

    def and_also(self, other: TextForm) -> TextForm:
        """The demands of both."""
        longest = [most for most in (self.max_length, other.max_length) if most is not None]
        return TextForm(
            max(self.min_length, other.min_length),
            min(longest, default=None),
            self.patterns + other.patterns,
            self.enums + other.enums,
            self.formats + other.formats,
        )

    @property
    def is_exact(self) -> bool:
        """True when a text has a form (pattern, enum, format) which a cut one would not have."""
        return bool(self.patterns or self.enums or self.formats)

    def admits(self, text: str) -> bool:
        """True when a text is certain to have the form; a pattern or format that cannot be judged here admits none."""
        return (self.max_length is None or len(text) <= self.max_length) and self.admits_at_length(text)

    def admits_at_length(self, text: str) -> bool:
        """The same for a text that may be too long."""
        return len(text) >= self.min_length and (
            all(text in values for values in self.enums)
            and all(format_ == _DATE_TIME and is_date_time(text) for format_ in self.formats)
            and all(matches(pattern, text) is True for pattern in self.patterns)
        )


def _number(openapi: Mapping[str, Any], word: str) -> int | None:
    value = openapi.get(word)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _word(openapi: Mapping[str, Any], word: str) -> tuple[str, ...]:
    value = openapi.get(word)
    return (value,) if isinstance(value, str) and value else ()
