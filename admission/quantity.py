"""Kubernetes quantities as bytes: ``32Ki``, ``1Mi``, ``500k``, ``1.5Gi``, ``1e6``, plain whole numbers."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

MAX_BYTES: Final = 2**63 - 1
"""What a quantity in Kubernetes can hold."""

_QUANTITY: Final = re.compile(
    r"(?P<number>\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:(?P<suffix>[KMGTPE]i|[kMGTPE])|[eE](?P<exponent>[+-]?\d{1,2}))?",
    re.ASCII,
)
_NEARLY: Final = re.compile(r"\s*(\d{1,30})\s*([kmgtpe])i?(?:b|bytes)?\s*", re.ASCII | re.IGNORECASE)
_DECIMAL: Final = {suffix: Decimal(1000) ** power for power, suffix in enumerate("kMGTPE", start=1)}
_BINARY: Final = {f"{suffix}i": Decimal(1024) ** power for power, suffix in enumerate("KMGTPE", start=1)}
_FACTORS: Final = _DECIMAL | _BINARY
_KI: Final = 1024
_MOST_WHOLE: Final = 10_000  # 1400Ki is read as it is written, 1433600Ki is not
_THREE_DIGITS: Final = 100


def parse_bytes(value: int | str) -> int:
    """Bytes that a quantity stands for.

    Raises:
        ValueError: it is no quantity, or no whole positive number of bytes; the message says what to write.
    """
    size = Decimal(value) if isinstance(value, int) else parse_quantity(value)
    if size < 1:
        raise ValueError(f"{value} is no positive number of bytes; write for example 32Ki")
    if size != size.to_integral_value():
        raise ValueError(f"{value} is no whole number of bytes; write for example 32Ki")
    if size > MAX_BYTES:
        raise ValueError(f"{value} is more than a quantity can hold ({MAX_BYTES})")
    return int(size)


def parse_quantity(text: str) -> Decimal:
    """What a quantity stands for, exactly.

    Raises:
        ValueError: it is no quantity; the message says what to write.
    """
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(f'"{text}" is no quantity; write for example {_suggestion(text)}')
    factor = _FACTORS[match["suffix"]] if match["suffix"] else Decimal(10) ** int(match["exponent"] or 0)
    return Decimal(match["number"]) * factor


def _suggestion(text: str) -> str:
    match = _NEARLY.fullmatch(text)
    return f"{match[1]}{match[2].upper()}i" if match else "32Ki, 1Mi, 500k or a plain number of bytes"


def as_quantity(size: int) -> str:
    """Bytes as a person writes them into a policy: whole where that is exact, else three digits or so.

    ``900 bytes``, ``1400Ki``, ``1Mi``, ``1.2Mi``, ``148Ki``.
    """
    if size < _KI:
        return f"{size} {'byte' if size == 1 else 'bytes'}"
    units = [(suffix, int(factor)) for suffix, factor in _BINARY.items() if size >= factor]
    for suffix, factor in reversed(units):
        if size % factor == 0 and size < _MOST_WHOLE * factor:
            return f"{size // factor}{suffix}"
    suffix, factor = units[-1]
    if round(size / factor) >= _KI:
        return f"1{list(_BINARY)[len(units)]}"  # a little less: three digits do not show it
    return f"{size / factor:.1f}{suffix}" if size < _THREE_DIGITS * factor else f"{size / factor:.0f}{suffix}"
