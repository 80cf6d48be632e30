"""Where policies lie on disk, and in which order they are found, changes nothing that they do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Final

import pytest

from admission.policyfile.loader import load_policies
from tests.engine.build import GROUP, at, custom_resource, judge, write

STEPS: Final = {
    "caps": (0, "capList: {path: status.history, max: 3, order: NewestLast}"),
    "caps-more": (-5, "capList: {path: status.history, max: 2, order: NewestFirst}"),
    "cuts": (0, "truncate: {paths: [status.message], maxBytes: 64}"),
    "keeps-one": (7, "dedupe: {path: status.history, keys: [id], keep: Last}"),
}
"""Policies by name, with a priority and a step; in another order they leave something else."""


def document(name: str) -> str:
    priority, step = STEPS[name]
    return (
        f"apiVersion: statuscap.dev/v1alpha1\nkind: StatusPolicy\nmetadata: {{name: {name}}}\n"
        f"spec:\n  mode: Enforce\n  priority: {priority}\n"
        f"  match: {{resources: [{{apiGroups: [{GROUP}], resources: [jobs/status]}}]}}\n  trim:\n    - {step}\n"
    )


WRITE: Final = write(
    custom_resource({"history": [{"id": n // 2, "t": at(n)} for n in range(9)], "message": "m" * 99}), None
)
ORDERS: Final = list(permutations(STEPS))


def laid_out(folder: Path, order: Sequence[str], files: int) -> Path:
    """The policies in this order in so many files, made one after the other."""
    folder.mkdir()
    for number in range(files):
        mine = order[number::files]
        (folder / f"{number}-{mine[0]}.yaml").write_text("---\n".join(map(document, mine)))
    return folder


@pytest.mark.parametrize("files", [1, 2, 4])
def test_the_order_of_files_and_documents_changes_nothing(tmp_path: Path, files: int) -> None:
    sets = [load_policies([laid_out(tmp_path / f"{n}", order, files)]) for n, order in enumerate(ORDERS)]
    assert {policies.digest for policies in sets} == {sets[0].digest}
    assert all(policies == sets[0] for policies in sets)
    decisions = [judge(policies, WRITE) for policies in sets]
    assert decisions[0].patch
    assert all(decision == decisions[0] for decision in decisions)


def test_the_order_in_which_sources_are_named_changes_nothing(tmp_path: Path) -> None:
    laid_out(tmp_path / "all", ORDERS[0], 4)
    files = sorted((tmp_path / "all").iterdir())
    sets = [load_policies(list(order)) for order in permutations(files)]
    assert {policies.digest for policies in sets} == {load_policies([tmp_path / "all"]).digest}
    assert all(judge(policies, WRITE) == judge(sets[0], WRITE) for policies in sets)
