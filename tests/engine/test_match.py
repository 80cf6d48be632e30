"""The criteria of a match, each by itself."""

from typing import Any

import pytest

from admission.engine.labels import LabelExpression, LabelOperator, LabelSelector
from admission.engine.match import Globs, Match, glob_matches
from admission.engine.policy import Policy, PolicySet
from tests.engine.build import RULE, cap_list, custom_resource, write

SUBMITTED = custom_resource({"history": []})


@pytest.mark.parametrize(
    ("include", "exclude", "name", "admitted"),
    [
        (["*"], [], "anything", True),
        (["*"], [], "", True),
        (["team-*"], [], "team-a", True),
        (["team-*"], [], "", False),
        (["team-?"], [], "team-ab", False),
        (["a", "b"], [], "b", True),
        (["*"], ["kube-*"], "kube-system", False),
        (["kube-system"], ["kube-*"], "kube-system", False),
        (["*"], [""], "", False),
        ([], [], "a", False),
    ],
)
def test_exclude_wins(include: list[str], exclude: list[str], name: str, admitted: bool) -> None:
    assert Globs(tuple(include), tuple(exclude)).admits(name) is admitted


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("a.c", "abc", False),
        ("a.c", "a.c", True),
        ("a*c", "abbc", True),
        ("a*c", "ac", True),
        ("a?c", "ac", False),
        ("[ab]*", "a", False),
        ("[ab]*", "[ab]x", True),
        ("*", "two\nlines", True),
        ("a*", "A", False),
        ("system:serviceaccount:*:x", "system:serviceaccount:ns:x", True),
    ],
)
def test_globs_know_only_stars_and_question_marks(pattern: str, name: str, matches: bool) -> None:
    assert glob_matches(pattern, name) is matches


@pytest.mark.parametrize(
    ("match", "facts", "matches"),
    [
        pytest.param({"names": Globs(("train-*",))}, {"name": "train-1"}, True, id="a name that is included"),
        pytest.param({"names": Globs(("train-*",))}, {"name": "test-1"}, False, id="a name that is not"),
        pytest.param({"names": Globs(exclude=("train-*",))}, {"name": "train-1"}, False, id="a name that is excluded"),
        pytest.param({"names": Globs(("?*",))}, {"name": ""}, False, id="no name yet"),
        pytest.param({"names": Globs()}, {"name": ""}, True, id="no name yet, any name"),
        pytest.param({"users": Globs(("system:serviceaccount:ml:*",))}, {"user": "admin"}, False, id="another user"),
        pytest.param(
            {"users": Globs(("system:serviceaccount:ml:*",))},
            {"user": "system:serviceaccount:ml:controller"},
            True,
            id="the user",
        ),
        pytest.param(
            {"namespaces": Globs(("research",)), "users": Globs(("a",))}, {"user": "b"}, False, id="all criteria count"
        ),
    ],
)
def test_names_and_users_decide(match: dict[str, Any], facts: dict[str, Any], matches: bool) -> None:
    policies = PolicySet.of([Policy("p", Match((RULE,), **match))])
    assert bool(policies.matching(write(SUBMITTED, **facts))) is matches


def labelled(labels: Any) -> dict[str, Any]:
    """The object with these labels."""
    return custom_resource({"history": []}, metadata={"name": "train", "labels": labels})


def selecting(*expressions: LabelExpression) -> PolicySet:
    """One policy for objects with these labels."""
    return PolicySet.of([Policy("p", Match((RULE,), selector=LabelSelector(expressions)))])


GOLD = LabelExpression("tier", LabelOperator.IN, ("gold",))


@pytest.mark.parametrize(
    ("submitted", "stored", "matches"),
    [
        pytest.param({"tier": "gold"}, None, True, id="as it is created"),
        pytest.param(None, {"tier": "gold"}, True, id="a status write leaves the labels out"),
        pytest.param({"tier": "gold"}, {}, False, id="a status write cannot opt in by labels that are not stored"),
        pytest.param({}, {"tier": "gold"}, True, id="nor out"),
        pytest.param(None, None, False, id="no labels"),
    ],
)
def test_labels_are_those_of_the_stored_object(submitted: Any, stored: Any, matches: bool) -> None:
    attributes = write(labelled(submitted), None if stored is None else labelled(stored))
    assert bool(selecting(GOLD).matching(attributes)) is matches


def test_policies_without_a_selector_match_beside_it() -> None:
    both = PolicySet.of([*selecting(GOLD).policies, Policy("q", Match((RULE,)), trim=())])
    assert [each.name for each in both.matching(write(labelled({"tier": "tin"})))] == ["q"]


def test_a_selector_is_part_of_the_digest() -> None:
    assert selecting(GOLD).digest != PolicySet.of([Policy("p", Match((RULE,)))]).digest


def test_a_match_without_criteria_takes_every_write_of_its_resources() -> None:
    assert PolicySet.of([Policy("p", Match((RULE,)), trim=())]).matching(write(SUBMITTED, name="x", user="y"))
    assert cap_list(1).max == 1
