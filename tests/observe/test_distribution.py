"""A histogram that says the same as the library's."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from admission.observe.distribution import Distribution

BOUNDS = (0.5, 1.0, 2.5, 1024.0)
VALUES = st.sampled_from([0, 0.5, 0.6, 1, 2.5, 2.6, 1023, 1024, 1025, 3_145_728])


def exposed(*observed: tuple[str, float]) -> str:
    registry = CollectorRegistry()
    distribution = Distribution("sizes", "Sizes.", ("when",), BOUNDS)
    registry.register(distribution)
    for when, value in observed:
        distribution.labels(when).observe(value)
    return generate_latest(registry).decode()


def by_the_library(*observed: tuple[str, float]) -> str:
    registry = CollectorRegistry()
    histogram = Histogram("sizes", "Sizes.", ("when",), registry=registry, buckets=BOUNDS)
    for when, value in observed:
        histogram.labels(when).observe(value)
    return generate_latest(registry).decode()


def samples(text: str) -> list[object]:
    """Everything but the times of creation, which are switched off where the server's registry is made."""
    families = list(text_string_to_metric_families(text))
    return [sample for family in families for sample in family.samples if not sample.name.endswith("_created")]


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(st.tuples(st.sampled_from(["before", "after"]), VALUES), max_size=20))
def test_says_what_the_library_says(observed: list[tuple[str, float]]) -> None:
    assert samples(exposed(*observed)) == samples(by_the_library(*observed))


def test_one_without_labels_is_there_before_its_first_value() -> None:
    registry = CollectorRegistry()
    registry.register(Distribution("seconds", "Seconds.", (), BOUNDS))
    assert registry.get_sample_value("seconds_count") == 0
    assert registry.get_sample_value("seconds_bucket", {"le": "+Inf"}) == 0


@pytest.mark.parametrize("values", [(), ("before", "surplus")])
def test_labels_that_it_does_not_have_are_refused(values: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="sizes has the labels when"):
        Distribution("sizes", "Sizes.", ("when",), BOUNDS).labels(*values)
