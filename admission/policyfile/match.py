"""``match`` in a policy file: which writes a policy looks at."""

from __future__ import annotations

from pydantic import Field, ValidationInfo, field_validator

from admission.engine.labels import LabelExpression, LabelOperator, LabelSelector
from admission.engine.match import Globs, Match, ResourceRule
from admission.policyfile.fields import Group, Many, Model, Resource, Some, Version, Word
from admission.policyfile.requirements import Requirements, compiled

_WITH_VALUES = frozenset({LabelOperator.IN, LabelOperator.NOT_IN})


class ResourceRuleModel(Model):
    """Resources in the form of a webhook rule."""

    api_groups: Some[Group] = Field(
        description='Groups by name: no `"*"`, and none that the API server serves itself (`apps`, `batch`, …).'
    )
    api_versions: Some[Version] = Field(default=("*",), description='Versions, or `"*"` for all.')
    resources: Some[Resource] = Field(
        description="`jobs/status` for a kind with a status subresource, `applications` for one without, `*/status` "
        "for all of the groups."
    )

    def compile(self) -> ResourceRule:
        """The engine's rule."""
        return ResourceRule(self.api_groups, self.resources, self.api_versions)


class GlobsModel(Model):
    """Names by globs: `*` is any text, `?` one character."""

    include: Some[str] = Field(default=("*",), description="Those that are looked at.")
    exclude: Many[str] = Field(default=(), description="Those that are not, whatever includes them.")

    def compile(self) -> Globs:
        """The engine's globs."""
        return Globs(self.include, self.exclude)


class LabelExpressionModel(Model):
    """One comparison of a label."""

    key: str = Field(description="The label.", min_length=1)
    operator: Word[LabelOperator] = Field(
        description="How it is compared. `NotIn` holds for an object without the label, too."
    )
    values: Many[str] = Field(default=(), description="Texts, for `In` and `NotIn`; none for the others.")

    @field_validator("values")
    @classmethod
    def _fit_the_operator(cls, values: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        operator = info.data.get("operator")
        if operator in _WITH_VALUES and not values:
            raise ValueError(f"{operator} needs at least one value; to ask whether the label is there write Exists")
        if operator is not None and operator not in _WITH_VALUES and values:
            raise ValueError(f"{operator} takes no values; leave them out, or write In")
        return values

    def compile(self) -> LabelExpression:
        """The engine's expression."""
        return LabelExpression(self.key, self.operator, self.values)


class LabelSelectorModel(Model):
    """Labels, in the form of a Kubernetes label selector: all must be met; without any, all objects are."""

    match_labels: dict[str, str] = Field(default={}, description="Labels that the object must have.")
    match_expressions: Many[LabelExpressionModel] = Field(default=(), description="Comparisons of labels.")

    def compile(self) -> LabelSelector | None:
        """The engine's selector; None for one that selects everything."""
        labels = (LabelExpression(key, LabelOperator.IN, (value,)) for key, value in sorted(self.match_labels.items()))
        expressions = (*labels, *(expression.compile() for expression in self.match_expressions))
        return LabelSelector(expressions) if expressions else None


class MatchModel(Model):
    """Which writes the policy looks at: all criteria must be met."""

    resources: Some[ResourceRuleModel] = Field(description="The resources, in the form of webhook rules; any of them.")
    namespaces: GlobsModel = Field(
        default=GlobsModel(), description='The namespaces. Cluster-scoped objects have the namespace `""`.'
    )
    names: GlobsModel = Field(
        default=GlobsModel(),
        description='The names of objects; `""` while the API server is still to make one (`generateName`).',
    )
    object_selector: LabelSelectorModel = Field(
        default=LabelSelectorModel(),
        description="The labels of the stored object; of the submitted one when it is created.",
    )
    users: GlobsModel = Field(
        default=GlobsModel(),
        description="Who writes, by `userInfo.username`, for example `system:serviceaccount:argocd:*`.",
    )
    when: Requirements = Field(
        default=(),
        description="Requirements on the object: its status as sent, the rest as stored. All must hold.",
    )

    def compile(self) -> Match:
        """The engine's match."""
        return Match(
            tuple(rule.compile() for rule in self.resources),
            self.namespaces.compile(),
            compiled(self.when),
            self.names.compile(),
            self.users.compile(),
            self.object_selector.compile(),
        )
