"""Steps that run others in a policy file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from pydantic import Field, model_validator

from admission.engine.sides import Of
from admission.engine.steps import Budget, Step
from admission.policyfile.fields import Bytes, Some, Word
from admission.policyfile.models.acting import ACTING_MODELS
from admission.policyfile.models.base import StepModel
from admission.policyfile.models.entry import Entry, entry_model


class BudgetEntry(Entry):
    """One entry of a budget's `steps`: as in `trim`, but for another budget."""

    @model_validator(mode="before")
    @classmethod
    def _holds_no_budget(cls, data: Any) -> Any:
        if isinstance(data, dict) and Budget.kind in data:
            raise ValueError("a budget holds no other budget; write the steps of that one here")
        return data


if TYPE_CHECKING:
    BudgetEntryModel: TypeAlias = BudgetEntry
else:
    BudgetEntryModel = entry_model(BudgetEntry, ACTING_MODELS)


class BudgetModel(StepModel):
    """Runs its steps in their order until the status, or the whole object, fits into `maxBytes`; then it stops.

    Write the gentlest step first. What fits is left alone. When all steps have run and it still does not fit, what
    they cut stays cut (reason `BudgetUnreachable`): say with `limits` what is to become of such a write. On a `/status`
    write the object is the stored one with this status in place of its own.
    """

    step: ClassVar[type[Step]] = Budget
    example: ClassVar[str] = """\
budget:
  maxBytes: 1Mi
  of: Object
  steps:
    - truncate: {paths: [status.output], maxBytes: 64Ki, keep: Tail}
    - capConditions: {max: 20}"""

    max_bytes: Bytes = Field(description="The most bytes, as etcd stores them.")
    of: Word[Of] = Field(
        default=Of.STATUS, description="What `maxBytes` measures: the `Status` (the root), or the whole `Object`."
    )
    steps: Some[BudgetEntryModel] = Field(
        description="The steps, in the order in which they run; another budget is none of them."
    )

    def compile(self) -> Budget:
        """The engine's step."""
        return Budget(self.max_bytes, self.of, tuple(entry.compile() for entry in self.steps))
