"""Limits in a policy file: what may not be bigger when everything is trimmed."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ConfigDict, Field, model_validator

from admission.engine.limits import Action, Items, Length, Limit, Size
from admission.engine.sides import Of
from admission.policyfile.fields import AtLeastZero, Bytes, Model, Path, Word, leads_to_a_list

_KINDS: Final = {"max_bytes": "maxBytes", "max_items": "maxItems", "max_length": "maxLength"}


def _one_kind_in_schema(schema: dict[str, Any]) -> None:
    def kind(*keys: str, without: tuple[str, ...]) -> dict[str, Any]:
        return {"required": [*keys], "not": {"anyOf": [{"required": [key]} for key in without]}}

    schema["oneOf"] = [
        kind("maxBytes", without=("path", "maxItems", "maxLength")),
        kind("path", "maxItems", without=("of", "maxBytes", "maxLength")),
        kind("path", "maxLength", without=("of", "maxBytes", "maxItems")),
    ]


class LimitModel(Model):
    """What is too big: a number of bytes, of items of a list, or of characters of a text.

    Judged when everything is trimmed. A write that makes nothing larger than it is stored is never rejected, nor is
    one of an object that is being deleted: it warns.
    """

    model_config = ConfigDict(json_schema_extra=_one_kind_in_schema)

    max_bytes: Bytes | None = Field(default=None, description="The most bytes, as etcd stores them.")
    of: Word[Of] | None = Field(
        default=None, description="What `maxBytes` measures: the `Status` (if not given), or the whole `Object`."
    )
    path: Path | None = Field(
        default=None, description="The list or text of `maxItems` or `maxLength`; with wildcards, the largest counts."
    )
    max_items: AtLeastZero | None = Field(default=None, description="The most items of the list.")
    max_length: AtLeastZero | None = Field(default=None, description="The most characters (code points) of the text.")
    action: Word[Action] = Field(
        description="What comes of it: `Reject` refuses the write and says why (413), `Warn` only tells the writer."
    )

    @model_validator(mode="after")
    def _measures_one_thing(self) -> LimitModel:
        given = [key for name, key in _KINDS.items() if getattr(self, name) is not None]
        if not given:
            raise ValueError("measures nothing; write maxBytes, or a path with maxItems or maxLength")
        if len(given) > 1:
            raise ValueError(f"measures {len(given)} things ({', '.join(given)}); write one entry for each")
        self._fits_together(given[0])
        return self

    def _fits_together(self, kind: str) -> None:
        if self.max_bytes is not None:
            if self.path is not None:
                raise ValueError("has a path, but maxBytes measures of: Status or Object; write maxItems or maxLength")
            return
        if self.of is not None:
            raise ValueError(f"has of, which says what maxBytes measures; leave it out beside {kind}")
        if self.path is None:
            example = "status.history" if self.max_items is not None else '"status.conditions[*].message"'
            raise ValueError(f"has no path; say what {kind} measures, for example path: {example}")
        if self.max_items is not None:
            leads_to_a_list(self.path)

    def compile(self) -> Limit:
        """The engine's limit."""
        if self.max_bytes is not None:
            return Limit(Size(self.of or Of.STATUS), self.max_bytes, self.action)
        assert self.path is not None, "it was checked"  # noqa: S101
        if self.max_items is not None:
            return Limit(Items(self.path), self.max_items, self.action)
        assert self.max_length is not None, "it was checked"  # noqa: S101
        return Limit(Length(self.path), self.max_length, self.action)
