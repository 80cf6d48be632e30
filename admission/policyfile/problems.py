"""What pydantic found, in the words of somebody who wants to mend a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from admission.errors import Problem
from admission.nearest import nearest
from admission.policyfile.lines import Lines, Loc
from admission.policyfile.wording import dotted, found, one_of

_QUOTED: Final = re.compile(r"'([^']*)'")
_TAG: Final = re.compile("<[a-z]+>")  # the branch that a union took, as the models name it


def problems_of(error: ValidationError, model: type[BaseModel], file: str, lines: Lines) -> list[Problem]:
    """Every error as a problem of the document that ``lines`` belong to."""
    found_errors = error.errors(include_url=False)
    unknown = [details for details in found_errors if details["type"] == "extra_forbidden"]
    misspelt = {_meant(details, model) for details in unknown}
    maps = {_loc(details)[:-1] for details in unknown}
    return [
        _problem(details, model, file, lines)
        for details in found_errors
        if not _follows_from_another(details, misspelt) and not _wants_what_is_absent(details, maps, lines)
    ]


def _follows_from_another(details: ErrorDetails, misspelt: set[Loc]) -> bool:
    """True when a key is missing because it is misspelt, or a list too short because its items are problems."""
    match details["type"]:
        case "missing":
            return _loc(details) in misspelt
        case "too_short":
            return bool(details["input"])
        case _:
            return False


def _wants_what_is_absent(details: ErrorDetails, maps: set[Loc], lines: Lines) -> bool:
    """True when a map lacks one of several keys (a policy that does nothing) and has one that nobody knows.

    That one is what was meant.
    """
    *around, key = _loc(details) or ("",)
    absent = key not in lines.below(tuple(around)).children
    return details["type"] == "value_error" and tuple(around) in maps and absent


def _meant(details: ErrorDetails, model: type[BaseModel]) -> Loc:
    """The place of the key that an unknown one was probably meant to be."""
    *around, key = _loc(details)
    return (*around, nearest(str(key), known_keys(model, tuple(around))) or "")


def _loc(details: ErrorDetails) -> Loc:
    own = len(details["loc"]) - 1 if details["type"] == "extra_forbidden" else None  # somebody's key, whatever it is
    return tuple(key for at, key in enumerate(details["loc"]) if at == own or not _TAG.fullmatch(str(key)))


def _problem(details: ErrorDetails, model: type[BaseModel], file: str, lines: Lines) -> Problem:
    loc = _loc(details)
    return Problem(file, lines.at(loc), dotted(loc), _message(details, model, loc))


def _message(details: ErrorDetails, model: type[BaseModel], loc: Loc) -> str:
    match details["type"]:
        case "extra_forbidden":
            return _unknown_key(str(loc[-1]), known_keys(model, loc[:-1]))
        case "missing":
            return "is missing" + _described(model, loc)
        case "value_error":
            return str(details["ctx"]["error"])
        case "enum" | "literal_error":
            expected = str(details["ctx"]["expected"])
            return _unknown_word(
                details["input"], _QUOTED.findall(expected) or [expected.lower()]
            )  # true has no quotes
        case kind if kind in _UNFIT or kind == "model_type":
            return _unfit(details, known_keys(model, loc))
        case _:
            return details["msg"]


def _unfit(details: ErrorDetails, keys: list[str]) -> str:
    """A value of the wrong type; ``keys`` are those of the map, or of each map in the list, that belongs there."""
    value = details["input"]
    match details["type"]:
        case "model_type":
            return f"expected a map, found {found(value)}; known here: {', '.join(keys)}"
        case "tuple_type" if keys and isinstance(value, dict):
            return "expected a list, found a map; write [{…}]"
        case "tuple_type" if keys:
            return f"expected a list of maps, found {found(value)}; known in each: {', '.join(keys)}"
        case kind:
            return _UNFIT[kind](value, details.get("ctx", {}))


def _unknown_key(key: str, known: list[str]) -> str:
    guess = nearest(key, known)
    return f'unknown key; did you mean "{guess}"?' if guess else f"unknown key; known here: {', '.join(known)}"


def _unknown_word(value: Any, known: list[str]) -> str:
    guess = nearest(value, known) if isinstance(value, str) else None
    ask = f'did you mean "{guess}"?' if guess and len(known) > 1 else f"write {one_of(known)}"
    return f"{found(value)} is not known; {ask}"


def _how_to_quote(value: Any) -> str:
    match value:
        case bool() | int():
            return f'; quote it: "{found(value)}"'
        case float():
            return "; quote it"
        case _:
            return ""


def _inside(value: Any) -> str:
    return value if isinstance(value, str) and value and len(value) < 40 and "\n" not in value else "…"


_UNFIT: Final[dict[str, Callable[[Any, dict[str, Any]], str]]] = {
    "string_type": lambda value, _: f"expected text, found {found(value)}{_how_to_quote(value)}",
    "int_type": lambda value, _: f"expected a whole number, found {found(value)}",
    "tuple_type": lambda value, _: f"expected a list, found {found(value)}; write [{_inside(value)}]",
    "dict_type": lambda value, _: f"expected a map, found {found(value)}",
    "too_short": lambda *_: "the list is empty; write at least one entry",
    "greater_than_equal": lambda value, context: f"must be at least {context['ge']}, found {found(value)}",
    "less_than_equal": lambda value, context: f"must be at most {context['le']}, found {found(value)}",
}
"""Messages about a value that does not fit its type, by pydantic's error type."""


def _described(model: type[BaseModel], loc: Loc) -> str:
    holder = model_at(model, loc[:-1])
    for field in () if holder is None else holder.model_fields.values():
        if field.alias == loc[-1] and field.description:
            first, _, _ = field.description.partition(". ")
            return f"; write {first[:1].lower()}{first[1:].removesuffix('.')}".replace("`", "")
    return ""


def known_keys(model: type[BaseModel], loc: Loc) -> list[str]:
    """The keys of the map at ``loc``, in the order of the language."""
    holder = model_at(model, loc)
    return [] if holder is None else [str(field.alias) for field in holder.model_fields.values()]


def model_at(model: type[BaseModel], loc: Loc) -> type[BaseModel] | None:
    """The model of the map that ``loc`` leads to, or None when there is none."""
    here: type[BaseModel] | None = model
    for key in loc:
        if isinstance(key, int) or here is None:
            continue
        fields = {field.alias: field for field in here.model_fields.values()}
        here = next(_models_in(fields[key].annotation), None) if key in fields else None
    return here


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
