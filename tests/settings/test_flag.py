"""A flag, and its twin in the environment."""

import re

import pytest

from admission.errors import SettingsError
from admission.settings import FLAGS
from admission.settings.flag import Flag
from admission.settings.values import whole_number

PORT = Flag("probe_port", "The port.", "8080", "PORT", whole_number(0, 65535))


@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.name)
def test_every_flag_has_a_twin_and_a_help_text(flag: Flag) -> None:
    assert re.fullmatch(r"--[a-z]+(-[a-z]+)*", flag.name)
    assert flag.environment == "STATUSCAP_" + flag.name.removeprefix("--").replace("-", "_").upper()
    assert re.fullmatch(r"[A-Z].*[.]", flag.help)
    assert flag.switch == (flag.metavar == "")


def test_an_error_names_the_flag_and_its_twin() -> None:
    assert PORT.read("7") == 7
    with pytest.raises(SettingsError, match=re.escape("--probe-port (STATUSCAP_PROBE_PORT): 'x' is no whole number")):
        PORT.read("x")
