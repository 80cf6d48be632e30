"""What a schema demands that a step would break: the step stops there, so what it is written for does not come true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from admission.crd.shape import Shape, Type
from admission.engine.fieldpath import FieldPath, Index, Items, Member
from admission.engine.schema import OpenApi
from admission.engine.steps import Drop, Step, Truncate
from admission.offline.fit.remark import Remark
from admission.offline.fit.trace import Found, trace


def demands(root: Shape, path: FieldPath, found: Found, step: Step) -> Iterator[Remark]:
    """Remarks on a path of a step that leads somewhere."""
    telling_apart = [*_telling_apart(root, path, step)] if isinstance(step, Drop | Truncate) else []
    if telling_apart:
        yield from telling_apart
    elif isinstance(step, Drop):
        yield from _required(path, found)
    elif isinstance(step, Truncate):
        yield from _not_to_be_cut(path, found.shape, step)
    elif step.kind == "fitSchema":
        yield from _without_a_limit(path, found.shape)
    else:
        yield from _at_least(path, found.shape, step)


def _telling_apart(root: Shape, path: FieldPath, step: Step) -> Iterator[Remark]:
    """The key of a keyed list, and the items of a set."""
    for end, segment in enumerate(path.segments):
        if not isinstance(segment, Items | Index):
            continue
        around = FieldPath(path.segments[:end])
        holder = trace(root, around)
        if isinstance(holder, Found) and _tells_apart(holder.shape.openapi, path, end):
            yield Remark(
                f"{path} tells the items of {around} apart in", f"; {step.kind} leaves it as it is: leave the path out"
            )


def _tells_apart(openapi: OpenApi, path: FieldPath, end: int) -> bool:
    if openapi.get("x-kubernetes-list-type") == "set":
        return True
    below = path.segments[end + 1 :]
    keys = _words(openapi, "x-kubernetes-list-map-keys")
    return len(below) == 1 and isinstance(below[0], Member) and below[0].name in keys


def _required(path: FieldPath, found: Found) -> Iterator[Remark]:
    last = path.segments[-1]
    if isinstance(last, Member) and last.name in _words(found.holder.openapi, "required"):
        yield Remark(
            f"{path} is required in",
            "; without it the API server refuses the write, so drop leaves it: leave the path out",
        )


def _not_to_be_cut(path: FieldPath, shape: Shape, step: Truncate) -> Iterator[Remark]:
    if shape.type is Type.TEXT and shape.form is not None:
        yield Remark(
            f"{path} has {'an' if shape.form == 'enum' else 'a'} {shape.form} in",
            ", which a cut text would not meet, so truncate leaves it: leave the path out",
        )
    elif _count(shape, "minLength") > step.max_bytes:
        least = _count(shape, "minLength")
        yield Remark(
            f"{path} has at least {least} characters in", f"; with maxBytes: {step.max_bytes} it is never short enough"
        )


def _without_a_limit(path: FieldPath, shape: Shape) -> Iterator[Remark]:
    word = "maxItems" if shape.type is Type.LIST else "maxLength"
    if shape.type is not Type.ANY and word not in shape.openapi:
        yield Remark(f"{path} has no {word} in", ", so fitSchema does nothing there: leave the path out")


def _at_least(path: FieldPath, shape: Shape, step: Step) -> Iterator[Remark]:
    noun, word = ("entries", "minProperties") if step.kind == "capMap" else ("items", "minItems")
    least = _count(shape, word)
    most, newest = getattr(step, "max", None), getattr(step, "keep_newest", None)
    head = f"{path} has at least {least} {noun} in"
    if isinstance(most, int) and least > most:
        yield Remark(head, f", so max: {most} is never reached; write {least} or more")
    elif isinstance(newest, int) and least > newest:
        yield Remark(head, ", so as many stay however old they are", wrong=False)


def _words(openapi: OpenApi, key: str) -> Sequence[Any]:
    value = openapi.get(key)
    return value if isinstance(value, list) else ()


def _count(shape: Shape, word: str) -> int:
    value = shape.openapi.get(word)
    return value if isinstance(value, int) else 0
