"""Twins of flags in the environment, and names that are none."""

import pytest

from admission.settings import FLAGS, Settings
from admission.settings.environment import TRACEBACK, misspelt, twin
from admission.settings.flag import Given

FLAG = {flag.field: flag for flag in FLAGS}
LINK = "tcp://10.96.0.7:443"


def told(name: str, text: str = "1") -> list[str]:
    return list(misspelt(FLAGS, {"PATH": "/bin", name: text}))


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        pytest.param("STATUSCAP_PORTT", "did you mean STATUSCAP_PORT?", id="a letter too many"),
        pytest.param("STATUSCAP_PROB_PORT", "did you mean STATUSCAP_PROBE_PORT?", id="a letter too few"),
        pytest.param("STATUSCAP_POLICY", "did you mean STATUSCAP_POLICIES?", id="singular"),
        pytest.param("STATUSCAP_TLS_CRT", "did you mean STATUSCAP_TLS_CERT?", id="as the file is called"),
        pytest.param("STATUSCAP_MAXBODY", "did you mean STATUSCAP_MAX_BODY?", id="words together"),
        pytest.param("STATUSCAP_CLIENT-CA", "did you mean STATUSCAP_CLIENT_CA?", id="as the flag is written"),
        pytest.param("STATUSCAP__PORT", "did you mean STATUSCAP_PORT?", id="two underscores"),
        pytest.param("STATUSCAP_Mode", "did you mean STATUSCAP_MODE?", id="in part of small letters"),
        pytest.param("statuscap_mode", "did you mean STATUSCAP_MODE?", id="in small letters"),
        pytest.param("STATUSCAP_", "see statuscap serve --help", id="nothing behind the prefix"),
        pytest.param("STATUSCAP_COLOUR_SCHEME", "see statuscap serve --help", id="near nothing"),
    ],
)
def test_a_name_that_sets_nothing_is_told_with_the_nearest(name: str, advice: str) -> None:
    assert told(name) == [f"'{name}' in the environment sets nothing; {advice}"]


def test_a_name_that_no_screen_shows_is_told_in_escapes() -> None:
    assert told("STATUSCAP_\x1b[2J") == [
        r"'STATUSCAP_\x1b[2J' in the environment sets nothing; see statuscap serve --help"
    ]


def test_an_empty_value_is_told_too() -> None:
    assert told("STATUSCAP_PORTT", "")


@pytest.mark.parametrize("name", [*(flag.environment for flag in FLAGS), TRACEBACK, "STATUSCAP", "STATUSCAPTAIN_X"])
def test_names_that_mean_something_are_left_alone(name: str) -> None:
    assert told(name) == []


# what the kubelet sets in every pod of a namespace: k8s.io/kubernetes/pkg/kubelet/envvars
LINKS = {
    "SERVICE_HOST": "10.96.0.7",
    "SERVICE_PORT": "443",
    "SERVICE_PORT_HTTPS": "443",
    "SERVICE_PORT_METRICS_2": "8080",
    "PORT": LINK,
    "PORT_443_TCP": LINK,
    "PORT_443_TCP_PROTO": "tcp",
    "PORT_443_TCP_PORT": "443",
    "PORT_443_TCP_ADDR": "10.96.0.7",
    "PORT_53_UDP": "udp://10.96.0.7:53",
    "PORT_53_UDP_PORT": "53",
    "PORT_9_SCTP": "sctp://[fd00::7]:9",
}


@pytest.mark.parametrize("service", ["STATUSCAP", "STATUSCAP_WEBHOOK", "STATUSCAP_PROBE", "STATUSCAP_2"])
@pytest.mark.parametrize("suffix", LINKS)
def test_what_kubernetes_sets_beside_services_is_no_concern(service: str, suffix: str) -> None:
    assert told(f"{service}_{suffix}", LINKS[suffix]) == []


@pytest.mark.parametrize("service", ["STATUSCAP", "STATUSCAP_PROBE", "STATUSCAP_WEBHOOK"])
def test_a_pod_beside_such_a_service_starts_as_without_it(service: str) -> None:
    given: dict[str, Given] = {"policies": ["p"], "dev": True}
    assert Settings.of(given, {f"{service}_{suffix}": text for suffix, text in LINKS.items()}) == Settings.of(given, {})


@pytest.mark.parametrize("field", ["port", "probe_port"])
@pytest.mark.parametrize("link", [LINK, "udp://10.96.0.7:443", "sctp://[fd00::7]:443"])
def test_the_link_of_a_service_is_no_twin(field: str, link: str) -> None:
    assert twin(FLAG[field], {FLAG[field].environment: link}) == ""


def test_only_a_port_can_be_the_link_of_a_service() -> None:
    assert twin(FLAG["host"], {"STATUSCAP_HOST": LINK}) == LINK
    assert told("STATUSCAP_WEBHOOK_PORT", "8443") == [
        "'STATUSCAP_WEBHOOK_PORT' in the environment sets nothing; see statuscap serve --help"
    ]
