"""The table of metrics: everything that a scrape of ``/metrics`` can tell, in the order of the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from prometheus_client import Counter, Gauge, Histogram

# 50 µs is a small review, 4 ms one of 1.2 MB; timeouts are whole seconds
_DURATIONS: Final = (
    50e-6,
    100e-6,
    250e-6,
    500e-6,
    1e-3,
    2.5e-3,
    5e-3,
    10e-3,
    25e-3,
    50e-3,
    100e-3,
    250e-3,
    500e-3,
    1.0,
    2.5,
)

# powers of two up to 1 MiB; then 1.5 MiB, where an object freezes, and 3 MiB, which is the longest request
_SIZES: Final = (*(float(1 << power) for power in range(8, 21)), 1.5 * (1 << 20), 3.0 * (1 << 20))

_Kind: TypeAlias = type[Counter] | type[Gauge] | type[Histogram]


@dataclass(frozen=True, slots=True)
class Metric:
    """One line of the table. Durations are seconds, sizes bytes as stored."""

    name: str
    kind: _Kind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


METRICS: Final[tuple[Metric, ...]] = (
    Metric(
        "statuscap_reviews_total",
        Counter,
        "Reviews answered. One write can be several calls: retries, races, reinvocation.",
        ("phase", "resource", "operation", "outcome", "request_dry_run"),
    ),
    Metric(
        "statuscap_review_duration_seconds",
        Histogram,
        "Time from a complete body to its answer.",
        buckets=_DURATIONS,
    ),
    Metric(
        "statuscap_status_bytes",
        Histogram,
        "Sizes of the statuses that policies looked at, `before` and `after`, in Warn and DryRun after what they would "
        "have done. By calls; without the callers' dry runs.",
        ("resource", "when"),
        _SIZES,
    ),
    Metric(
        "statuscap_bytes_removed_total",
        Counter,
        "Bytes that policies trimmed from calls, or would have in Warn and DryRun; without the callers' dry runs.",
        ("policy", "mode", "resource"),
    ),
    Metric(
        "statuscap_items_removed_total",
        Counter,
        "Items that policies removed or cut, or would have in Warn and DryRun; without the callers' dry runs.",
        ("policy", "mode", "resource"),
    ),
    Metric(
        "statuscap_writes_trimmed_total",
        Counter,
        "Writes that were trimmed, or would have been in Warn and DryRun: each once, however many calls it took.",
        ("mode", "resource"),
    ),
    Metric(
        "statuscap_writes_suppressed_total",
        Counter,
        "Writes that became no-ops, or would have in Warn and DryRun: each once, however many calls it took.",
        ("mode", "resource"),
    ),
    Metric(
        "statuscap_bytes_saved_total",
        Counter,
        "Bytes that these writes did not store, or would not have: the whole object when suppressed, the difference "
        "when trimmed.",
        ("mode", "resource"),
    ),
    Metric(
        "statuscap_fights_total",
        Counter,
        "Minutes in which more than 30 answers for one object were changed, by whether its writes are `stored` or "
        "become no-ops. The process log tells which object, once an hour.",
        ("resource", "stored"),
    ),
    Metric(
        "statuscap_rejections_total",
        Counter,
        "Calls that the limits of a policy rejected, or would have in Warn and DryRun; without the callers' dry runs.",
        ("policy", "mode", "resource"),
    ),
    Metric(
        "statuscap_step_reviews_total",
        Counter,
        "Reviews that a step saw, by whether its path led anywhere. A path that never does is a typo.",
        ("policy", "step", "found"),
    ),
    Metric(
        "statuscap_cap_unreachable_total",
        Counter,
        "Reviews in which a step could not get down to its `max`, since what is left has to stay.",
        ("policy", "step"),
    ),
    Metric(
        "statuscap_budget_unreachable_total",
        Counter,
        "Reviews in which a `budget` was still exceeded when all its steps had run.",
        ("policy", "step"),
    ),
    Metric(
        "statuscap_shed_total",
        Counter,
        "Reviews allowed unevaluated: so late that the caller would not have waited (`deadline`), or too much at once "
        "(`bytes_in_flight`).",
        ("reason",),
    ),
    Metric(
        "statuscap_errors_total",
        Counter,
        "Faults (their writes were allowed), broken invariants (their policies were left out), calls refused by HTTP, "
        "connections that the system did not give (`accept`).",
        ("cause",),
    ),
    Metric(
        "statuscap_connections_closed_total",
        Counter,
        "Connections that were closed on their clients: too many (`max_connections`, `descriptors`), or too slow with "
        "TLS (`handshake`), with a call (`header_timeout`) or in reading its answer (`answer_timeout`, "
        "`bytes_in_flight`).",
        ("reason",),
    ),
    Metric(
        "statuscap_in_flight_bytes",
        Gauge,
        "Bytes of reviews that are being read or answered, and of answers that are not read yet.",
    ),
    Metric("statuscap_policies", Gauge, "Policies in use.", ("mode",)),
    Metric(
        "statuscap_policies_skipped", Gauge, "Policies that are broken and were left out, because of `--skip-broken`."
    ),
    Metric(
        "statuscap_policies_unobserved_total",
        Counter,
        "Looks at a write that policies in Warn and DryRun did not take, since more of them observe the resource than "
        "there is time for (about 96, of a large object fewer): they take turns.",
    ),
    Metric(
        "statuscap_policies_nonconverging",
        Gauge,
        "Policies that do not leave their own result alone, or undo what another one does, on samples made for them. "
        "Judged beside the answers after the start and each reload; the process log shows the sample.",
    ),
    Metric(
        "statuscap_policies_set_aside",
        Gauge,
        "Policies that keep failing and are not asked for a while: nothing is trimmed or rejected by them.",
    ),
    Metric(
        "statuscap_policy_set_aside_total",
        Counter,
        "How often a policy was set aside: for five minutes, then for twice as long each time, an hour at most.",
        ("policy",),
    ),
    Metric(
        "statuscap_policy_reloads_total",
        Counter,
        "Changes of the policy files: taken (`success`), or refused, and the old policies stay in use (`failure`).",
        ("result",),
    ),
    Metric(
        "statuscap_crds",
        Gauge,
        "CRDs whose schemas are known, by where from: `files` (`--crds`) or `cluster` (`--cluster`).",
        ("source",),
    ),
    Metric(
        "statuscap_crds_followed",
        Gauge,
        "With `--cluster`, 1 while the CRDs of the cluster are followed; 0 while the API server does not answer, and "
        "the schemas that were known last stay.",
        ("source",),
    ),
    Metric(
        "statuscap_certificate_expiration_timestamp_seconds",
        Gauge,
        "When the certificate that is served expires, in seconds since 1970.",
    ),
    Metric(
        "statuscap_certificate_authority_expiration_timestamp_seconds",
        Gauge,
        "With `--cert-secret`, when the CA of that certificate expires, in seconds since 1970.",
    ),
    Metric(
        "statuscap_certificate_changes_total",
        Counter,
        "Times that this replica wrote the Secret of `--cert-secret`, since it was time (`due`) or since something was "
        "wrong with it or missing (`mended`).",
        ("reason",),
    ),
    Metric(
        "statuscap_certificate_failures_total",
        Counter,
        "Looks at the certificates of `--cert-secret` that failed: the Secret cannot be read (`secret`), it or the "
        "webhook configurations cannot be written or seen (`cluster`), the certificate cannot be used (`tls`) or is "
        "not trusted yet at the start (`trust`), this replica's clock is wrong and that of the API server is used "
        "(`clock`), or a bug (`fault`).",
        ("cause",),
    ),
    Metric(
        "statuscap_registration_off",
        Gauge,
        "With `--cert-secret`, 1 while there is no MutatingWebhookConfiguration of that name: statuscap is off, and "
        "writes pass untrimmed.",
    ),
    Metric("statuscap_decision_log_dropped_total", Counter, "Lines of the decision log that were lost."),
    Metric(
        "statuscap_decision_log_truncated_total",
        Counter,
        "Lines of the decision log that lack removed values (--decision-log-values), for want of room.",
    ),
)
"""Every metric, in the order of the reference."""
