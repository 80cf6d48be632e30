"""The JSON Schema of a policy, from which the reference of the language is made."""

from __future__ import annotations

from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from admission.policyfile.document import API_VERSION, KIND, StatusPolicyModel

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class _Untitled(GenerateJsonSchema):
    """Without a title for every field: it would only repeat the key."""

    def field_title_should_be_set(self, schema: core_schema.CoreSchema | Any) -> bool:
        return False


def policy_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one StatusPolicy document."""
    schema = StatusPolicyModel.model_json_schema(by_alias=True, schema_generator=_Untitled)
    group, _, version = API_VERSION.partition("/")
    return {"$schema": DIALECT, "$id": f"https://{group}/{version}/{KIND.lower()}.json", **schema, "title": KIND}
