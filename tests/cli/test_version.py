"""``statuscap version``."""

import json

from admission import __version__
from tests.cli.conftest import Command


def test_prints_the_version(command: Command) -> None:
    result = command("version")
    assert result.code == 0
    assert result.out.startswith(f"statuscap {__version__} (Python 3.")


def test_prints_the_version_as_json(command: Command) -> None:
    assert json.loads(command("version", "-o", "json").out)["statuscap"] == __version__
