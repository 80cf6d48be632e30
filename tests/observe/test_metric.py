"""The table of metrics."""

import pytest

from admission.observe.metric import METRICS, Metric


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_says_what_it_is(metric: Metric) -> None:
    assert metric.name.startswith("statuscap_")
    assert metric.help.endswith(".")
    assert metric.labels == tuple(dict.fromkeys(metric.labels))
    assert not {"name", "namespace", "user", "uid"} & set(metric.labels)


def test_no_metric_is_listed_twice() -> None:
    assert len({metric.name for metric in METRICS}) == len(METRICS)


def test_buckets_of_sizes_reach_from_a_small_status_to_the_longest_request() -> None:
    (sizes,) = (metric.buckets for metric in METRICS if metric.name == "statuscap_status_bytes")
    assert (sizes[0], sizes[-1]) == (256, 3 * 1024 * 1024)
    assert sorted(set(sizes)) == list(sizes)
    assert 1.5 * 1024 * 1024 in sizes, "where an object freezes"
