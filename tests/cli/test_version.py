"""``statuscap version``."""

import json

import pytest

from admission import __version__
from tests.cli.conftest import Command


@pytest.mark.parametrize("asked", ["version", "--version"])
def test_prints_the_version(command: Command, asked: str) -> None:
    result = command(asked)
    assert result.code == 0
    assert result.out.startswith(f"statuscap {__version__} (Python 3.")


def test_prints_the_version_as_json(command: Command) -> None:
    assert json.loads(command("version", "-o", "json").out)["statuscap"] == __version__
