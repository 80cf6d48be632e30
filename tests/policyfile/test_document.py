"""The document around the steps: kind, name, mode, match, trim."""

from typing import Any

import pytest

from admission.engine.match import Globs
from admission.engine.policy import Mode, Policy
from admission.policyfile.models import STEP_MODELS
from admission.policyfile.wording import one_of
from tests.policyfile.sample import GONE, VALID, bent, loaded, told

STEPS = one_of(STEP_MODELS)
HISTORY = VALID["spec"]["trim"][0]["capList"]
TRUNCATE = {"paths": ["status.message"], "maxBytes": 1000}


def test_a_policy_that_says_little_has_safe_defaults() -> None:
    policy = loaded(VALID)
    assert (policy.mode, policy.priority) == (Mode.DRY_RUN, 0)
    assert policy.match.namespaces == Globs()
    assert policy.match.resources[0].versions == ("*",)
    assert policy.source == "<stdin>:1"


def test_everything_that_is_said_reaches_the_engine() -> None:
    policy: Policy = loaded(
        bent(
            ("metadata.annotations", {"statuscap.dev/description": "Keeps ten.", "mine": "x"}),
            ("metadata.labels", {"team": "a"}),
            ("spec.mode", "Off"),
            ("spec.priority", -5),
            ("spec.match.namespaces", {"include": ["team-*"], "exclude": ["team-b"]}),
        )
    )
    assert (policy.mode, policy.priority, policy.description) == (Mode.OFF, -5, "Keeps ten.")
    assert policy.match.namespaces == Globs(("team-*",), ("team-b",))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        pytest.param("kind", "Suite", "kind: is a Suite, not a policy; run it with: statuscap test", id="a suite"),
        pytest.param("kind", "ConfigMap", 'kind: "ConfigMap" is not known here; write StatusPolicy', id="another kind"),
        pytest.param("kind", GONE, "kind: is missing; write always StatusPolicy", id="no kind"),
        pytest.param(
            "apiVersion",
            "statuscap.dev/v1",
            'apiVersion: "statuscap.dev/v1" is not known; write statuscap.dev/v1alpha1',
            id="another version",
        ),
        pytest.param(
            "apiVersion", GONE, "apiVersion: is missing; write always statuscap.dev/v1alpha1", id="no version"
        ),
        pytest.param("metadata", GONE, "metadata: is missing; write the policy's name, and notes", id="no metadata"),
        pytest.param(
            "metadata.name",
            "My_Policy",
            'metadata.name: "My_Policy" is no DNS-1123 name; '
            "write lower-case letters, digits, '-' and '.', at most 253",
            id="an odd name",
        ),
        pytest.param(
            "metadata.name", 5, 'metadata.name: expected text, found 5; quote it: "5"', id="a number as a name"
        ),
        pytest.param(
            "metadata.anotations", {}, 'metadata.anotations: unknown key; did you mean "annotations"?', id="a typo"
        ),
        pytest.param(
            "metadata.annotations.x",
            True,
            'metadata.annotations.x: expected text, found true; quote it: "true"',
            id="an annotation that is no text",
        ),
        pytest.param(
            "metadata.uid", "x", "metadata.uid: unknown key; known here: name, labels, annotations", id="nothing near"
        ),
        pytest.param(
            "spec.mode",
            "Audit",
            'spec.mode: "Audit" is not known; write Enforce, Warn, DryRun or Off',
            id="a mode that is none",
        ),
        pytest.param(
            "spec.mode",
            "dryrun",
            'spec.mode: "dryrun" is not known; did you mean "DryRun"?',
            id="a mode in small letters",
        ),
        pytest.param(
            "spec.mode",
            False,
            "spec.mode: false is not known; write Enforce, Warn, DryRun or Off",
            id="a boolean as a mode",
        ),
        pytest.param(
            "spec.priority", "high", 'spec.priority: expected a whole number, found "high"', id="a priority in words"
        ),
        pytest.param(
            "spec.root",
            "spec",
            "spec.root: spec is never trimmed; name the member that the controller fills, for example status",
            id="a root that people write",
        ),
        pytest.param(
            "spec.root",
            "status.conditions",
            'spec.root: "status.conditions" is no member of the object; name one, for example status',
            id="a root inside the status",
        ),
        pytest.param("spec.root", 5, 'spec.root: expected text, found 5; quote it: "5"', id="a number as a root"),
        pytest.param(
            "spec.match.resources",
            [],
            "spec.match.resources: the list is empty; write at least one entry",
            id="no resources",
        ),
        pytest.param(
            "spec.match.namespaces",
            {"include": []},
            "spec.match.namespaces.include: the list is empty; write at least one entry",
            id="no namespace at all",
        ),
        pytest.param(
            "spec.match.namespaces",
            ["a"],
            "spec.match.namespaces: expected a map, found a list; known here: include, exclude",
            id="a list of namespaces",
        ),
        pytest.param(
            "spec.match.operations",
            [],
            "spec.match.operations: unknown key; known here: resources, namespaces, names, objectSelector, users, when",
            id="what does not exist",
        ),
        pytest.param(
            "spec.trim",
            [],
            f"spec.limits: the policy does nothing; give it a limit, a suppress rule, or a step in trim: {STEPS}",
            id="no steps",
        ),
        pytest.param(
            "spec.trim",
            GONE,
            f"spec.limits: the policy does nothing; give it a limit, a suppress rule, or a step in trim: {STEPS}",
            id="no trim",
        ),
        pytest.param("spec.trim", [{}], f"spec.trim[0]: has no step; write {STEPS}", id="an empty entry"),
        pytest.param("spec.trim", [{"when": []}], f"spec.trim[0]: has no step; write {STEPS}", id="only when"),
        pytest.param(
            "spec.trim",
            [{"truncate": TRUNCATE, "capList": HISTORY}],
            "spec.trim[0]: has 2 steps (capList, truncate); write one entry for each",
            id="two steps in one entry",
        ),
        pytest.param(
            "spec.trim",
            [{"capList": None}],
            "spec.trim[0].capList: expected a map, found nothing; "
            "known here: path, max, order, keepFirst, keepLast, keepWhere",
            id="a step without fields",
        ),
        pytest.param(
            "spec.trim",
            [{"caplist": HISTORY}],
            'spec.trim[0].caplist: unknown key; did you mean "capList"?',
            id="a step in small letters",
        ),
        pytest.param(
            "spec.trim",
            {"capList": HISTORY},
            "spec.trim: expected a list, found a map; write [{…}]",
            id="a map of steps",
        ),
        pytest.param(
            "spec.trim.0.capList.odrer",
            "x",
            'spec.trim[0].capList.odrer: unknown key; did you mean "order"?',
            id="a typo in a step",
        ),
        pytest.param(
            "spec.experiments",
            {},
            "spec.experiments: unknown key; known here: mode, priority, root, rollout, allowCore, match, trim, "
            "suppress, limits",
            id="a part that does not exist yet",
        ),
    ],
)
def test_what_is_wrong_is_told(place: str, value: Any, message: str) -> None:
    assert told(bent((place, value))) == [message]


@pytest.mark.parametrize("document", ["text", 5, ["a"]])
def test_a_document_that_is_no_map_is_told(document: Any) -> None:
    (problem,) = told(document)
    assert problem.endswith("; write a map with apiVersion, kind, metadata and spec")


def test_a_misspelt_key_is_not_missing_as_well() -> None:
    assert told(bent(("spec.trim.0.capList.odrer", "NewestLast"), ("spec.trim.0.capList.order", GONE))) == [
        'spec.trim[0].capList.odrer: unknown key; did you mean "order"?'
    ]
