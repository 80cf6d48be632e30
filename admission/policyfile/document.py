"""A StatusPolicy document: which writes it looks at, the steps that it takes, and what is too big after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from pydantic import Field, ValidationInfo, field_validator

from admission.engine.attributes import STATUS
from admission.engine.policy import Mode, Policy
from admission.engine.rollout import EVERYBODY, NOBODY
from admission.policyfile.fields import Many, Model, Name, Root, Word
from admission.policyfile.limits import LimitModel
from admission.policyfile.match import MatchModel
from admission.policyfile.models import STEP_MODELS
from admission.policyfile.models.entry import Entry, entry_model
from admission.policyfile.suppress import SuppressModel
from admission.policyfile.wording import one_of

API_VERSION: Final = "statuscap.dev/v1alpha1"
KIND: Final = "StatusPolicy"
DESCRIPTION: Final = "statuscap.dev/description"
NEVER_TOUCHES: Final = "statuscap.dev/never-touches"
SAVES: Final = "statuscap.dev/saves"
UPSTREAM: Final = "statuscap.dev/upstream"


class TrimEntry(Entry):
    """One entry of `trim`: exactly one step, and optionally when it runs."""


if TYPE_CHECKING:
    TrimModel: TypeAlias = TrimEntry
else:
    TrimModel = entry_model(TrimEntry, STEP_MODELS)


class MetadataModel(Model):
    """Name and notes."""

    name: Name = Field(description="A DNS-1123 name, one of a kind among all policies that are loaded together.")
    labels: dict[str, str] = Field(default={}, description="For your own tools.")
    annotations: dict[str, str] = Field(
        default={},
        description=f"`{DESCRIPTION}` says what the policy does, `{NEVER_TOUCHES}` what it leaves alone and why, "
        f"`{SAVES}` what that saved where it was measured, `{UPSTREAM}` what the controller does itself; "
        "the rest is for your own tools.",
    )


class RolloutModel(Model):
    """How much of the cluster a policy's mode holds for.

    An object is in or out by its group, resource, namespace and name alone: it never changes sides by itself, and a
    growing percentage only adds objects. For the others, and for those without a name yet (`generateName`), the policy
    is as in `DryRun`.
    """

    percent: Annotated[int, Field(ge=NOBODY, le=EVERYBODY)] = Field(
        description="Percent of the objects; 100 are all of them."
    )


class SpecModel(Model):
    """What the policy looks at and what it does."""

    mode: Word[Mode] = Field(
        default=Mode.DRY_RUN,
        description="`Enforce` changes writes, `Warn` and `DryRun` only say what they would have done (`Warn` to the "
        "writer too), `Off` does nothing.",
    )
    priority: Annotated[int, Field(ge=-(2**31), le=2**31 - 1)] = Field(
        default=0, description="Policies apply in ascending order, 0 before 10; equal ones by name."
    )
    root: Root = Field(
        default=STATUS,
        description="The member of the object that is trimmed. Another one than `status` (`results` of a report) "
        "is for resources without `/status`.",
    )
    rollout: RolloutModel | None = Field(
        default=None, description="For how many of the objects `mode` holds; for all, if not given."
    )
    allow_core: bool = Field(
        default=False,
        description="Lets `match` name groups that the API server serves itself, such as `apps`. The cluster stands on "
        "them: stay in `DryRun` for long. Nodes, pods and leases are out in any case.",
    )
    match: MatchModel = Field(description="Which writes the policy looks at.")
    trim: Many[TrimModel] = Field(default=(), description="Steps, in the order in which they run.")
    suppress: Many[SuppressModel] = Field(
        default=(), description="Differences that may wait: a write that brings nothing else is held back."
    )
    limits: Many[LimitModel] = Field(default=(), description="What may not be bigger when everything is trimmed.")

    @field_validator("limits")
    @classmethod
    def _does_something(cls, limits: tuple[LimitModel, ...], info: ValidationInfo) -> tuple[LimitModel, ...]:
        if not limits and info.data.get("trim") == () and info.data.get("suppress") == ():
            raise ValueError(
                "the policy does nothing; give it a limit, a suppress rule, or a step in trim: " + one_of(STEP_MODELS)
            )
        return limits


class StatusPolicyModel(Model):
    """A policy: what to trim from the status of which resources."""

    api_version: Literal["statuscap.dev/v1alpha1"] = Field(description="Always `statuscap.dev/v1alpha1`.")
    kind: Literal["StatusPolicy"] = Field(description="Always `StatusPolicy`.")
    metadata: MetadataModel = Field(description="The policy's name, and notes.")
    spec: SpecModel = Field(description="The policy itself.")

    def compile(self, source: str = "") -> Policy:
        """The engine's policy. ``source`` is ``file:line``."""
        return Policy(
            name=self.metadata.name,
            match=self.spec.match.compile(),
            trim=tuple(entry.compile() for entry in self.spec.trim),
            mode=self.spec.mode,
            priority=self.spec.priority,
            root=self.spec.root,
            limits=tuple(entry.compile() for entry in self.spec.limits),
            suppress=tuple(entry.compile() for entry in self.spec.suppress),
            rollout=EVERYBODY if self.spec.rollout is None else self.spec.rollout.percent,
            description=self.metadata.annotations.get(DESCRIPTION, ""),
            source=source,
        )
