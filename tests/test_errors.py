"""The error tree is drawn as it is, and messages say where and what."""

import inspect
import re

import pytest

from admission import errors
from admission.errors import FieldPathError, PolicyError, Problem, ReviewError

DRAWING = (errors.__doc__ or "").partition("::")[2].partition("``ReviewError``")[0]
INDENT = 4  # columns from an error to those below it


def drawn() -> dict[str, str]:
    """Every error of the drawing with the one that it stands below."""
    above: list[str] = []
    found = {}
    for line in filter(str.strip, DRAWING.splitlines()):
        name = re.search(r"\w+", line)
        assert name is not None
        above = above[: name.start() // INDENT - 1]
        found[name[0]] = above[-1] if above else "Exception"
        above.append(name[0])
    return found


def test_the_tree_is_drawn_as_it_is() -> None:
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]
    assert drawn() == {kind.__name__: kind.__bases__[0].__name__ for kind in kinds}


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        pytest.param(
            Problem("p.yaml", 7, "spec.trim[0]", "has no step"), "p.yaml:7: spec.trim[0]: has no step", id="all"
        ),
        pytest.param(Problem("p.yaml", 0, "", "cannot be read"), "p.yaml: cannot be read", id="of a whole file"),
        pytest.param(
            Problem("a\nb\x85\u2028\udcff é.yaml", 1, "", "is wrong"),
            r"a\nb\x85\u2028\udcff é.yaml:1: is wrong",
            id="of a file with an odd name, in one line",
        ),
    ],
)
def test_a_problem_says_where_it_is(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_a_policy_error_carries_every_problem() -> None:
    problems = [Problem("p.yaml", line, "", "is wrong") for line in (1, 2)]
    error = PolicyError(problems)
    assert error.problems == tuple(problems)
    assert str(error) == "p.yaml:1: is wrong\np.yaml:2: is wrong"


def test_a_policy_error_of_one_sentence_has_no_problems() -> None:
    error = FieldPathError("it ends too early")
    assert (error.problems, str(error)) == ((), "it ends too early")


def test_a_review_error_has_the_status_to_answer_with() -> None:
    assert (ReviewError("no uid").status, ReviewError("too long", 413).status) == (400, 413)
