"""One noisy controller: reads its object, appends, writes the status, and again, like a real one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime

from admission.engine.measure import stored_size
from tests.controlplane.client import Answer, ApiClient, EtcdRecord
from tests.demo.failure import DemoError
from tests.demo.kind import Json, Kind
from tests.demo.tally import Tally

EVERY = 0.1  # seconds between two writes: noisy for a controller, quiet for two cores
REPEAT_EACH = 3  # every third write is the one before again, from memory, as after a restart or a resync


class Controller:
    """Writes one object and measures every write: what etcd holds after it, and would hold had it been stored as sent.

    ``client`` carries its field manager, ``last`` is the status it sent last, ``tally`` what was measured.
    """

    def __init__(self, client: ApiClient, kind: Kind, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.client = client
        self._now = now
        self._turn = 0
        self.kind = kind
        self.last: Json = {}
        self.tally = Tally(kind.title)

    async def grow(self) -> str:
        """Create the object and give it the status of a long time without statuscap.

        Returns what the API server says when the controller then writes once more, empty when it takes it.
        """
        kind = self.kind
        created = answered(await self.client.create(kind.resource, kind.created()), f"the {kind.title}")
        grown = await self._put({**created.body, "status": kind.grown(self._now())})
        status = kind.reconciled(answered(grown, f"the {kind.title}'s status").body["status"], -1, self._now())
        refused = await self._put({**grown.body, "status": status}, request_dry_run=True)
        self.tally.before = self.tally.now = len((await self.stored()).value)
        self.tally.frozen = refused.status != 200
        return message_of(refused) if self.tally.frozen else ""

    async def run(self, seconds: float) -> None:
        """Write until the time is over, and at least until one write was repeated."""
        clock = asyncio.get_running_loop().time
        end = clock() + seconds
        while clock() < end or self._turn < REPEAT_EACH:
            due = clock() + EVERY
            await self.write()
            await asyncio.sleep(max(0.0, min(due, end) - clock()))

    async def write(self) -> None:
        """Read, change, write, measure."""
        read = answered(await self.client.get(self.kind.resource, self.kind.name), f"the {self.kind.title}").body
        self._turn += 1
        before = self.last
        if self._turn % REPEAT_EACH:
            self.last = self.kind.reconciled(read.get("status", {}), self._turn, self._now())
        repeat = self.last == before
        answer = await self._put(encode({**read, "status": self.last}))
        if answer.status != 200:
            return self.tally.refuse(message=message_of(answer), repeat=repeat)
        record = await self.stored()
        moved = version(answer.body) != version(read)
        return self.tally.count(size=len(record.value), untrimmed=self._untrimmed(record), moved=moved, repeat=repeat)

    def _untrimmed(self, record: EtcdRecord) -> int | None:
        """Return the bytes of the value had the last status been stored as sent, None when that would be refused.

        The writes to a frozen object are alike: each was refused without statuscap, unless it left nothing to trim.
        """
        if self.tally.frozen and status_of(record) != self.last:
            return None
        return size_with(record, self.last)

    async def stored(self) -> EtcdRecord:
        """Return the object as etcd has it."""
        resource = self.kind.resource
        try:
            return await self.client.etcd_record(resource.group, resource.plural, resource.namespace, self.kind.name)
        except LookupError as error:
            raise DemoError(f"the {self.kind.title} {self.kind.name} was deleted: {error.args[0]}") from error

    async def acceptable(self) -> str:
        """Let the API server judge the stored object, without a write; returns its refusal, empty when it takes it."""
        answer = await self._put((await self.read()).body, request_dry_run=True)
        return "" if answer.status == 200 else message_of(answer)

    async def read(self) -> Answer:
        return await self.client.get(self.kind.resource, self.kind.name)

    async def _put(self, body: Json | bytes, *, request_dry_run: bool = False) -> Answer:
        kind = self.kind
        return await self.client.replace(
            kind.resource, body, name=kind.name, subresource=kind.subresource, request_dry_run=request_dry_run
        )


def encode(document: Json) -> bytes:
    """Return JSON as Go's client sends it: no blanks, UTF-8."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def version(document: Json) -> str:
    text: str = document["metadata"]["resourceVersion"]
    return text


def status_of(record: EtcdRecord) -> Json:
    status: Json = json.loads(record.value).get("status", {})
    return status


def size_with(record: EtcdRecord, status: Json) -> int:
    """Return the bytes of a value in etcd if it had this status instead; no status here owns managedFields by item."""
    return len(record.value) - stored_size(encode(status_of(record))) + stored_size(encode(status))


def message_of(answer: Answer) -> str:
    """Return why the API server refused."""
    return str(answer.body.get("message") or f"HTTP {answer.status}")


def answered(answer: Answer, what: str) -> Answer:
    """Return the answer; raises ``DemoError`` when it is a refusal of what the demo cannot go on without."""
    if answer.status not in {200, 201}:
        raise DemoError(f"the API server refused {what}: {message_of(answer)}")
    return answer
