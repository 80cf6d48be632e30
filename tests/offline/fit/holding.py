"""Policies held against CRDs, in few words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from admission.crd.catalogue import Catalogue
from admission.crd.definition import Definition
from admission.offline.fit import fit
from admission.policyfile.loader import read_policies
from tests.crd.sample import crd
from tests.offline.samples import POLICY, bent, written

Json = dict[str, Any]


def policy(*trim: Json, **spec: Any) -> Json:
    """The sample policy with other steps, or another part of its spec."""
    return bent(POLICY, "spec", to={**POLICY["spec"], "trim": list(trim), **spec})


def rule(*resources: str, group: str = "example.com", **more: Any) -> Json:
    """The part ``match`` of a policy for these resources."""
    return {"resources": [{"apiGroups": [group], "resources": list(resources), **more}]}


def held(folder: Path, document: Json, *crds: Json) -> tuple[Sequence[str], Sequence[str]]:
    """Problems and notes, ``PLACE: MESSAGE`` each; without CRDs those of the sample are known."""
    loaded = read_policies([str(written(folder, "policy.yaml", document))])
    assert loaded.problems == ()
    catalogue = Catalogue(tuple(Definition.read(each["spec"]) for each in (crds or (crd(),))))
    found = fit(loaded.read, catalogue, loaded.notes)
    return [f"{each.path}: {each.message}" for each in found.problems], [
        f"{each.path}: {each.message}" for each in found.notes
    ]


def problem(folder: Path, document: Json, *crds: Json) -> str:
    """The only thing that is said, a problem."""
    problems, notes = held(folder, document, *crds)
    assert notes == []
    (told,) = problems
    return told


def note(folder: Path, document: Json, *crds: Json) -> str:
    """The only thing that is said, a note."""
    problems, notes = held(folder, document, *crds)
    assert problems == []
    (told,) = notes
    return told
