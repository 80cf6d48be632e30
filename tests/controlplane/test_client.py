"""What the client reads out of answers, without a server."""

from __future__ import annotations

import pytest

from tests.controlplane.client import served, warning_text
from tests.controlplane.metrics import Sample, samples
from tests.controlplane.objects import widgets
from tests.controlplane.resources import CONFIG_MAPS, CRDS, Resource


@pytest.mark.parametrize(
    ("header", "text"),
    [
        pytest.param('299 - "trimmed to 10"', "trimmed to 10", id="plain"),
        pytest.param(r'299 - "unknown field \"spec.x\""', 'unknown field "spec.x"', id="quotes inside"),
        pytest.param("odd", "odd", id="not a warning: as it came"),
    ],
)
def test_reads_the_text_of_a_warning(header: str, text: str) -> None:
    assert warning_text(header) == text


def test_reads_samples_by_the_start_of_their_name() -> None:
    text = (
        '# HELP a_total x\na_total 3\na_total{code="200",path="a\\"b,c={}"} 1e+06\na_bucket{le="+Inf"} 4\nb_total 5\n'
    )
    assert [*samples(text, "a_")] == [
        Sample("a_total", {}, 3.0),
        Sample("a_total", {"code": "200", "path": 'a"b,c={}'}, 1_000_000.0),
        Sample("a_bucket", {"le": "+Inf"}, 4.0),
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (CONFIG_MAPS.path("c"), "/api/v1/namespaces/default/configmaps/c"),
        (CRDS.path(), "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
        (
            Resource("g.io", "v1", "things").inside("other").path("t", "status"),
            "/apis/g.io/v1/namespaces/other/things/t/status",
        ),
    ],
)
def test_a_resource_knows_its_path(path: str, expected: str) -> None:
    assert path == expected


def test_waits_for_every_served_version_of_a_crd() -> None:
    spec = widgets()["spec"]
    spec["versions"] += [{"name": "v2", "served": True}, {"name": "v0", "served": False}]
    assert [one.version for one in served(spec)] == ["v1", "v2"]
