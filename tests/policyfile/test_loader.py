"""Loading: sources, all problems at once, lines, inline documents."""

import json
from contextlib import suppress
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from admission.errors import PolicyError
from admission.policyfile.loader import load_policies, policies_from_data, read_policies
from admission.policyfile.presets import preset_names
from admission.policyfile.yamlfile import load_documents
from tests.policyfile.sample import VALID, bent, read_text

TEXT = """\
# how many entries stay
apiVersion: statuscap.dev/v1alpha1
kind: StatusPolicy
metadata:
  name: widget-history
spec:
  match:
    resources:
      - apiGroups: [example.com]
        resources: [widgets/status]
  trim:
    - capList:
        path: status.history
        max: 10
        order: NewestLast
"""


def names(sources: list[str | Path], stdin: Any = None) -> list[str]:
    return [policy.name for policy in load_policies(sources, stdin=stdin).policies]


def written(path: Path, *policies: Any) -> Path:
    path.write_text("\n---\n".join(json.dumps(policy) for policy in policies))
    return path


def named(name: str) -> dict[str, Any]:
    return bent(("metadata.name", name))


def test_a_file_holds_several_policies(tmp_path: Path) -> None:
    assert names([written(tmp_path / "p.yaml", named("b"), named("a"))]) == ["a", "b"]


@pytest.mark.parametrize("name", ["", "loop.yaml", "dangling.yaml", "a\0b", "x" * 300], ids=range(5))
def test_a_name_without_a_file_is_one_problem(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "dangling.yaml").symlink_to("nowhere")
    (problem,) = read_policies([f"{tmp_path}/{name}" if name else ""]).problems
    assert problem.message.startswith("cannot be read: ")


def test_a_directory_stands_for_its_policies_without_its_suites(tmp_path: Path) -> None:
    written(tmp_path / "a.yaml", named("a"))
    written(tmp_path / "b.json", named("b"))
    (tmp_path / "a.suite.yaml").write_text("apiVersion: statuscap.dev/v1alpha1\nkind: Suite\n")
    (tmp_path / "README.md").write_text("# no policy")
    assert names([str(tmp_path)]) == ["a", "b"]


def test_a_mounted_config_map_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "..2026").mkdir()
    written(tmp_path / "..2026" / "a.yaml", named("a"))
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "a.yaml").symlink_to(Path("..data") / "a.yaml")
    assert names([tmp_path]) == ["a"]


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    path = written(tmp_path / "a.yaml", named("a"))
    assert names([path, tmp_path, str(path)]) == ["a"]


@pytest.mark.parametrize("stream", [StringIO(TEXT), BytesIO(TEXT.encode())], ids=["text", "bytes"])
def test_standard_input_is_passed_in(stream: Any) -> None:
    assert names(["-", "-"], stream) == ["widget-history"]


def test_standard_input_has_to_be_there() -> None:
    with pytest.raises(PolicyError) as caught:
        load_policies(["-"])
    assert str(caught.value) == "<stdin>: there is no standard input to read policies from; name a file"


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_loads(name: str) -> None:
    assert names([f"preset:{name}"]) == [name]


def test_an_unknown_preset_is_told_with_the_nearest() -> None:
    with pytest.raises(PolicyError) as caught:
        load_policies(["preset:volcano-job-condition"])
    assert str(caught.value) == (
        'preset:volcano-job-condition: there is no preset "volcano-job-condition"; '
        "did you mean preset:volcano-job-conditions?"
    )


@pytest.mark.parametrize("name", ["../pyproject", "README", "", "/etc/passwd", "volcano-job-conditions.suite"])
def test_a_preset_is_no_path(name: str) -> None:
    with pytest.raises(PolicyError, match="there is no preset"):
        load_policies([f"preset:{name}"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "has no policy in it; write one of kind StatusPolicy", id="empty"),
        pytest.param("# nothing\n---\n", "has no policy in it; write one of kind StatusPolicy", id="only comments"),
        pytest.param("a: b: c", "is no YAML: mapping values are not allowed in this context (column 5)", id="no YAML"),
    ],
)
def test_a_file_without_policies_is_told(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(text)
    loaded = read_policies([path])
    assert [(told.file, told.message) for told in loaded.problems] == [(str(path), problem)]
    assert loaded.skipped == 1


def test_a_directory_without_policies_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.suite.yaml").write_text("kind: Suite")
    with pytest.raises(PolicyError) as caught:
        load_policies([tmp_path])
    message = "has no policies in it (*.yaml, *.yml, *.json, without *.suite.yaml)"
    assert str(caught.value) == f"{tmp_path}: {message}"


def test_a_problem_names_file_line_path_and_what_to_write() -> None:
    text = TEXT.replace("order:", "odrer:")
    assert [str(problem) for problem in read_text(text).problems] == [
        '<stdin>:15: spec.trim[0].capList.odrer: unknown key; did you mean "order"?'
    ]


@pytest.mark.parametrize(
    ("found", "instead", "line"),
    [
        pytest.param("  name: widget-history", "  name: Widget", 5, id="a value"),
        pytest.param("        max: 10\n", "", 12, id="what is missing, at the map that lacks it"),
        pytest.param("[widgets/status]", "[gadgets/status, '*']", 10, id="an item"),
        pytest.param("path: status.history", "path: >-\n          spec.history", 13, id="a value below its key"),
        pytest.param("kind: StatusPolicy", "kind: Suite", 3, id="the kind"),
    ],
)
def test_a_problem_has_the_line_of_its_key(found: str, instead: str, line: int) -> None:
    assert TEXT.count(found) == 1
    assert [problem.line for problem in read_text(TEXT.replace(found, instead)).problems] == [line]


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    good = written(tmp_path / "good.yaml", named("good"))
    bad = written(tmp_path / "bad.yaml", bent(("spec.mode", "x"), ("spec.priority", "y")), named("fine"))
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [")
    with pytest.raises(PolicyError) as caught:
        load_policies([good, bad, broken, tmp_path / "none.yaml", "preset:none"])
    assert [Path(problem.file).name for problem in caught.value.problems] == [
        "broken.yaml",
        "none.yaml",
        "",
        "bad.yaml",
        "bad.yaml",
    ]
    assert str(caught.value).count("\n") == 4


def test_what_is_right_can_be_had_beside_the_problems(tmp_path: Path) -> None:
    written(tmp_path / "a.yaml", named("good"), bent(("spec.mode", "x")))
    (tmp_path / "b.yaml").write_text(": [")
    loaded = read_policies([tmp_path, tmp_path / "none.yaml"])
    assert [policy.name for policy in loaded.policies.policies] == ["good"]
    assert loaded.skipped == 3


def test_policies_inside_another_file_keep_its_lines() -> None:
    suite = "kind: Suite\npolicies:\n" + "".join(f"  {line}\n" for line in yaml.safe_dump([VALID]).splitlines())
    (document,) = load_documents(suite.encode(), "s.suite.yaml")
    lines = document.lines.below(("policies",))
    (policy,) = policies_from_data(document.data["policies"], lines, "s.suite.yaml")
    assert (policy.name, policy.source) == ("widget-history", "s.suite.yaml:3")
    document.data["policies"][0]["spec"]["trim"][0]["capList"]["max"] = -1
    with pytest.raises(PolicyError) as caught:
        policies_from_data(document.data["policies"], lines, "s.suite.yaml")
    (problem,) = caught.value.problems
    assert str(problem) == "s.suite.yaml:16: spec.trim[0].capList.max: must be at least 0, found -1"


def test_one_document_needs_no_list() -> None:
    (document,) = load_documents(TEXT.encode(), "p.yaml")
    assert [policy.name for policy in policies_from_data(document.data, document.lines, "p.yaml")] == ["widget-history"]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
PLACES = [
    "kind", "metadata", "metadata.name", "spec", "spec.mode", "spec.match", "spec.match.resources", "spec.trim",
    "spec.match.resources.0", "spec.match.resources.0.apiGroups", "spec.match.when", "spec.trim.0", "spec.trim.0.when",
    "spec.trim.0.capList", "spec.trim.0.capList.order", "spec.trim.0.capList.path", "spec.trim.0.capList.keepWhere",
    "spec.trim.0.capConditions", "spec.trim.0.dedupe", "spec.trim.0.truncate",
]  # fmt: skip


@settings(deadline=None)  # a busy machine is no fault
@given(st.sampled_from(PLACES), ANYTHING)
def test_anything_anywhere_is_a_policy_or_a_problem(place: str, value: Any) -> None:
    loaded = read_policies(["-"], stdin=BytesIO(json.dumps(bent((place, value))).encode()))
    assert bool(loaded.problems) is not bool(loaded.policies.policies)
    assert all(problem.message for problem in loaded.problems)


@settings(deadline=None)  # a busy machine is no fault
@given(st.text(max_size=300) | st.integers(0, len(TEXT)).map(lambda at: TEXT[:at] + TEXT[at + 7 :]))
def test_any_text_raises_nothing_but_policy_errors(text: str) -> None:
    with suppress(PolicyError):
        load_policies(["-"], stdin=BytesIO(text.encode("utf-8", "surrogatepass")))
