"""An entry that holds one of several steps: one key, and when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field, create_model, model_validator
from pydantic.alias_generators import to_snake

from admission.engine.policy import Trim
from admission.policyfile.fields import Model
from admission.policyfile.models.base import StepModel
from admission.policyfile.requirements import Requirements, compiled
from admission.policyfile.wording import one_of


class Entry(Model):
    """What entries have in common. ``models`` are the steps that one may hold, by their keys."""

    models: ClassVar[Mapping[str, type[StepModel]]]

    when: Requirements = Field(
        default=(), description="Requirements on the object as the step finds it; the step runs when all hold."
    )

    @model_validator(mode="after")
    def _has_one_step(self) -> Entry:
        given = self.model_fields_set - {"when"}
        if not given:
            raise ValueError(f"has no step; write {one_of(self.models)}")
        if len(given) > 1:
            keys = [kind for kind in self.models if to_snake(kind) in given]
            raise ValueError(f"has {len(given)} steps ({', '.join(keys)}); write one entry for each")
        return self

    @property
    def kind(self) -> str:
        """The key of the step (``capList``)."""
        return next(kind for kind in self.models if to_snake(kind) in self.model_fields_set)

    @property
    def step(self) -> StepModel:
        """The step's own model."""
        model = getattr(self, to_snake(self.kind))
        assert isinstance(model, StepModel)  # noqa: S101 - the fields are made from the models
        return model

    def compile(self) -> Trim:
        """The engine's entry."""
        return Trim(self.step.compile(), compiled(self.when))


def entry_model(base: type[Entry], models: Mapping[str, type[StepModel]]) -> Any:
    """The model of entries that hold one of these steps; name and docstring are those of ``base``.

    Absent steps are None by default, but ``capList:`` with nothing after it is an error: None is not in the type.
    """
    fields: dict[str, Any] = {
        to_snake(kind): (
            model,
            Field(default=None, alias=kind, validate_default=False, description=first_sentence(model.__doc__)),
        )
        for kind, model in models.items()
    }
    made = create_model(f"{base.__name__}Model", __base__=base, __doc__=base.__doc__, **fields)

    def one_step_in_schema(schema: dict[str, Any]) -> None:
        for kind in models:
            schema["properties"][kind].pop("default", None)
        schema["oneOf"] = [{"required": [kind]} for kind in models]

    made.models = models
    made.model_config["json_schema_extra"] = one_step_in_schema
    return made


def first_sentence(text: str | None) -> str:
    """A docstring's first line."""
    return (text or "").strip().partition("\n")[0]
