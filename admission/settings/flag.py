"""A flag of the server, and its twin in the environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, Final, TypeAlias

from admission.errors import SettingsError

ENVIRONMENT_PREFIX: Final = "STATUSCAP_"

Given: TypeAlias = "str | bool | Sequence[str] | None"
"""A flag's value as a command line has it: text, a switch, several texts, or None when it was not given."""

_FLAG: Final = "flag"
_THINGS: Final = {"PATH": "file or directory", "FILE": "file", "DIRECTORY": "directory"}


@dataclass(frozen=True, slots=True)
class Flag:
    """How a field is given: by ``name`` (and ``short``) on the command line, by ``environment`` in the environment.

    ``default`` is text, as a user would write it; ``metavar`` is empty for a switch. A ``repeated`` flag may be given
    several times; its twin separates values by commas.
    """

    field: str
    help: str
    default: str
    metavar: str
    parse: Callable[[str], Any]
    """Reads a value; the message of its ``ValueError`` names the text and says what to write."""
    short: str = ""
    repeated: bool = False

    @property
    def name(self) -> str:
        """The long flag: ``--probe-port``."""
        return f"--{self.field.replace('_', '-')}"

    @property
    def environment(self) -> str:
        """The twin: ``STATUSCAP_PROBE_PORT``."""
        return f"{ENVIRONMENT_PREFIX}{self.field.upper()}"

    @property
    def switch(self) -> bool:
        """True for a flag without a value."""
        return not self.metavar

    def refuse_empty(self, texts: Sequence[str]) -> None:
        """A shell that knows no value leaves an empty one: that names no file, and does not say that none is meant.

        Raises:
            SettingsError: the flag takes a path, and one of its values is empty.
        """
        thing = _THINGS.get(self.metavar)
        if thing is not None and not all(map(str.strip, texts)):
            raise SettingsError(f"{self.name} ({self.environment}): is empty; name a {thing}, or leave it out")

    def read(self, text: str) -> Any:
        """The typed value.

        Raises:
            SettingsError: naming the flag and its twin, what was found and what is expected.
        """
        try:
            return self.parse(text)
        except ValueError as error:
            raise SettingsError(f"{self.name} ({self.environment}): {error}") from error


def described(text: str, default: str, metavar: str, parse: Callable[[str], Any], **more: Any) -> dict[str, Any]:
    """The metadata of a field that is given by a flag."""
    return {_FLAG: {"help": text, "default": default, "metavar": metavar, "parse": parse, **more}}


def flags_of(settings: type[Any]) -> tuple[Flag, ...]:
    """The flags of a dataclass whose fields are all :func:`described`, in their order."""
    return tuple(map(_flag_of, fields(settings)))


def _flag_of(field: Field[Any]) -> Flag:
    return Flag(field=field.name, **field.metadata[_FLAG])
