"""Steps that go by the schema of the kind in a policy file."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from admission.engine.steps import FitSchema, Step
from admission.policyfile.fields import Path, Some
from admission.policyfile.models.base import StepModel


class FitSchemaModel(StepModel):
    """Cuts strings and lists to the `maxLength` and `maxItems` of the CRD, beyond which the API server refuses a write.

    A string keeps its start, without a marker; a list of conditions what `capConditions` would leave, another list its
    first items. Strings with a `pattern`, an `enum` or a `format`, times and quantities, the keys of list items, and a
    condition's `type`, `status`, `reason` and `observedGeneration` are never cut. The schema comes from `--crds` or
    `--cluster`, in a suite from `schema`; without it nothing is done (reason `SchemaUnknown`).
    """

    step: ClassVar[type[Step]] = FitSchema
    example: ClassVar[str] = 'fitSchema: {paths: [status.conditions, "status.conditions[*].message"]}'

    paths: Some[Path] | None = Field(
        default=None, description="The strings and lists; if not given, everything in the root that the CRD limits."
    )

    def compile(self) -> FitSchema:
        """The engine's step."""
        return FitSchema(self.paths or ())
