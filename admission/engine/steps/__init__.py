"""The steps of the policy language: one frozen class each, one table.

A step is pure data with one method, :meth:`Step.apply`. To add one: write the class in the room of its kind, list it
in :data:`STEPS`, give it a model in ``admission/policyfile/models/`` and a suite in ``tests/cases/``.
"""

from __future__ import annotations

from typing import Final

from admission.engine.steps.base import Effect, Step
from admission.engine.steps.budget import Budget
from admission.engine.steps.conditions import CapConditions
from admission.engine.steps.duplicates import Dedupe
from admission.engine.steps.fields import Drop
from admission.engine.steps.lists import CapList, Expire
from admission.engine.steps.maps import CapMap
from admission.engine.steps.schema import FitSchema
from admission.engine.steps.strings import Truncate
from admission.engine.steps.times import RestoreTimes

STEPS: Final[tuple[type[Step], ...]] = (
    CapConditions,
    CapList,
    Expire,
    Dedupe,
    CapMap,
    Truncate,
    Drop,
    RestoreTimes,
    FitSchema,
    Budget,
)
"""Every step, in the order of the reference."""

__all__ = [
    "STEPS",
    "Budget",
    "CapConditions",
    "CapList",
    "CapMap",
    "Dedupe",
    "Drop",
    "Effect",
    "Expire",
    "FitSchema",
    "RestoreTimes",
    "Step",
    "Truncate",
]
