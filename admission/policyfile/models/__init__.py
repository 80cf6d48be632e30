"""The steps in a policy file: one model a step, in the file of the noun that it works on.

Field descriptions and docstrings are the source of the reference in ``policies/README.md`` and of the JSON Schema.
To add a step: write its model, with the engine's class in ``step`` and a small ``example``, and list it in
:data:`STEP_MODELS`.
"""

from __future__ import annotations

from typing import Final

from admission.policyfile.models.base import StepModel
from admission.policyfile.models.conditions import CapConditionsModel
from admission.policyfile.models.fields import DropModel
from admission.policyfile.models.lists import CapListModel, DedupeModel, ExpireModel
from admission.policyfile.models.maps import CapMapModel
from admission.policyfile.models.strings import TruncateModel
from admission.policyfile.models.times import RestoreTimesModel


def _by_kind(*models: type[StepModel]) -> dict[str, type[StepModel]]:
    return {model.step.kind: model for model in models}


STEP_MODELS: Final = _by_kind(
    CapConditionsModel, CapListModel, ExpireModel, DedupeModel, CapMapModel, TruncateModel, DropModel, RestoreTimesModel
)
"""Every step's model by the engine's ``Step.kind``."""

__all__ = ["STEP_MODELS", "StepModel"]
