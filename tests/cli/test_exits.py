"""Scripts rely on the numbers."""

from admission.cli.exits import Exit
from admission.serving import runner


def test_the_numbers_stay() -> None:
    assert {each.name: each.value for each in Exit} == {
        "OK": 0,
        "FINDINGS": 1,
        "USAGE": 2,
        "REJECTED": 3,
        "FAULT": 70,
        "INTERRUPTED": 130,
    }


def test_the_server_ends_with_the_same() -> None:
    assert (runner.OK, runner.UNUSABLE, runner.INTERRUPTED) == (Exit.OK, Exit.USAGE, Exit.INTERRUPTED)
