"""Presets that fit any kind."""

from typing import Any

import pytest

from admission.errors import PolicyError
from admission.policyfile.presets import preset_names, preset_path
from admission.policyfile.template import RuleResource, filled, is_template
from admission.policyfile.yamlfile import load_documents

TEXT = """\
# What it is for.
apiVersion: statuscap.dev/v1alpha1
kind: StatusPolicy
metadata:
  name: cap # short
  annotations: {statuscap.dev/template: Any kind with a history.}
spec:
  match:
    resources: # those that are known
      # one of them
      - apiGroups: [a.example.com]
        resources: [as/status]

      - {apiGroups: [b.example.com], resources: [bs/status]}
    # who writes
    users: {include: ["*"]}
  trim: # what goes
    - capList: {path: status.history, max: 3, order: NewestLast}
"""
WIDGETS = RuleResource("example.com", "widgets/status")


def data_of(text: str) -> Any:
    (document,) = load_documents(text.encode(), "t.yaml")
    return document.data


def test_fills_in_the_rule_and_leaves_all_else_as_it_is_written() -> None:
    text = filled(TEXT, "t.yaml", [WIDGETS])
    rule = '      - {apiGroups: [example.com], apiVersions: ["*"], resources: [widgets/status]}\n'
    head, _, rest = TEXT.partition("    resources: # those that are known\n")
    tail = rest[rest.index("    # who writes") :]
    assert text == f"{head}    resources:\n{rule}{tail}"


def test_takes_several_resources_and_another_name() -> None:
    data = data_of(filled(TEXT, "t.yaml", [WIDGETS, RuleResource("x.io", "ys")], "mine"))
    assert data["metadata"]["name"] == "mine"
    assert [(rule["apiGroups"], rule["resources"]) for rule in data["spec"]["match"]["resources"]] == [
        (["example.com"], ["widgets/status"]),
        (["x.io"], ["ys"]),
    ]
    assert data["spec"]["match"]["users"] == {"include": ["*"]}


def test_a_rule_may_end_the_file() -> None:
    head, match, trim = TEXT.partition("  match:\n")
    trim, step, cap = trim.partition("  trim:")
    rule = "".join(trim.splitlines(keepends=True)[:-2])
    text = f"{head}{step}{cap}{match}{rule}".removesuffix("\n")
    assert data_of(filled(text, "t.yaml", [WIDGETS]))["spec"]["match"] == {
        "resources": [{"apiGroups": ["example.com"], "apiVersions": ["*"], "resources": ["widgets/status"]}]
    }


@pytest.mark.parametrize(
    ("text", "subresource", "expected"),
    [
        ("batch.volcano.sh/jobs", True, RuleResource("batch.volcano.sh", "jobs/status")),
        ("batch.volcano.sh/jobs/status", True, RuleResource("batch.volcano.sh", "jobs/status")),
        ("argoproj.io/applications", False, RuleResource("argoproj.io", "applications")),
        ("argoproj.io/applications/status", False, RuleResource("argoproj.io", "applications")),
    ],
)
def test_reads_a_resource(text: str, subresource: bool, expected: RuleResource) -> None:
    assert RuleResource.parse(text, subresource=subresource) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jobs", '"jobs" is no resource; write GROUP/RESOURCE, for example batch.volcano.sh/jobs'),
        ("/pods", '"/pods" is no resource; write GROUP/RESOURCE, for example batch.volcano.sh/jobs'),
        ("a/b/c/d", '"a/b/c/d" is no resource; write GROUP/RESOURCE, for example batch.volcano.sh/jobs'),
        ("a/", '"/status" is no resource; write its plural in lower case, for example jobs/status'),
        ("*/jobs", '"*" would match groups that nobody named; name every group'),
        ("a.io/Jobs", '"Jobs/status" is no resource; write its plural in lower case, for example jobs/status'),
    ],
)
def test_a_resource_of_another_form_is_told(text: str, message: str) -> None:
    with pytest.raises(PolicyError) as told:
        RuleResource.parse(text)
    assert str(told.value) == message


def test_what_no_policy_may_name_is_refused() -> None:
    with pytest.raises(PolicyError, match="apps is served by the API server itself"):
        filled(TEXT, "t.yaml", [RuleResource("apps", "deployments/status")])


def test_a_preset_for_one_kind_is_no_template() -> None:
    with pytest.raises(PolicyError, match="cap is for the resources that it names; show it without --resource"):
        filled(TEXT.replace("statuscap.dev/template", "mine"), "t.yaml", [WIDGETS])


@pytest.mark.parametrize("name", preset_names())
def test_every_template_that_ships_can_be_filled(name: str) -> None:
    text = preset_path(name).read_text()
    data = data_of(text)
    if is_template(data):
        changed = data_of(filled(text, name, [WIDGETS]))
        data["spec"]["match"]["resources"] = changed["spec"]["match"]["resources"]
        assert changed == data
