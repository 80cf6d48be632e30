"""Labels of objects, and selectors of them, as the API server compares them (``metav1.LabelSelector``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct

from admission.engine.attributes import Attributes
from admission.errors import DocumentError


class LabelOperator(StrEnum):
    """How an expression of a selector compares."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"


@dataclass(frozen=True, slots=True)
class LabelExpression:
    """One comparison of a label. ``NotIn`` holds for an object without the label, too."""

    key: str
    operator: LabelOperator
    values: tuple[str, ...] = ()

    def selects(self, labels: Mapping[str, str]) -> bool:
        """True when the labels meet it."""
        match self.operator:
            case LabelOperator.IN:
                return self.key in labels and labels[self.key] in self.values
            case LabelOperator.NOT_IN:
                return self.key not in labels or labels[self.key] not in self.values
            case LabelOperator.EXISTS:
                return self.key in labels
            case LabelOperator.DOES_NOT_EXIST:
                return self.key not in labels


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """Selects objects that meet all expressions; without any it selects all."""

    expressions: tuple[LabelExpression, ...]

    def selects(self, labels: Mapping[str, str]) -> bool:
        """True when the labels meet every expression."""
        return all(expression.selects(labels) for expression in self.expressions)


class _Metadata(Struct):
    labels: dict[str, str] | None = None


class _Object(Struct):
    metadata: _Metadata | None = None


_LABELS: Final = msgspec.json.Decoder(_Object)


def labels_of(attributes: Attributes) -> Mapping[str, str]:
    """The labels of the stored object, else of the submitted one: a status write may leave them out.

    Raises:
        DocumentError: they are no map of texts.
    """
    value = attributes.submitted if attributes.stored is None else attributes.stored
    try:
        metadata = _LABELS.decode(value).metadata
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DocumentError(f"the labels cannot be read: {error}") from error
    return {} if metadata is None or metadata.labels is None else metadata.labels
