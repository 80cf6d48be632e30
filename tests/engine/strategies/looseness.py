"""The same objects in other bytes: blanks, escapes, another order, members twice. No API server does that."""

from __future__ import annotations

import json

from msgspec.structs import replace as bent

from admission.engine.attributes import Attributes
from tests.engine.build import Json, raw
from tests.engine.strategies.dice import Dice, happens, pick

_BLANKS = ("", "", "", " ", "\n  ", "\t")


def loosened(dice: Dice, attributes: Attributes) -> Attributes:
    """The write in bytes that are not Go's."""
    twice = 4 if happens(dice, 20) else 0
    submitted = loose(dice, json.loads(bytes(attributes.submitted)), twice)
    stored = attributes.stored
    if stored is not None and happens(dice, 70):
        stored = raw(loose(dice, json.loads(bytes(stored)), 0).strip())
    return bent(attributes, submitted=raw(submitted.strip()), stored=stored, compact=False)


def loose(dice: Dice, value: Json, twice: int) -> str:
    """JSON text of a value; ``twice`` percent of its members come twice, and the last one counts."""
    before, after = pick(dice, _BLANKS), pick(dice, _BLANKS)
    match value:
        case dict():
            members = [_member(dice, name, inner, twice) for name, inner in value.items()]
            first = [f"{_text(dice, name)}:7" for name in value if name != "metadata" and happens(dice, twice)]
            made = "{" + ",".join(first + (members[::-1] if happens(dice, 50) else members)) + "}"
        case list():
            made = "[" + f"{after},".join(loose(dice, item, twice) for item in value) + "]"
        case str():
            made = _text(dice, value)
        case float() if happens(dice, 30):
            made = f"{value:.3e}".upper()
        case _:
            made = json.dumps(value)
    return f"{before}{made}{after}"


def _member(dice: Dice, name: str, value: Json, twice: int) -> str:
    return f"{_text(dice, name)}:{loose(dice, value, 0 if name == 'metadata' else twice)}"


def _text(dice: Dice, value: str) -> str:
    match dice.number(0, 3):
        case 0:
            return json.dumps(value)  # everything that is no ASCII as an escape
        case 1 if value.isalnum() and value.isascii():
            return '"' + "".join(f"\\u{ord(character):04X}" for character in value) + '"'
        case _:
            return json.dumps(value, ensure_ascii=False).replace("/", "\\/")
