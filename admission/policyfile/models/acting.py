"""The steps that change something themselves: those that another step may run."""

from __future__ import annotations

from typing import Final

from admission.policyfile.models.base import by_kind
from admission.policyfile.models.conditions import CapConditionsModel
from admission.policyfile.models.fields import DropModel
from admission.policyfile.models.lists import CapListModel, DedupeModel, ExpireModel
from admission.policyfile.models.maps import CapMapModel
from admission.policyfile.models.schema import FitSchemaModel
from admission.policyfile.models.strings import TruncateModel
from admission.policyfile.models.times import RestoreTimesModel

ACTING_MODELS: Final = by_kind(
    CapConditionsModel,
    CapListModel,
    ExpireModel,
    DedupeModel,
    CapMapModel,
    TruncateModel,
    DropModel,
    RestoreTimesModel,
    FitSchemaModel,
)
"""Their models by the engine's ``Step.kind``."""
