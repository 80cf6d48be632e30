"""What a call asks for, told by its request line."""

import pytest

from admission.handler import Phase
from admission.serving.target import Target, target_of

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("raw_path", "target"),
    [
        pytest.param("/mutate", Target(Phase.MUTATING), id="a review"),
        pytest.param("/mutate?timeout=2s", Target(Phase.MUTATING, timeout=2 * SECOND), id="with a timeout"),
        pytest.param("/mutate?timeout=1m30s", Target(Phase.MUTATING, timeout=90 * SECOND), id="of minutes"),
        pytest.param("/mutate?timeout=1s&timeout=2s", Target(Phase.MUTATING, timeout=2 * SECOND), id="the last counts"),
        pytest.param("/mutate?timeout=soon", Target(Phase.MUTATING), id="a timeout that is none"),
        pytest.param("/mutate?timeout=0s", Target(Phase.MUTATING), id="none at all"),
        pytest.param("/mutate?x=%FF&&=", Target(Phase.MUTATING), id="an odd query"),
        pytest.param("/validate", Target(Phase.VALIDATING), id="a review of the validating phase"),
        pytest.param("/validate?timeout=2s", Target(Phase.VALIDATING, timeout=2 * SECOND), id="that with a timeout"),
        pytest.param("/mutate/", Target(None), id="a slash too many"),
        pytest.param("//mutate", Target(None), id="a slash too many before it"),
        pytest.param("/Mutate", Target(None), id="another case"),
        pytest.param("http://host/mutate", Target(None), id="a target with a host"),
        pytest.param("", Target(None), id="nothing"),
    ],
)
def test_reads_the_target_of_a_request_line(raw_path: str, target: Target) -> None:
    assert target_of(raw_path) == target
