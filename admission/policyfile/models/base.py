"""What every step's model has, and the words that several of them share."""

from __future__ import annotations

from typing import ClassVar, Final

from admission.engine.fieldpath import FieldPath
from admission.engine.steps import Step
from admission.policyfile.fields import Model

LIST_PATH: Final = "The list. With wildcards, every list that it leads to is trimmed by itself."
TIME_FIELDS: Final = "Where an item keeps its time: the first of these fields that holds a known one counts."
DEFAULT_CONDITIONS: Final = FieldPath.parse("status.conditions")


class StepModel(Model):
    """What every step's model has. Its docstring is the step's section in the reference."""

    step: ClassVar[type[Step]]
    """The engine's class."""
    example: ClassVar[str]
    """One entry of ``trim`` in YAML, for the reference; a test loads it."""

    def compile(self) -> Step:
        """The engine's step."""
        raise NotImplementedError


def by_kind(*models: type[StepModel]) -> dict[str, type[StepModel]]:
    """Models by the engine's ``Step.kind``."""
    return {model.step.kind: model for model in models}
