"""The JSON Schema of a suite."""

from __future__ import annotations

from typing import Any

from admission.offline.suitemodels import KIND, SuiteModel
from admission.policyfile.jsonschema import schema_of


def suite_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one Suite document."""
    return schema_of(SuiteModel, KIND)
