"""What a call asks for, told by its request line."""

import pytest

from admission.serving.target import Target, target_of

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("raw_path", "target"),
    [
        pytest.param("/mutate", Target(known=True), id="a review"),
        pytest.param("/mutate?timeout=2s", Target(known=True, timeout=2 * SECOND), id="with a timeout"),
        pytest.param("/mutate?timeout=1m30s", Target(known=True, timeout=90 * SECOND), id="of minutes"),
        pytest.param("/mutate?timeout=1s&timeout=2s", Target(known=True, timeout=2 * SECOND), id="the last counts"),
        pytest.param("/mutate?timeout=soon", Target(known=True), id="a timeout that is none"),
        pytest.param("/mutate?timeout=0s", Target(known=True), id="none at all"),
        pytest.param("/mutate?x=%FF&&=", Target(known=True), id="an odd query"),
        pytest.param("/mutate/", Target(known=False), id="a slash too many"),
        pytest.param("//mutate", Target(known=False), id="a slash too many before it"),
        pytest.param("/Mutate", Target(known=False), id="another case"),
        pytest.param("http://host/mutate", Target(known=False), id="a target with a host"),
        pytest.param("", Target(known=False), id="nothing"),
    ],
)
def test_reads_the_target_of_a_request_line(raw_path: str, target: Target) -> None:
    assert target_of(raw_path) == target
