"""The generated parts of manifests/README.md: nothing that a user can set or read goes without a word."""

import re
from collections.abc import Iterator

import msgspec
import pytest

from admission.engine.decision import Reason
from admission.observe.entry import Entry, PolicyEntry, RemovedEntry, StepEntry
from admission.observe.metric import METRICS, Metric
from admission.offline.reference import PARTS, README, main
from admission.settings import FLAGS
from admission.settings.flag import Flag


def rows(part: str) -> dict[str, list[str]]:
    """The rows of a part as it stands in the README, by their first word."""
    text = README.read_text(encoding="utf-8").partition(f"<!-- generated: {part} -->")[2].partition("<!-- end")[0]
    lines = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("| `")]
    return {cells[0].strip(): [cell.strip() for cell in cells[1:]] for cells in lines}


def test_the_reference_is_fresh() -> None:
    assert main(["--check"]) == 0, "run: make generate"


@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.name)
def test_every_flag_is_documented(flag: Flag) -> None:
    given = {name: cells for text, cells in rows("flags").items() for name in re.findall(r"`(--?[a-z-]+)", text)}
    assert not flag.short or given[flag.short] is given[flag.name]
    twin, default, meaning = given[flag.name]
    assert twin == f"`{flag.environment}`"
    assert flag.switch or default == (f"`{flag.default}`" if flag.default else "")
    assert meaning


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_is_documented(metric: Metric) -> None:
    _, labels, meaning = rows("metrics")[f"`{metric.name}`"]
    assert tuple(re.findall(r"\w+", labels)) == metric.labels
    assert meaning


def fields() -> Iterator[str]:
    """Every field of a line, as a reader of the log would write it."""
    lists = ((PolicyEntry, "policies[]."), (StepEntry, "policies[].steps[]."), (RemovedEntry, "removed[]."))
    for kind, way in ((Entry, ""), *lists):
        yield from (f"{way}{field.encode_name}" for field in msgspec.structs.fields(kind))


@pytest.mark.parametrize("field", list(fields()))
def test_every_field_of_the_decision_log_is_documented(field: str) -> None:
    _, meaning = rows("decision_log")[f"`{field}`"]
    assert meaning


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason])
def test_every_reason_is_documented(reason: Reason) -> None:
    (meaning,) = rows("reasons")[f"`{reason}`"]
    assert meaning


def test_a_part_lists_nothing_else() -> None:
    assert {name: len(rows(name)) for name in PARTS} == {
        "flags": len(FLAGS),
        "metrics": len(METRICS),
        "decision_log": len(list(fields())),
        "reasons": len(Reason) - 1,  # the empty one
    }
