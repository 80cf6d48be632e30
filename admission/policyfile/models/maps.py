"""Steps for maps in a policy file."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import Field

from admission.engine.steps import CapMap, Step
from admission.policyfile.fields import AtLeastZero, Path
from admission.policyfile.models.base import StepModel
from admission.policyfile.order import EntryOrderModel
from admission.policyfile.requirements import Requirements, compiled

BY_KEY: Final = EntryOrderModel(keyAs="Natural")


class CapMapModel(StepModel):
    """Keeps at most `max` entries of a map that is used as a history.

    Entries that meet all of `evictWhere` go, oldest first; the others stay and count toward `max`, which they alone may
    exceed (reason `CapUnreachable`). Lists of conditions never go.
    """

    step: ClassVar[type[Step]] = CapMap
    example: ClassVar[str] = """\
capMap:
  path: status.executorState
  max: 50
  evictWhere: [{field: ., operator: In, values: [COMPLETED, FAILED]}]
  order: {keyAs: Natural}"""

    path: Path = Field(description="The map. With wildcards, every map that it leads to is trimmed by itself.")
    max: AtLeastZero = Field(description="How many entries may stay.")
    evict_where: Requirements = Field(
        default=(),
        description="Requirements on an entry that may go, all must hold; without any, every entry may. `.` is the "
        "entry's value itself.",
    )
    order: EntryOrderModel = Field(
        default=BY_KEY,
        description="Which entries are newer: `{keyAs: Natural}` by their keys, or `{by: FIELD, as: Time}` (`Number`, "
        "`Natural`) by a field of the entry; the highest is the newest, ties by key.",
        json_schema_extra={"default": {"keyAs": "Natural"}},
    )

    def compile(self) -> CapMap:
        """The engine's step."""
        return CapMap(self.path, self.max, compiled(self.evict_where), self.order.compile())
