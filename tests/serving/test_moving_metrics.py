"""Every metric moves in a run of the real server: one that never does would be a lie."""

from __future__ import annotations

import asyncio
import ssl
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeAlias

import aiohttp
import pytest

from admission.observe.metric import METRICS, Metric
from admission.serving.breaker import FAILURES
from admission.serving.tls import Pair
from admission.settings.flag import Given
from tests.controlplane.loopback import ask
from tests.controlplane.metrics import samples
from tests.controlplane.waiting import eventually
from tests.crd.sample import crd
from tests.offline.samples import written
from tests.review_sample import condition, custom_resource, review
from tests.serving.calls import HEAD, framed
from tests.serving.listening import HOST, trusting
from tests.serving.process import Process, given, process

POLICY: Final = """\
apiVersion: statuscap.dev/v1alpha1
kind: StatusPolicy
metadata: {name: moving}
spec:
  mode: Enforce
  match:
    resources: [{apiGroups: [batch.volcano.sh], resources: [jobs/status]}]
  trim:
    - capList: {path: status.conditions, max: 2, order: NewestLast}
    - capList:
        path: status.conditions
        max: 1
        order: NewestLast
        keepWhere: [{all: [{field: status, operator: Exists}]}]
    - budget: {maxBytes: 1, steps: [{drop: {paths: [status.nothing]}}]}
  limits:
    - {maxBytes: 1Ki, action: Reject}
"""
CHAIN: Final = (
    POLICY[: POLICY.index("  trim:")].replace("moving", "chain")
    + """\
  trim:
    - {capList: {path: status.a, max: 1, order: NewestLast}, when: [{field: "status.b[1]", operator: DoesNotExist}]}
    - {capList: {path: status.b, max: 1, order: NewestLast}, when: [{field: "status.c[1]", operator: DoesNotExist}]}
    - {capList: {path: status.c, max: 1, order: NewestLast}, when: [{field: "status.d[1]", operator: DoesNotExist}]}
    - {capList: {path: status.d, max: 1, order: NewestLast}}
"""
)
WATCH: Final = (
    POLICY[: POLICY.index("  trim:")].replace("moving", "watch").replace("Enforce", "DryRun")
    + "  trim: [drop: {paths: [status.nothing]}]\n"
)
BROKEN: Final = POLICY.replace("moving", "broken").replace("trim:", "trum:")
SETTINGS: Final[dict[str, Given]] = {
    "decision_log": "/dev/full",
    "decision_log_values": True,
    "decision_log_max_line": "1k",
    "header_timeout": "50ms",
    "skip_broken": True,
}
KEPT: Final = 2
KEEPING: Final = """\
import json, sys
from admission.errors import ClusterError
from admission.serving.runner import Custody, run
from admission.settings import Settings
from tests.serving.keeping import World
class Off(World):
    def publish(self, registered, bundle):
        raise ClusterError("refused")
world = Off()
world.apply("ValidatingWebhookConfiguration")
sys.exit(run(Settings.of(json.loads(sys.argv[1]), {}), custody=Custody(world, world)))
"""

# The command as a process of its own: in a cluster without any CRD; and in one where it is off and may publish nothing
IN_A_CLUSTER: Final = """\
import json, sys, threading
from admission.serving.runner import run
from admission.settings import Settings
class Empty:
    def follow(self, use):
        use({})
        threading.Event().wait()
sys.exit(run(Settings.of(json.loads(sys.argv[1]), {}), cluster=Empty()))
"""


@dataclass
class Run:
    """A server that runs, with the largest total of every metric that was ever seen."""

    reviews: str
    probes: str
    session: aiohttp.ClientSession
    trust: ssl.SSLContext
    policies: Path
    seen: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    async def post(self, body: bytes, query: str = "") -> None:
        async with self.session.post(
            self.reviews + query, data=BytesIO(body), headers={"Content-Type": "application/json"}
        ) as response:
            await response.read()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A connection of one's own."""
        port = int(self.reviews.partition("/mutate")[0].rpartition(":")[2])
        reader, writer = await asyncio.open_connection(HOST, port, ssl=self.trust)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    async def until_moved(self, name: str) -> None:
        await eventually(partial(self.moved, name), within=10, what=f"a move of {name}")

    async def moved(self, name: str) -> bool:
        """Look whether a metric is above 0, or ever was."""
        text = (await asyncio.to_thread(ask, self.probes, "/metrics")).body.decode()
        for metric in METRICS:
            counted = metric.name + ("_count" if metric.buckets else "")
            total = sum(sample.value for sample in samples(text, counted) if sample.name == counted)
            self.seen[metric.name] = max(self.seen[metric.name], total)
        return self.seen[name] > 0


Action: TypeAlias = Callable[[Run], Awaitable[None]]


async def start(run: Run) -> None:
    """Nothing more than that it runs."""


async def trim(run: Run) -> None:
    await run.post(review())


async def suppress(run: Run) -> None:
    trimmed = custom_resource() | {"status": custom_resource()["status"] | {"conditions": newest(3)}}
    await run.post(review(object=custom_resource(3), oldObject=trimmed))


def newest(of: int) -> list[dict[str, Any]]:
    return [condition(number) for number in range(of - KEPT, of)]


async def put_back(run: Run) -> None:
    for _ in range(31):
        await trim(run)


async def come_late(run: Run) -> None:
    await run.post(review(), "?timeout=1ns")


async def send_what_is_no_review(run: Run) -> None:
    await run.post(b"")


async def write_too_much(run: Run) -> None:
    huge = custom_resource() | {"status": {"log": "x" * 2_000}}
    await run.post(review(object=huge))


async def write_what_one_policy_has_time_for(run: Run) -> None:
    """Two observe the resource, and who observes reads 24 MiB of one write at most, all together."""
    huge = custom_resource() | {"status": {"log": "x" * 13 * 2**20}}
    await run.post(review(object=huge))


async def send_half_a_head(run: Run) -> None:
    async with run.connection() as (reader, writer):
        writer.write(HEAD[:20])
        await reader.read()


async def send_half_a_body(run: Run) -> None:
    async with run.connection() as (_, writer):
        writer.write(framed(review())[:-1_000])
        await run.until_moved("statuscap_in_flight_bytes")


async def make_a_policy_fail(run: Run) -> None:
    """What the chain works on does not settle."""
    chained = custom_resource() | {"status": {name: [1, 2] for name in "abcd"}}
    for _ in range(FAILURES):
        await run.post(review(object=chained))


async def mend_the_broken_policy(run: Run) -> None:
    (run.policies / "broken.yaml").write_text(BROKEN.replace("trum", "trim"))


MOVED_BY: Final[dict[str, Action]] = {
    "statuscap_policies": start,
    "statuscap_policies_skipped": start,
    "statuscap_crds": start,
    "statuscap_crds_followed": start,
    "statuscap_certificate_expiration_timestamp_seconds": start,
    "statuscap_reviews_total": trim,
    "statuscap_review_duration_seconds": trim,
    "statuscap_status_bytes": trim,
    "statuscap_bytes_removed_total": trim,
    "statuscap_items_removed_total": trim,
    "statuscap_writes_trimmed_total": trim,
    "statuscap_bytes_saved_total": trim,
    "statuscap_step_reviews_total": trim,
    "statuscap_cap_unreachable_total": trim,
    "statuscap_budget_unreachable_total": trim,
    "statuscap_decision_log_dropped_total": trim,
    "statuscap_decision_log_truncated_total": trim,
    "statuscap_writes_suppressed_total": suppress,
    "statuscap_fights_total": put_back,
    "statuscap_shed_total": come_late,
    "statuscap_rejections_total": write_too_much,
    "statuscap_policies_unobserved_total": write_what_one_policy_has_time_for,
    "statuscap_connections_closed_total": send_half_a_head,
    "statuscap_in_flight_bytes": send_half_a_body,
    "statuscap_errors_total": send_what_is_no_review,
    "statuscap_policies_nonconverging": start,
    "statuscap_policies_set_aside": make_a_policy_fail,
    "statuscap_policy_set_aside_total": make_a_policy_fail,
    "statuscap_policy_reloads_total": mend_the_broken_policy,
}
MOVED_BY_A_KEEPER: Final = (
    "statuscap_certificate_authority_expiration_timestamp_seconds",
    "statuscap_certificate_changes_total",
    "statuscap_certificate_failures_total",
    "statuscap_registration_off",
)


async def serving_line(server: Process) -> dict[str, Any]:
    """Where it serves, which is told behind the broken policies."""
    while (line := await server.line())["message"] != "serving":
        pass
    return line


async def run_all(pair: Pair, directory: Path) -> dict[str, float]:
    """Do everything; returns the largest total of every metric."""
    policies = directory / "policies"
    policies.mkdir()
    (policies / "moving.yaml").write_text(POLICY)
    (policies / "broken.yaml").write_text(BROKEN)
    (policies / "chain.yaml").write_text(CHAIN)
    (policies / "watch.yaml").write_text("---\n".join(WATCH.replace("watch", name) for name in ("watch", "watch-too")))
    crds = written(directory, "crds.json", crd())
    settings = given(directory, pair, policies=[str(policies)], crds=[str(crds)], **SETTINGS)
    async with process(pair, settings, IN_A_CLUSTER) as server, server.session() as session:
        serving = await serving_line(server)
        probes = serving["probes"][0].removesuffix("/readyz")
        run = Run(serving["reviews"][0], probes, session, trusting(pair), policies)
        for action in dict.fromkeys(MOVED_BY.values()):
            await action(run)
            for name in (name for name, mover in MOVED_BY.items() if mover is action):
                await run.until_moved(name)
        server.process.terminate()
        await server.end()
    async with process(pair, kept(directory, pair), KEEPING) as server, server.session() as session:
        serving = await serving_line(server)
        run.probes = serving["probes"][0].removesuffix("/readyz")
        for name in MOVED_BY_A_KEEPER:
            await run.until_moved(name)
    return run.seen


def kept(directory: Path, pair: Pair) -> dict[str, Given]:
    """Settings of a server that keeps its certificate in a Secret."""
    settings = given(directory, pair, cert_secret="statuscap/certs", service="statuscap", cert_interval="50ms")
    return settings | {"dev": False}


@pytest.fixture(scope="module")
def seen(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    with asyncio.Runner() as runner:
        return runner.run(run_all(pair, tmp_path_factory.mktemp("moving")))


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_moves(metric: Metric, seen: dict[str, float]) -> None:
    assert seen[metric.name] > 0, "add to MOVED_BY what moves it"


def test_only_what_is_in_the_table_is_listed() -> None:
    assert {*MOVED_BY, *MOVED_BY_A_KEEPER} <= {metric.name for metric in METRICS}
