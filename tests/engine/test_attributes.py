"""The facts of one request."""

from __future__ import annotations

import pytest

from tests.engine.build import custom_resource, write


@pytest.mark.parametrize(
    ("subresource", "endpoint", "on_status"),
    [("status", "jobs/status", True), ("", "jobs", False), ("scale", "jobs/scale", False)],
)
def test_names_its_endpoint_as_a_rule_does(subresource: str, endpoint: str, on_status: bool) -> None:
    attributes = write(custom_resource({}), subresource=subresource)
    assert (attributes.endpoint, attributes.on_status) == (endpoint, on_status)
