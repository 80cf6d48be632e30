"""The JSON Schema of what users write, from which the reference of the language is made too."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel
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
    return schema_of(StatusPolicyModel, KIND)


def schema_of(model: type[BaseModel], kind: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one document of a kind."""
    schema = model.model_json_schema(by_alias=True, schema_generator=_Untitled)
    return headed(kind, schema)


def headed(title: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with its dialect, its address and its title."""
    return {"$schema": DIALECT, "$id": f"https://{API_VERSION}/{title.lower()}.json", **schema, "title": title}
