"""Flags, their twins in the environment, and what does not go together."""

import re
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from admission.errors import SettingsError
from admission.settings import FLAGS, Settings
from admission.settings.flag import Flag, Given
from admission.settings.values import Manage, ObjectName

FLAG = {flag.field: flag for flag in FLAGS}
EVERY_FLAG = pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.name)
VALID: dict[str, Given] = {"policies": ["policies"], "dev": True}


NO_ENVIRONMENT: dict[str, str] = {}


def settings(*environment: dict[str, str], **given: Given) -> Settings:
    return Settings.of(VALID | given, *environment or (NO_ENVIRONMENT,))


def test_every_field_has_a_flag() -> None:
    assert [flag.field for flag in FLAGS] == [field.name for field in fields(Settings)]


@EVERY_FLAG
def test_the_environment_sets_what_the_flag_sets(flag: Flag) -> None:
    texts = {
        "tls_cert": "a.crt",
        "tls_key": "a.key",
        "mode": "Warn",
        "dev": "true",
        "decision_log_values": "true",
        "cluster": "true",
        "policies": "elsewhere",
        "cert_secret": "statuscap/certs",
        "service": "statuscap",
        "url": "https://statuscap.example:8443",
    }
    text = texts.get(flag.field) or flag.default or "127.0.0.3"
    others: dict[str, dict[str, Given]] = {
        "tls_cert": {"tls_key": "k"},
        "tls_key": {"tls_cert": "c"},
        "dev": {},
        "cert_secret": {"service": "statuscap"},
        "service": {"cert_secret": "statuscap/certs"},
        "url": {"cert_secret": "statuscap/certs"},
    }
    base = {"policies": ["policies"]} if flag.field in others else VALID
    other = others.get(flag.field, {})
    by_flag = Settings.of(base | other | {flag.field: text}, {})
    by_twin = Settings.of(
        {name: value for name, value in (base | other).items() if name != flag.field}, {flag.environment: text}
    )
    assert by_flag == by_twin


def test_defaults_are_those_of_the_reference() -> None:
    assert settings() == Settings(
        policies=("policies",),
        host="",
        port=8443,
        probe_port=8080,
        dev=True,
        tls_cert=None,
        tls_key=None,
        client_ca=None,
        cert_dir=Path("certs"),
        cert_secret=None,
        service="",
        url="",
        manage=Manage.CA_BUNDLE,
        registration="zz-statuscap",
        cert_interval=30.0,
        decision_log="-",
        decision_log_max_size=100 * 1024 * 1024,
        decision_log_max_age=86_400.0,
        decision_log_retention=7 * 86_400.0,
        decision_log_max_total=1024 * 1024 * 1024,
        decision_log_values=False,
        decision_log_max_line=4 * 1024 * 1024,
        decision_log_sample_unchanged=0.0,
        drain=10.0,
        mode=None,
        skip_broken=False,
        crds=(),
        cluster=False,
        max_body=32 * 1024 * 1024,
        max_in_flight_bytes=128 * 1024 * 1024,
        max_connections=1000,
        max_connection_age=600.0,
        header_timeout=10.0,
        body_timeout=30.0,
        keep_alive=120.0,
        instance="",
    )


def test_a_flag_beats_its_twin_and_a_twin_the_default() -> None:
    environment = {"STATUSCAP_PORT": "9443", "STATUSCAP_PROBE_PORT": "9080"}
    built = settings(environment, port="10443")
    assert (built.port, built.probe_port) == (10443, 9080)


def test_an_empty_twin_is_no_twin() -> None:
    assert settings({"STATUSCAP_PORT": "", "STATUSCAP_MODE": ""}).port == 8443


def test_what_kubernetes_sets_beside_a_service_is_no_twin() -> None:
    assert settings({"STATUSCAP_PORT": "tcp://10.96.0.7:443"}).port == 8443


def test_a_misspelt_twin_is_told_with_everything_else_that_is_wrong() -> None:
    with pytest.raises(SettingsError) as caught:
        settings({"STATUSCAP_PORTT": "1", "STATUSCAP_DRAIN": "10"})
    assert caught.value.problems == (
        "--drain (STATUSCAP_DRAIN): '10' is no duration; write for example 10s or 1m30s",
        "'STATUSCAP_PORTT' in the environment sets nothing; did you mean STATUSCAP_PORT?",
    )


PATHS = ("policies", "tls_cert", "tls_key", "client_ca", "cert_dir", "decision_log", "crds")


def test_the_flags_that_name_paths_are_these() -> None:
    named = [flag.field for flag in FLAGS if flag.metavar in ("PATH", "FILE", "DIRECTORY")]
    assert named == list(PATHS)


@pytest.mark.parametrize("text", ["", " "])
@pytest.mark.parametrize("dev", [True, None])
@pytest.mark.parametrize("field", PATHS)
def test_an_empty_path_is_one_error(field: str, dev: bool | None, text: str) -> None:
    pair: dict[str, Given] = {} if dev else {"tls_cert": "c", "tls_key": "k"}
    several = field in ("policies", "crds")
    empty: Given = ["a", text] if several else text
    with pytest.raises(SettingsError) as caught:
        settings(**{"dev": dev} | pair | {field: empty})
    thing = "file or directory" if several else "directory" if field == "cert_dir" else "file"
    name, environment = FLAG[field].name, FLAG[field].environment
    assert caught.value.problems == (f"{name} ({environment}): is empty; name a {thing}, or leave it out",)


def test_no_policies_but_an_empty_path_are_one_error() -> None:
    with pytest.raises(SettingsError) as caught:
        settings(policies=[""])
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("field", PATHS[1:])
def test_a_blank_twin_of_a_path_is_an_error_and_an_empty_one_is_none(field: str) -> None:
    name = FLAG[field].environment
    with pytest.raises(SettingsError, match=re.escape(f"({name}): is empty")):
        settings({name: " "})
    assert settings({name: ""}) == settings()


def test_a_twin_lists_several_values_with_commas() -> None:
    assert Settings.of({"dev": True}, {"STATUSCAP_POLICIES": "a.yaml, preset:tekton,"}).policies == (
        "a.yaml",
        "preset:tekton",
    )


def test_a_switch_that_is_off_on_the_command_line_stays_off() -> None:
    built = settings({"STATUSCAP_DEV": "true"}, dev=False, tls_cert="c", tls_key="k")
    assert built.dev is False


def test_settings_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        settings().port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, "127.0.0.1", id="--dev listens on loopback"),
        pytest.param({"host": "172.17.0.1"}, "172.17.0.1", id="or where it is told to"),
        pytest.param({"dev": False, "tls_cert": "c", "tls_key": "k"}, "0.0.0.0", id="a pod is called from outside"),
        pytest.param({"dev": False, "tls_cert": "c", "tls_key": "k", "host": "::"}, "::", id="over IPv6"),
    ],
)
def test_listens_where_it_should(given: dict[str, Given], expected: str) -> None:
    assert settings(**given).listens_on == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param({"policies": None}, "no policies", id="no policies"),
        pytest.param({"dev": None}, "no certificate", id="no certificate"),
        pytest.param({"dev": None, "tls_cert": "c"}, "both --tls-cert and --tls-key", id="a certificate without a key"),
        pytest.param({"tls_cert": "c", "tls_key": "k"}, "--dev makes its own", id="--dev and a certificate"),
        pytest.param({"cert_secret": "a/b", "service": "c"}, "leave out --dev", id="--dev and a Secret"),
        pytest.param(
            {"dev": None, "tls_cert": "c", "tls_key": "k", "cert_secret": "a/b", "service": "c"},
            "--cert-secret makes its own certificate",
            id="a certificate and a Secret",
        ),
        pytest.param({"dev": None, "cert_secret": "a/b"}, "give --service, or --url", id="a Secret for nobody"),
        pytest.param(
            {"dev": None, "cert_secret": "a/b", "service": "c", "url": "https://d"},
            "two ways to say",
            id="a Service and a URL",
        ),
        pytest.param({"service": "c"}, "--service goes with --cert-secret", id="a Service without a Secret"),
        pytest.param({"url": "https://c"}, "--url goes with --cert-secret", id="a URL without a Secret"),
        pytest.param({"cert_secret": "b"}, "'b' names no object", id="a Secret without a namespace"),
        pytest.param({"cert_secret": "a/b/c"}, "'a/b/c' names no object", id="a Secret with too many parts"),
        pytest.param({"cert_secret": "A/b"}, "'A/b' names no object", id="a namespace in capitals"),
        pytest.param({"service": "c.d"}, "'c.d' is no name of a Service", id="a Service with a dot"),
        pytest.param({"url": "http://c"}, "'http://c' is no URL of a webhook", id="a URL without TLS"),
        pytest.param({"url": "https://"}, "'https://' is no URL of a webhook", id="a URL without a host"),
        pytest.param({"url": "https://[c"}, "is no URL of a webhook", id="a URL that is none"),
        pytest.param({"manage": "All"}, "'All' is nothing that can be managed; write caBundle", id="more to manage"),
        pytest.param({"registration": ""}, "'' is no name of an object", id="configurations without a name"),
        pytest.param({"cert_interval": "0s"}, "leaves no time at all", id="looks without a pause"),
        pytest.param({"port": "8080"}, "both 8080", id="one port for two things"),
        pytest.param({"max_in_flight_bytes": "31Mi"}, "less than --max-body", id="no room for one review"),
        pytest.param({"max_connections": "0"}, "'0' is no whole number from 1", id="no connections"),
        pytest.param({"port": "http"}, "--port (STATUSCAP_PORT): 'http' is no whole number", id="no port"),
        pytest.param({"port": "٤٤٣"}, "'٤٤٣' is no whole number", id="digits of another script"),
        pytest.param({"decision_log_sample_unchanged": "٤"}, "from 0 to 1", id="a share in digits of another script"),
        pytest.param({"port": "65536"}, "from 0 to 65535", id="a port out of range"),
        pytest.param({"drain": "10"}, "write for example 10s", id="a duration without a unit"),
        pytest.param({"header_timeout": "0s"}, "'0s' leaves no time at all", id="no time for headers"),
        pytest.param({"body_timeout": "0"}, "'0' leaves no time at all", id="no time for a body"),
        pytest.param({"keep_alive": "0s"}, "'0s' leaves no time at all", id="no time between two calls"),
        pytest.param({"instance": "a\udcff"}, r"'a\udcff' is no name", id="a name that is no UTF-8"),
        pytest.param({"instance": "a\nb"}, r"'a\nb' is no name", id="a name of two lines"),
        pytest.param(
            {"max_body": "32MB"},
            '(STATUSCAP_MAX_BODY): "32MB" is no quantity; write for example 32Mi',
            id="a size with an unknown unit",
        ),
        pytest.param({"max_body": "0"}, "0 is no positive number of bytes", id="a size of nothing"),
        pytest.param({"decision_log_max_size": "2Gi"}, "one file must fit", id="less in all than for one"),
        pytest.param({"mode": "enforce"}, "Enforce, Warn, DryRun, Off", id="a mode in lower case"),
        pytest.param({"decision_log_sample_unchanged": "2"}, "from 0 to 1", id="more than everything"),
        pytest.param({"decision_log_sample_unchanged": "nan"}, "from 0 to 1", id="not a number"),
        pytest.param({"decision_log_sample_unchanged": "1/0"}, "for example 0.01 or 1/100", id="one of none"),
        pytest.param({"prot": "1"}, "unknown settings: prot", id="a field that there is not"),
    ],
)
def test_refuses_what_cannot_be_used(given: dict[str, Given], message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        settings(**given)


@pytest.mark.parametrize("text", ["perhaps", "2"])
def test_a_switch_in_the_environment_is_true_or_false(text: str) -> None:
    with pytest.raises(SettingsError, match="neither true nor false"):
        Settings.of({"policies": "p"}, {"STATUSCAP_DEV": text})


@pytest.mark.parametrize(
    ("given", "names"),
    [
        pytest.param({}, (), id="what is in the files is nobody's business here"),
        pytest.param({"dev": None, "cert_secret": "a/b", "service": "c"}, ("c.a.svc",), id="a Service"),
        pytest.param({"dev": None, "cert_secret": "a/b", "url": "https://c.d:8443/x"}, ("c.d",), id="a name"),
        pytest.param({"dev": None, "cert_secret": "a/b", "url": "https://[fd00::1]"}, ("fd00::1",), id="an address"),
    ],
)
def test_knows_by_which_names_it_is_called(given: dict[str, Given], names: tuple[str, ...]) -> None:
    assert settings(**given).called_by == names


def test_a_secret_is_in_a_namespace() -> None:
    built = settings(dev=None, cert_secret="a/b.c", service="d")
    assert built.cert_secret == ObjectName("a", "b.c")
    assert str(built.cert_secret) == "a/b.c"
