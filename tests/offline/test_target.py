"""Where the API server finds the webhook."""

import pytest

from admission.errors import PolicyError
from admission.handler import Phase
from admission.offline.target import MUTATE, VALIDATE, UrlTarget, checked_label
from admission.serving.target import target_of


@pytest.mark.parametrize("path", [MUTATE, VALIDATE])
@pytest.mark.parametrize("text", ["https://127.0.0.1:8443", "https://127.0.0.1:8443/", "https://127.0.0.1:8443/mutate"])
def test_an_address_gets_the_path(text: str, path: str) -> None:
    assert UrlTarget.parse(text).client_config(path) == {"url": f"https://127.0.0.1:8443{path}"}


def test_the_server_answers_at_these_paths() -> None:
    assert (target_of(MUTATE).phase, target_of(VALIDATE).phase) == (Phase.MUTATING, Phase.VALIDATING)


@pytest.mark.parametrize("url", ["http://a:1", "a:1", "https://u:p@a", "https://a/x", "https://a?x=1", "https://"])
def test_refuses_an_address_that_the_api_server_would_refuse(url: str) -> None:
    with pytest.raises(PolicyError, match="write https://HOST:PORT"):
        UrlTarget.parse(url)


@pytest.mark.parametrize("name", ["statuscap", "a", "team-7", "7", "x" * 63])
def test_takes_the_name_of_a_namespace_or_a_service(name: str) -> None:
    assert checked_label(name) == name


@pytest.mark.parametrize("name", ["", "Team", "a_b", "a.b", "-a", "a-", "x" * 64, "a\n"])
def test_refuses_a_name_that_nothing_in_a_cluster_has(name: str) -> None:
    with pytest.raises(PolicyError, match="write lower-case letters"):
        checked_label(name)
