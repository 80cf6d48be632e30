"""The series that a scrape reads."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from admission.observe.metric import METRICS
from admission.observe.series import Series


def test_every_metric_of_the_table_is_exposed_and_so_is_the_process() -> None:
    exposed = {family.name for family in text_string_to_metric_families(Series().exposition().decode())}
    assert {metric.name.removesuffix("_total") for metric in METRICS} <= exposed
    assert "process_resident_memory_bytes" in exposed


def test_a_series_is_found_again_by_its_labels() -> None:
    series = Series()
    series.of("statuscap_shed_total", "deadline").inc()
    series.of("statuscap_shed_total", "deadline").inc()
    series.of("statuscap_shed_total", "bytes_in_flight").inc()
    assert series.registry.get_sample_value("statuscap_shed_total", {"reason": "deadline"}) == 2


def test_one_without_labels_is_a_series_of_its_own() -> None:
    series = Series()
    series.of("statuscap_decision_log_dropped_total").inc(3)
    assert series.registry.get_sample_value("statuscap_decision_log_dropped_total") == 3


def test_labels_that_the_table_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="label"):
        Series().of("statuscap_shed_total", "deadline", "surplus")


def test_no_series_of_creation_times() -> None:
    series = Series()
    series.of("statuscap_shed_total", "deadline").inc()
    assert "_created" not in series.exposition().decode()


def test_registries_are_independent() -> None:
    first, second = Series(), Series()
    first.of("statuscap_decision_log_dropped_total").inc()
    assert second.registry.get_sample_value("statuscap_decision_log_dropped_total") == 0
