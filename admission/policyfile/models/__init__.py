"""The steps in a policy file: one model a step, in the file of the noun that it works on.

Field descriptions and docstrings are the source of the reference in ``policies/README.md`` and of the JSON Schema.
To add a step: write its model, with the engine's class in ``step`` and a small ``example``, and list it in
:data:`~admission.policyfile.models.acting.ACTING_MODELS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from admission.policyfile.models.acting import ACTING_MODELS
from admission.policyfile.models.base import StepModel, by_kind
from admission.policyfile.models.budget import BudgetModel

STEP_MODELS: Final[Mapping[str, type[StepModel]]] = {**ACTING_MODELS, **by_kind(BudgetModel)}
"""Every step's model by the engine's ``Step.kind``."""

__all__ = ["ACTING_MODELS", "STEP_MODELS", "StepModel"]
