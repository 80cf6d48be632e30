"""``truncate`` in a policy file."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.fieldpath import FieldPath
from admission.engine.measure import stored_size
from admission.engine.steps import Step, Truncate
from admission.engine.steps.strings import KeepPart
from admission.engine.values import quoted
from admission.policyfile.models.strings import ESCAPED_BY_GO
from tests.policyfile.sample import step_of, told_of_step

MESSAGE = "status.conditions[*].message"


@pytest.mark.parametrize(
    ("kind", "fields", "step"),
    [
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
    assert step_of(kind, fields) == step


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
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
    assert told_of_step(kind, fields) == [message]


def test_a_marker_may_hold_exactly_what_is_stored_as_it_is() -> None:
    characters = [chr(code) for code in (*range(0x100), 0x2028, 0x2029, 0x1F600)]
    grows = {char for char in characters if stored_size(bytes(quoted(char))) != len(char.encode()) + 2}
    assert grows == {char for char in characters if ESCAPED_BY_GO.search(char)}
