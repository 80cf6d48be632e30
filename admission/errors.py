"""Everything that statuscap raises on purpose.

::

    StatuscapError
    ├── PolicyError          a policy or suite file is wrong: the person who wrote it can mend it
    │   ├── FieldPathError   a path in it cannot be read
    │   └── CrdError         a file of CRDs is wrong, or has none in it
    ├── ClusterError         the API server cannot be asked: it is away, it refuses, nothing says where it is
    ├── FileError            a file that somebody named cannot be read
    ├── SettingsError        a flag or its twin in the environment cannot be used
    ├── ReviewError          the call is wrong: not an AdmissionReview, no uid, undecodable
    ├── DocumentError        an object inside a well-formed review cannot be read (bad UTF-8, broken JSON, too deep)
    └── CertificateError     a key pair is missing, unreadable, expired or does not match

``ReviewError`` becomes a 4xx answer when there is no uid to answer to; ``DocumentError`` becomes "allow, no patch".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_ESCAPED: Final = {
    code: ascii(chr(code))[1:-1] for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0xD800, 0xE000))
}


class StatuscapError(Exception):
    """The root of the tree; never raised itself."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a file: where, what, and what to write instead. As text it is one line."""

    file: str
    line: int
    path: str
    message: str

    def __str__(self) -> str:
        file = self.file.translate(_ESCAPED)  # a file may have any name
        where = f"{file}:{self.line}" if self.line else file
        return ": ".join(part for part in (where, self.path, self.message) if part)


class PolicyError(StatuscapError):
    """A policy or suite file is wrong. Carries every problem that was found, not only the first."""

    def __init__(self, problems: Sequence[Problem] | str) -> None:
        self.problems: tuple[Problem, ...] = () if isinstance(problems, str) else tuple(problems)
        super().__init__(problems if isinstance(problems, str) else "\n".join(map(str, problems)))


class FieldPathError(PolicyError):
    """A path cannot be read; the message says where in the text and what is allowed there."""


class CrdError(PolicyError):
    """Files of CRDs are wrong. Carries every problem that was found."""


class ClusterError(StatuscapError):
    """The API server cannot be asked: it is away, it refuses, or nothing says where it is. One line."""


class FileError(StatuscapError):
    """A file cannot be read: it is missing, no regular file, too large. Carries its name and the reason apart."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason
        super().__init__(f"{name}: cannot be read: {reason}")


class SettingsError(StatuscapError):
    """Flags or their twins in the environment cannot be used: a line each, naming both and what is expected."""

    def __init__(self, problems: Sequence[str] | str) -> None:
        self.problems: tuple[str, ...] = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__("\n".join(self.problems))


class ReviewError(StatuscapError):
    """The body is no AdmissionReview that could be answered. ``status`` is the HTTP status to answer with."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class DocumentError(StatuscapError):
    """An object inside a well-formed review cannot be read."""


class CertificateError(StatuscapError):
    """A key pair is missing, unreadable, expired or does not match."""
