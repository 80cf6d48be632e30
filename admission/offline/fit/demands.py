"""What a schema demands that a step would break: the step stops there, so what it is written for does not come true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from admission.crd.shape import Shape, Type
from admission.engine.fieldpath import FieldPath, Index, Items, Member, Segment
from admission.engine.schema import Schema
from admission.engine.steps import CapConditions, CapList, CapMap, Drop, Expire, FitSchema, Step, Truncate
from admission.offline.fit.remark import Remark
from admission.offline.fit.trace import Found, trace


def demands(root: Shape, path: FieldPath, found: Found, step: Step) -> Iterator[Remark]:
    """Remarks on a path of a step that leads somewhere."""
    demanded = Schema.of(found.shape.openapi)
    telling_apart = [*_telling_apart(root, path, step)] if isinstance(step, Drop | Truncate | FitSchema) else []
    if telling_apart:
        yield from telling_apart
    elif isinstance(step, Drop):
        yield from _required(path, found)
    elif isinstance(step, Truncate | FitSchema):
        yield from _not_to_be_cut(path, found.shape, demanded, step)
    else:
        yield from _at_least(path, demanded, step)


def _telling_apart(root: Shape, path: FieldPath, step: Step) -> Iterator[Remark]:
    """The key of a keyed list, and the items of a set."""
    for end, segment in enumerate(path.segments):
        if not isinstance(segment, Items | Index):
            continue
        around = FieldPath(path.segments[:end])
        holder = trace(root, around)
        if isinstance(holder, Found) and _tells_apart(Schema.of(holder.shape.openapi), path.segments[end + 1 :]):
            yield Remark(
                f"{path} tells the items of {around} apart in", f"; {step.kind} leaves it as it is: leave the path out"
            )


def _tells_apart(list_of_items: Schema, below: Sequence[Segment]) -> bool:
    """True for all of an item of a set, and for a key of a keyed list."""
    if list_of_items.is_set:
        return True
    name = below[0].name if len(below) == 1 and isinstance(below[0], Member) else None
    return name in list_of_items.keys


def _required(path: FieldPath, found: Found) -> Iterator[Remark]:
    last = path.segments[-1]
    if isinstance(last, Member) and last.name in Schema.of(found.holder.openapi).required:
        yield Remark(
            f"{path} is required in",
            "; without it the API server refuses the write, so drop leaves it: leave the path out",
        )


def _not_to_be_cut(path: FieldPath, shape: Shape, demanded: Schema, step: Truncate | FitSchema) -> Iterator[Remark]:
    if demanded.text.is_exact and shape.type is Type.TEXT:
        form = shape.form or "form"
        yield Remark(
            f"{path} has {'an' if form == 'enum' else 'a'} {form} in",
            f", which a cut text would not meet, so {step.kind} leaves it: leave the path out",
        )
    elif isinstance(step, FitSchema):
        yield from _without_a_limit(path, shape, demanded)
    elif demanded.text.min_length > step.max_bytes:
        head = f"{path} has at least {demanded.text.min_length} characters in"
        yield Remark(head, f"; with maxBytes: {step.max_bytes} it is never short enough")


def _without_a_limit(path: FieldPath, shape: Shape, demanded: Schema) -> Iterator[Remark]:
    word, limit = ("maxItems", demanded.max_items) if shape.type is Type.LIST else ("maxLength", demanded.max_length)
    if limit is None and shape.type is not Type.ANY:
        yield Remark(f"{path} has no {word} in", ", so fitSchema does nothing there: leave the path out")


def _at_least(path: FieldPath, demanded: Schema, step: Step) -> Iterator[Remark]:
    of_a_map = isinstance(step, CapMap)
    least, one, more = (
        (demanded.min_properties, "entry", "entries") if of_a_map else (demanded.min_items, "item", "items")
    )
    head = f"{path} has at least {least} {one if least == 1 else more} in"
    match step:
        case CapList(max=most) | CapConditions(max=most) | CapMap(max=most) if least > most:
            yield Remark(head, f", so max: {most} is never reached; write {least} or more")
        case Expire(keep_newest=newest) if least > newest:
            yield Remark(head, ", so as many stay however old they are", wrong=False)
        case _:
            pass
