"""What is said of kinds, and how they are named."""

from __future__ import annotations

from admission.crd.definition import Definition
from admission.offline.fit.remark import Kind, Remark, named
from tests.crd.sample import crd, version


def kinds(*plurals: str, versions: tuple[str, ...] = ("v1",)) -> list[Kind]:
    definitions = [Definition.read(crd(*map(version, versions), plural=plural)["spec"]) for plural in plurals]
    return [Kind(definition, each) for definition in definitions for each in definition.versions]


def test_kinds_are_named_with_their_versions() -> None:
    assert named(kinds("as", "bs", versions=("v1", "v2"))) == "as.example.com (v1, v2), bs.example.com (v1, v2)"


def test_of_many_kinds_only_some_are_named() -> None:
    told = "as.example.com (v1), bs.example.com (v1), cs.example.com (v1)"
    assert named(kinds("as", "bs", "cs", "ds", "es")) == f"{told} and 2 more"


def test_a_remark_names_its_kinds_in_the_middle() -> None:
    assert Remark("a is b in", "; write c").of(kinds("as")) == "a is b in as.example.com (v1); write c"
