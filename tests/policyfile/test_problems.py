"""What pydantic found, in words: the parts that tables of messages do not show."""

import json
from io import BytesIO
from typing import Any

import pytest

from admission.policyfile.document import StatusPolicyModel
from admission.policyfile.loader import read_policies
from admission.policyfile.problems import known_keys, model_at
from tests.policyfile.sample import bent


def test_known_keys_are_those_of_the_map_at_the_place() -> None:
    assert known_keys(StatusPolicyModel, ()) == ["apiVersion", "kind", "metadata", "spec"]
    assert known_keys(StatusPolicyModel, ("spec", "trim", 3, "capList", "order")) == ["by", "as"]
    assert known_keys(StatusPolicyModel, ("spec", "trim", 0))[0] == "when"


@pytest.mark.parametrize("key", ["<<", "<list>", "<", ""])
@pytest.mark.parametrize("around", ["", "metadata", "spec.match"])
def test_any_key_can_be_an_unknown_one(around: str, key: str) -> None:
    policy = bent()
    holder: Any = policy
    for name in filter(None, around.split(".")):
        holder = holder[name]
    holder[key] = {"a": 1}
    (problem,) = read_policies(["-"], stdin=BytesIO(json.dumps(policy).encode())).problems
    assert problem.message.startswith("unknown key")
    assert problem.path.startswith(around)


@pytest.mark.parametrize("place", [("nothing",), ("spec", "mode"), ("spec", "nothing", "below")])
def test_where_no_map_is_no_key_is_known(place: tuple[str, ...]) -> None:
    assert model_at(StatusPolicyModel, place) is None
    assert known_keys(StatusPolicyModel, place) == []
