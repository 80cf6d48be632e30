"""What pydantic found, in words: the parts that tables of messages do not show."""

import pytest

from admission.policyfile.document import StatusPolicyModel
from admission.policyfile.problems import known_keys, model_at


def test_known_keys_are_those_of_the_map_at_the_place() -> None:
    assert known_keys(StatusPolicyModel, ()) == ["apiVersion", "kind", "metadata", "spec"]
    assert known_keys(StatusPolicyModel, ("spec", "trim", 3, "capList", "order")) == ["by", "as"]
    assert known_keys(StatusPolicyModel, ("spec", "trim", 0))[0] == "when"


@pytest.mark.parametrize("place", [("nothing",), ("spec", "mode"), ("spec", "nothing", "below")])
def test_where_no_map_is_no_key_is_known(place: tuple[str, ...]) -> None:
    assert model_at(StatusPolicyModel, place) is None
    assert known_keys(StatusPolicyModel, place) == []
