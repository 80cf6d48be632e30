"""The steps' models: defaults, what they become, what is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from admission.engine.fieldpath import FieldPath
from admission.engine.measure import stored_size
from admission.engine.steps import STEPS, CapConditions, CapList, Dedupe, Step, Truncate
from admission.engine.steps.lists import Keep, Position, Scope
from admission.engine.steps.order import Order, OrderKind
from admission.engine.steps.strings import KeepPart
from admission.engine.values import quoted
from admission.policyfile.loader import policies_from_data
from admission.policyfile.models import ESCAPED_BY_GO, STEP_MODELS, StepModel
from admission.policyfile.yamlfile import Lines, load_documents
from tests.policyfile.sample import bent, loaded, told, with_step

ROOT = Path(__file__).resolve().parents[2]
HISTORY = FieldPath.parse("status.history")
MESSAGE = "status.conditions[*].message"


@pytest.mark.parametrize(
    ("kind", "fields", "step"),
    [
        pytest.param(
            "capConditions", {"max": 20}, CapConditions(FieldPath.parse("status.conditions"), 20), id="capConditions"
        ),
        pytest.param(
            "capConditions",
            {"path": "status.state", "max": 1, "typeField": "kind", "keepTypes": ["Ready"], "timeFields": ["at"]},
            CapConditions(FieldPath.parse("status.state"), 1, "kind", ("Ready",), ("at",)),
            id="capConditions with everything",
        ),
        pytest.param(
            "capConditions",
            {"max": 20, "keepTypes": "All", "typeField": "['a.b']"},
            CapConditions(FieldPath.parse("status.conditions"), 20, "a.b"),
            id="an odd field name",
        ),
        pytest.param(
            "capConditions",
            {"max": 20, "keepTypes": []},
            CapConditions(FieldPath.parse("status.conditions"), 20, keep_types=()),
            id="any type may go",
        ),
        pytest.param(
            "capList",
            {"path": "status.history", "max": 0, "order": "NewestFirst"},
            CapList(HISTORY, 0, Order(OrderKind.NEWEST_FIRST)),
            id="capList down to none",
        ),
        pytest.param(
            "capList",
            {"path": "status.history", "max": 3, "order": "NewestLast", "keepFirst": 1, "keepLast": 2},
            CapList(HISTORY, 3, Order(OrderKind.NEWEST_LAST), 1, 2),
            id="capList with pins",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keys": ["a.b", "."], "keep": "Last"},
            Dedupe(HISTORY, Keep.LAST, (FieldPath.parse("a.b"), FieldPath())),
            id="dedupe by keys",
        ),
        pytest.param(
            "dedupe",
            {
                "path": "status.history",
                "ignoring": [],
                "keep": "Newest",
                "scope": "Consecutive",
                "position": "First",
                "timeFields": ["at"],
            },
            Dedupe(HISTORY, Keep.NEWEST, (), (), Scope.CONSECUTIVE, Position.FIRST, ("at",)),
            id="dedupe of exact duplicates",
        ),
        pytest.param(
            "truncate",
            {"paths": [MESSAGE], "maxBytes": "32Ki"},
            Truncate((FieldPath.parse(MESSAGE),), 32768),
            id="truncate",
        ),
        pytest.param(
            "truncate",
            {"paths": [MESSAGE], "maxBytes": 3, "keep": "Tail", "marker": "…"},
            Truncate((FieldPath.parse(MESSAGE),), 3, KeepPart.TAIL, "…"),
            id="truncate to its marker",
        ),
    ],
)
def test_a_step_becomes_that_of_the_engine(kind: str, fields: dict[str, Any], step: Step) -> None:
    assert loaded(with_step(kind, fields)).trim[0].step == step


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        pytest.param("capConditions", {"max": 0}, "max: must be at least 1, found 0", id="no condition at all"),
        pytest.param(
            "capConditions",
            {"max": 1, "keepTypes": "Ready"},
            'keepTypes: "Ready" is no choice; write All, or a list of types such as [Ready]',
            id="one type as text",
        ),
        pytest.param(
            "capConditions",
            {"max": 1, "path": "status.conditions[*]"},
            'path: "status.conditions[*]" leads to the items; name the list itself: status.conditions',
            id="the items instead of the list",
        ),
        pytest.param(
            "capConditions",
            {"max": 1, "timeFields": ["a.b"]},
            'timeFields[0]: "a.b" is a path; name a field of the item itself, for example lastTransitionTime',
            id="a path as a field's name",
        ),
        pytest.param(
            "capConditions",
            {"max": 1, "timeFields": []},
            "timeFields: the list is empty; write at least one entry",
            id="no time fields",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keep": "Last"},
            "says not what makes items equal; give keys: [type] or ignoring: [lastTransitionTime]",
            id="neither keys nor ignoring",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keep": "Last", "keys": ["a"], "ignoring": ["b"]},
            "has both keys and ignoring; give one of them",
            id="both keys and ignoring",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keep": "Last", "keys": []},
            "keys: the list is empty; write at least one entry",
            id="no keys",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keys": ["a"]},
            "keep: is missing; write which of them stays: the First, the Last or, by time, the Newest",
            id="keep is required",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keep": "Last", "keys": ["a[*]"]},
            'keys[0]: "a[*]" can lead to several values; name one field of the item, without wildcards',
            id="a key with a wildcard",
        ),
        pytest.param(
            "truncate",
            {"paths": [], "maxBytes": 100},
            "paths: the list is empty; write at least one entry",
            id="no paths",
        ),
        pytest.param(
            "truncate",
            {"paths": MESSAGE, "maxBytes": 100},
            f'paths: expected a list, found "{MESSAGE}"; write [{MESSAGE}]',
            id="one path as text",
        ),
        pytest.param(
            "truncate",
            {"paths": [MESSAGE], "maxBytes": True},
            "maxBytes: expected a size, found true; write a whole number of bytes or for example 32Ki",
            id="a boolean as a size",
        ),
        pytest.param(
            "truncate",
            {"paths": [MESSAGE], "maxBytes": 1000.0},
            "maxBytes: expected a size, found 1000.0; write a whole number of bytes or for example 32Ki",
            id="1e3 is no whole number",
        ),
        pytest.param(
            "truncate",
            {"paths": [MESSAGE], "maxBytes": "32KB"},
            'maxBytes: "32KB" is no quantity; write for example 32Ki',
            id="KB",
        ),
        pytest.param(
            "truncate",
            {"paths": [MESSAGE], "maxBytes": 36},
            "marker: takes up to 37 bytes, maxBytes is 36; raise maxBytes or write a shorter marker",
            id="the default marker does not fit",
        ),
        pytest.param(
            "truncate",
            {"paths": [MESSAGE], "maxBytes": 12, "marker": "[{bytes}]x"},
            "marker: takes up to 13 bytes, maxBytes is 12; raise maxBytes or write a shorter marker",
            id="the count takes ten digits",
        ),
        pytest.param(
            "truncate",
            {"paths": [MESSAGE], "maxBytes": 100, "marker": "<cut>"},
            'marker: the character "<" takes more bytes in etcd than here; leave it out',
            id="a marker that Go escapes",
        ),
        pytest.param(
            "truncate",
            {"paths": [MESSAGE], "maxBytes": 100, "marker": "a\nb"},
            'marker: the character "\\n" takes more bytes in etcd than here; leave it out',
            id="a marker with a line break",
        ),
        pytest.param(
            "truncate",
            {"paths": [MESSAGE], "maxBytes": 100, "keep": "Middle"},
            'keep: "Middle" is not known; write Head, Tail or HeadAndTail',
            id="a part that is none",
        ),
    ],
)
def test_a_step_that_cannot_work_is_told(kind: str, fields: dict[str, Any], message: str) -> None:
    of_the_whole_step = message.startswith(("says", "has"))
    assert told(with_step(kind, fields)) == [f"spec.trim[0].{kind}{': ' if of_the_whole_step else '.'}{message}"]


def test_a_marker_may_hold_exactly_what_is_stored_as_it_is() -> None:
    characters = [chr(code) for code in (*range(0x100), 0x2028, 0x2029, 0x1F600)]
    grows = {char for char in characters if stored_size(bytes(quoted(char))) != len(char.encode()) + 2}
    assert grows == {char for char in characters if ESCAPED_BY_GO.search(char)}


# --- nothing may be forgotten ----------------------------------------------------------------------------------------


def test_every_step_of_the_engine_has_its_model() -> None:
    assert {kind: model.step for kind, model in STEP_MODELS.items()} == {step.kind: step for step in STEPS}


@pytest.mark.parametrize("model", STEP_MODELS.values(), ids=STEP_MODELS.keys())
def test_every_field_of_a_step_says_what_it_means(model: type[StepModel]) -> None:
    assert [name for name, field in model.model_fields.items() if not field.description] == []
    assert (model.__doc__ or "").strip()


@pytest.mark.parametrize("model", STEP_MODELS.values(), ids=STEP_MODELS.keys())
def test_the_example_of_a_step_loads(model: type[StepModel]) -> None:
    example = yaml.safe_load(model.example)
    assert list(example) == [model.step.kind]
    assert isinstance(loaded(bent(("spec.trim", [example]))).trim[0].step, model.step)


def steps_with_a_suite() -> Iterator[str]:
    """The kind of every step that some policy of some suite takes."""
    for file in [*ROOT.glob("policies/*.suite.yaml"), *ROOT.glob("tests/cases/*.yaml")]:
        for suite in load_documents(file.read_bytes(), str(file)):
            for policy in suite.data.get("policies", ()):
                documents = [policy]
                if isinstance(policy, str):
                    path = file.parent / policy
                    documents = [document.data for document in load_documents(path.read_bytes(), str(path))]
                for loaded_policy in policies_from_data(documents, Lines(), str(file)):
                    yield from (entry.step.kind for entry in loaded_policy.trim)


def test_every_step_has_a_suite() -> None:
    assert STEP_MODELS.keys() - set(steps_with_a_suite()) == set()


def test_every_step_is_in_the_reference() -> None:
    text = (ROOT / "policies/README.md").read_text(encoding="utf-8")
    assert [kind for kind in STEP_MODELS if f"\n### {kind}\n" not in text] == []
