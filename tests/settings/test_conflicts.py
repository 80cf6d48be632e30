"""Settings that do not go together. Most are among the tests of the settings themselves."""

from __future__ import annotations

from admission.settings.conflicts import conflicts


def test_values_that_could_not_be_read_are_in_conflict_with_nothing() -> None:
    assert list(conflicts({})) == []


def test_every_conflict_is_told() -> None:
    told = list(conflicts({"policies": (), "port": 8080, "probe_port": 8080, "max_body": 2, "max_in_flight_bytes": 1}))
    assert len(told) == 3
