"""Warning of a certificate that nobody renews."""

import ssl
from datetime import UTC, datetime, timedelta

import pytest

from admission.observe.processlog import ProcessLog
from admission.observe.sink import MemorySink
from admission.serving.expiry import Expiry, Standing, standing
from admission.serving.tls import Secured

BEGINS = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("lives", "at", "expected"),
    [
        pytest.param(90 * DAY, 0 * DAY, Standing.FINE, id="new"),
        pytest.param(90 * DAY, 83 * DAY, Standing.FINE, id="a week left"),
        pytest.param(90 * DAY, 83 * DAY + HOUR, Standing.EXPIRES_SOON, id="less than a week left"),
        pytest.param(90 * DAY, 90 * DAY, Standing.EXPIRES_SOON, id="its last second"),
        pytest.param(90 * DAY, 90 * DAY + HOUR, Standing.EXPIRED, id="over"),
        pytest.param(1 * DAY, 19 * HOUR, Standing.FINE, id="a short one with a fifth left"),
        pytest.param(1 * DAY, 20 * HOUR, Standing.EXPIRES_SOON, id="a short one with less"),
    ],
)
def test_a_certificate_expires_soon_in_its_last_days(lives: timedelta, at: timedelta, expected: Standing) -> None:
    assert standing(BEGINS, BEGINS + lives, BEGINS + at) is expected


class Watched:
    """A certificate that is looked at on days that a test chooses; ``expires`` is the day of its end."""

    def __init__(self) -> None:
        self.day = 0.0
        self.expires = 90
        self.log = MemorySink()
        self.process = ProcessLog(self.log, self.clock, lambda: 0)
        self.expiry = Expiry(self.secured, self.process, self.clock)

    def clock(self) -> int:
        return int((BEGINS + self.day * DAY).timestamp()) * 1_000_000_000

    def secured(self) -> Secured:
        return Secured(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), BEGINS, BEGINS + self.expires * DAY, 1)

    def told(self, *days: float) -> list[tuple[str, str]]:
        """What is said on these days: day and message."""
        for self.day in days:
            self.expiry.look()
        self.process.close()
        return [(line.split(b'"')[3].decode()[5:10], line.split(b'"')[11].decode()) for line in self.log.lines]


def test_says_so_once_a_day_and_when_it_gets_worse() -> None:
    assert Watched().told(0, 82, 84, 84.5, 85, 85.9, 90.1, 90.5, 91.1, 91.2) == [
        ("03-26", "certificate expires soon"),
        ("03-27", "certificate expires soon"),
        ("04-01", "certificate has expired"),
        ("04-02", "certificate has expired"),
    ]


def test_is_quiet_again_once_it_is_renewed_and_says_so_of_the_next_one() -> None:
    watched = Watched()
    for watched.day, watched.expires in ((84, 90), (85, 180), (174, 180), (174.5, 180)):
        watched.expiry.look()
    assert len(watched.told()) == 2


async def test_looks_at_once() -> None:
    watched = Watched()
    watched.day = 89
    running = watched.expiry.run()
    running.send(None)
    running.close()
    assert [message for _, message in watched.told()] == ["certificate expires soon"]
