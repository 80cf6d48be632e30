"""Reads what a flag or its twin says. The message of a ``ValueError`` names the text and says what to write."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from admission.engine.instant import SECOND, parse_duration
from admission.engine.policy import Mode
from admission.quantity import parse_bytes

_DIGITS: Final = re.compile("[0-9]{1,9}")
_SHARE: Final = re.compile("[0-9.eE+-]+")
_ONE_IN: Final = re.compile("1/([1-9][0-9]{0,8})")
_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})
_LABEL: Final = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_SERVICE: Final = re.compile("[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
_SUBDOMAIN: Final = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})*")


class ObjectName(NamedTuple):
    """An object in a namespace."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return "/".join(self)


class Manage(StrEnum):
    """What of the webhook configurations is kept up to date."""

    CA_BUNDLE = "caBundle"


def read_path(text: str) -> Path | None:
    """A file or directory; None for no text."""
    return Path(text) if text else None


def whole_number(lowest: int, highest: int) -> Callable[[str], int]:
    """A reader of whole numbers in decimal digits, within bounds."""

    def parse(text: str) -> int:
        if not _DIGITS.fullmatch(text) or not lowest <= int(text) <= highest:
            raise ValueError(f"{text!r} is no whole number from {lowest} to {highest}")
        return int(text)

    return parse


def read_bound(text: str) -> int:
    """Bytes, or 0 for no bound."""
    return 0 if text == "0" else parse_bytes(text)


def read_switch(text: str) -> bool:
    """``true`` or ``false``, and their usual synonyms in any case."""
    word = text.strip().lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(f"{text!r} is neither true nor false")
    return word in _TRUE


def read_seconds(text: str) -> float:
    """A duration as seconds."""
    duration = parse_duration(text)
    if duration is None:
        raise ValueError(f"{text!r} is no duration; write for example 10s or 1m30s")
    return duration / SECOND


def read_some_seconds(text: str) -> float:
    """A duration that is longer than nothing, as seconds."""
    seconds = read_seconds(text)
    if not seconds:
        raise ValueError(f"{text!r} leaves no time at all; write for example 10s or 1m30s")
    return seconds


def read_name(text: str) -> str:
    """Text that can be written to a log: what the system has as bytes that are no UTF-8 cannot."""
    if not text.isprintable():
        raise ValueError(f"{text!r} is no name; leave out what cannot be printed")
    return text


def read_share(text: str) -> float:
    """A number from 0 to 1, also as ``1/100``."""
    one_in = _ONE_IN.fullmatch(text)
    if one_in is not None:
        return 1 / int(one_in[1])
    try:
        share = float(text) if _SHARE.fullmatch(text) else -1.0
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"{text!r} is no number from 0 to 1; write for example 0.01 or 1/100")
    return share


def read_mode(text: str) -> Mode | None:
    """A mode; None for no text."""
    try:
        return Mode(text) if text else None
    except ValueError:
        raise ValueError(f"{text!r} is no mode; use one of {', '.join(Mode)}") from None


def read_object_name(text: str) -> ObjectName | None:
    """``NAMESPACE/NAME``; None for no text."""
    namespace, slash, name = text.partition("/")
    if not text:
        return None
    if not (slash and re.fullmatch(_LABEL, namespace) and _SUBDOMAIN.fullmatch(name)):
        raise ValueError(f"{text!r} names no object; write NAMESPACE/NAME, for example statuscap/statuscap-certs")
    return ObjectName(namespace, name)


def read_service(text: str) -> str:
    """The name of a Service; empty for no text."""
    if text and not _SERVICE.fullmatch(text):
        raise ValueError(f"{text!r} is no name of a Service; write for example statuscap")
    return text


def read_registration(text: str) -> str:
    """The name of an object that is in no namespace."""
    if not _SUBDOMAIN.fullmatch(text):
        raise ValueError(f"{text!r} is no name of an object; write for example zz-statuscap")
    return text


def read_host(text: str) -> str:
    """The host of a URL; empty for no text."""
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        host = parts.hostname if parts.scheme == "https" and parts.port != 0 else None
    except ValueError:
        host = None
    if not host or not host.isascii():
        raise ValueError(f"{text!r} is no URL of a webhook; write for example https://10.0.0.7:8443")
    return host


def read_manage(text: str) -> Manage:
    """What is kept up to date."""
    try:
        return Manage(text)
    except ValueError:
        raise ValueError(f"{text!r} is nothing that can be managed; write {', '.join(Manage)}") from None
