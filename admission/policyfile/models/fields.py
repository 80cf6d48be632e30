"""Steps for fields in a policy file."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from admission.engine.steps import Drop, Step
from admission.policyfile.fields import MemberPath, Some
from admission.policyfile.models.base import StepModel


class DropModel(StepModel):
    """Removes fields, whatever they hold.

    A condition's `type`, `status`, `reason` and `observedGeneration` are read by machines and stay, and so does a
    list of conditions, which only goes with something that holds it. Items of a list are no fields: `capList` removes
    those.
    """

    step: ClassVar[type[Step]] = Drop
    example: ClassVar[str] = 'drop: {paths: [status.lastOutput, "status.nodes.*.log"]}'

    paths: Some[MemberPath] = Field(description="The fields.")

    def compile(self) -> Drop:
        """The engine's step."""
        return Drop(self.paths)
