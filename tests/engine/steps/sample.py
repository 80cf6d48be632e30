"""Items by the letters of their ids."""

from __future__ import annotations

from tests.engine.build import Json


def ids(items: list[Json]) -> str:
    return "".join(item["id"] for item in items)


def items(text: str, **fields: list[Json]) -> list[Json]:
    """One item a letter; ``...`` leaves a field out."""
    return [
        {"id": letter} | {name: values[n] for name, values in fields.items() if values[n] is not ...}
        for n, letter in enumerate(text)
    ]
