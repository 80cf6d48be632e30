"""The form of a suite file, before its objects become writes."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field

from admission.engine.decision import Outcome
from admission.engine.instant import parse_time
from admission.engine.policy import Mode
from admission.policyfile.fields import AtLeastZero, Bytes, Many, Model, Some, Word
from admission.policyfile.wording import quote

KIND: Final = "Suite"


def _checked_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{quote(text)} is no regular expression: {error}") from error
    return text


def _checked_time(text: str) -> str:
    if parse_time(text) is None:
        raise ValueError(f"{quote(text)} is no time; write for example 2026-01-01T00:00:00Z")
    return text


Pattern: TypeAlias = Annotated[str, AfterValidator(_checked_pattern)]
"""A regular expression that is searched for."""

Time: TypeAlias = Annotated[str, AfterValidator(_checked_time)]
"""An RFC 3339 time."""


class ResourceModel(Model):
    """What the objects are written to."""

    group: str | None = Field(default=None, description="The API group.")
    version: str | None = Field(default=None, description="The API version; the object's if not given.")
    resource: str | None = Field(default=None, description="The plural in lower case.")
    subresource: str | None = Field(default=None, description="`status`, or empty for a kind without it.")


class RequestModel(Model):
    """Who writes, and how; what is not given is taken from the object."""

    user: str | None = Field(default=None, description="`userInfo.username`.")
    operation: Literal["CREATE", "UPDATE"] = Field(default="UPDATE", description="`CREATE` or `UPDATE`.")
    request_dry_run: bool = Field(default=False, alias="dryRun", description="The caller's dry-run flag.")
    name: str | None = Field(default=None, description="The name in the request.")
    namespace: str | None = Field(default=None, description="The namespace in the request.")
    field_manager: str | None = Field(default=None, description="The field manager in the request's options.")


class BytesAfterModel(Model):
    """The stored size of the policy's root after the patch."""

    max: Bytes = Field(description="The most bytes.")


class ExpectModel(Model):
    """What must come of the write; what is named must hold."""

    outcome: Word[Outcome] | None = Field(default=None, description="The outcome.")
    status: Any = Field(default=None, description="The exact status after the patch.")
    managed_fields: Any = Field(default=None, description="The exact `metadata.managedFields` after the patch.")
    object: dict[str, Any] | None = Field(
        default=None, description="Members of the object after the patch; those named are compared exactly."
    )
    patch: list[Any] | None = Field(default=None, description="The exact operations.")
    max_patch_ops: AtLeastZero | None = Field(default=None, description="The most operations.")
    bytes_after: BytesAfterModel | None = Field(default=None, description="The size of the root after the patch.")
    code: int | None = Field(default=None, description="The HTTP status of a rejection.")
    message: Pattern | None = Field(default=None, description="A regular expression found in a rejection's message.")
    warnings: Many[Pattern] | None = Field(default=None, description="One regular expression for each warning.")


class CaseModel(Model):
    """One write and what must come of it."""

    name: str = Field(description="What the case shows, as a sentence.")
    now: Time | None = Field(default=None, description="The time to judge by; the moment of the run if not given.")
    resource: ResourceModel | None = Field(default=None, description="Merged over the suite's.")
    request: RequestModel = Field(default=RequestModel(), description="Who writes, and how.")
    object: dict[str, Any] | None = Field(default=None, description="The submitted object.")
    object_file: str | None = Field(default=None, description="The file of the submitted object.")
    old_object: dict[str, Any] | None = Field(default=None, description="The stored object.")
    old_object_file: str | None = Field(default=None, description="The file of the stored object.")
    expect: ExpectModel = Field(description="What must come of it.")


class SuiteModel(Model):
    """Policies and the cases that they must pass."""

    api_version: Literal["statuscap.dev/v1alpha1"] = Field(description="Always `statuscap.dev/v1alpha1`.")
    kind: Literal["Suite"] = Field(description="Always `Suite`.")
    metadata: dict[str, Any] | None = Field(default=None, description="For your own tools.")
    policies: Some[Any] = Field(description="Files of policies, relative to the suite, or policies themselves.")
    mode: Word[Mode] | None = Field(default=None, description="Evaluate every policy as if in this mode.")
    resource: ResourceModel | None = Field(default=None, description="What the objects are written to.")
    openapi_schema: dict[str, Any] | None = Field(
        default=None,
        alias="schema",
        description="The CRD version's `openAPIV3Schema`, whose demands no trim may break.",
    )
    cases: Some[CaseModel] = Field(description="The cases.")
