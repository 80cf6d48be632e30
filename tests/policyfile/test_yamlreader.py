"""The bounds within which YAML is read."""

import pytest

from admission.policyfile.yamlreader import MAX_DEPTH, Reader


def problems_of(text: str) -> list[str]:
    _, problems = Reader(text, "p.yaml").read()
    return [str(problem) for problem in problems]


def test_a_bomb_of_anchors_is_refused() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
    )
    assert problems_of(bomb) == ["p.yaml:6: has more than 1000000 values with its aliases written out"]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused(opening: str) -> None:
    assert problems_of(opening * (MAX_DEPTH + 2))[0] == f"p.yaml:1: is nested deeper than {MAX_DEPTH} levels"
    assert "nest" in problems_of(opening * 300_000)[0]
