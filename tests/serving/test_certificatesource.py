"""A certificate that is replaced while a server shows it."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
import trustme
from cryptography import x509

from admission.engine.policy import PolicySet
from admission.serving.certificatesource import CertificateSource, ReloadedCertificate
from admission.serving.reload import Reload, running
from admission.serving.tls import Pair
from admission.serving.watch import Pace, Watch
from tests.review_sample import review
from tests.serving.calls import answered, framed
from tests.serving.listening import HOST, until
from tests.serving.process import given
from tests.serving.replica import Replica, replica

QUICK = Pace(every=0.02, still=0.02)
NEVER = 3600.0


@dataclass
class Secret:
    """A mounted Secret with a pair of a CA in it, as cert-manager keeps it: ``..data`` leads to the files in use."""

    directory: Path
    ca: trustme.CA
    issued: int = 0

    @property
    def pair(self) -> Pair:
        return Pair(self.directory / "tls.crt", self.directory / "tls.key")

    def issue(self, expires: datetime | None = None) -> trustme.LeafCert:
        return self.ca.issue_cert(HOST, not_after=expires)

    def renew(self, expires: datetime | None = None) -> int:
        """Swap both files at once; returns the serial number of the new certificate."""
        self.issued += 1
        version = self.directory / f"..{self.issued}"
        version.mkdir(parents=True)
        leaf = self.issue(expires)
        leaf.cert_chain_pems[0].write_to_path(version / "tls.crt")
        leaf.private_key_pem.write_to_path(version / "tls.key")
        (self.directory / "..tmp").symlink_to(version.name)
        (self.directory / "..tmp").replace(self.directory / "..data")
        return serial_of(leaf.cert_chain_pems[0].bytes())


def serial_of(pem: bytes) -> int:
    return x509.load_pem_x509_certificate(pem).serial_number


@pytest.fixture
def secret(tmp_path: Path) -> Secret:
    made = Secret(tmp_path / "mounted", trustme.CA())
    made.renew()
    for file in ("tls.crt", "tls.key"):
        (made.directory / file).symlink_to(Path("..data") / file)
    made.ca.cert_pem.write_to_path(tmp_path / "ca.crt")
    return made


@dataclass
class Serving:
    """A server that listens, and follows its certificate."""

    replica: Replica
    address: str
    trusted: Path
    log_at: int = 0

    def client(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.trusted)

    async def shown(self) -> int:
        """The serial number of the certificate that a new connection sees."""
        host, port = self.address.split(":")
        _, writer = await asyncio.open_connection(host, int(port), ssl=self.client())
        der = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        writer.close()
        return x509.load_der_x509_certificate(der).serial_number

    async def answers(self, client: ssl.SSLContext) -> int:
        """The status of a review on a new connection of this client."""
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=client)) as session:
            return await post(session, self.address)


async def post(session: aiohttp.ClientSession, address: str) -> int:
    headers = {"Content-Type": "application/json"}
    async with session.post(f"https://{address}/mutate", data=review(), headers=headers) as response:
        await response.read()
        return response.status


@asynccontextmanager
async def serving(
    secret: Secret, client_ca: Path | None = None, clock: Callable[[], int] = time.time_ns, retry: float = NEVER
) -> AsyncIterator[Serving]:
    """Serve with the Secret until the block ends."""
    source = CertificateSource(secret.pair, client_ca, clock)
    settings = given(secret.directory.parent, secret.pair)
    async with replica(settings, PolicySet.of([]), source.load()) as made:
        (address,) = (await made.server.start()).reviews
        watch = Watch(source.files, made.server.tell_no_notices, QUICK)
        reload = Reload(ReloadedCertificate(source, made.server), watch, source.seen, made.server.process, retry)
        async with running([reload]):
            yield Serving(made, address, secret.directory.parent / "ca.crt")


async def test_a_renewed_certificate_is_shown_to_new_connections(secret: Secret) -> None:
    expires = datetime.now(UTC).replace(microsecond=0) + timedelta(days=7)
    async with serving(secret) as server:
        before = await server.shown()
        serial = secret.renew(expires)
        line = await server.replica.says("certificate reloaded")
        assert await server.shown() == serial != before
        assert (line["level"], line["serial"]) == ("info", f"{serial:x}")
        assert line["expires"] == expires.isoformat().replace("+00:00", "Z")
        metric = server.replica.metric("statuscap_certificate_expiration_timestamp_seconds")
        assert metric == expires.timestamp()


async def test_connections_that_are_open_go_on(secret: Secret) -> None:
    async with serving(secret) as server:
        host, port = server.address.split(":")
        reader, writer = await asyncio.open_connection(host, int(port), ssl=server.client())
        for number in (1, 2, 3):
            writer.write(framed(review()))
            await answered(reader)
            secret.renew()
            await server.replica.says("certificate reloaded", times=number)
        writer.close()


def by_hand(pair: Pair, leaf: trustme.LeafCert) -> tuple[Callable[[], None], Callable[[], None]]:
    """Write a certificate, and then its key, as people copy files: not at once."""
    return (
        lambda: replace(pair.certificate, leaf.cert_chain_pems[0].bytes()),
        lambda: replace(pair.key, leaf.private_key_pem.bytes()),
    )


def replace(file: Path, content: bytes) -> None:
    file.unlink()
    file.write_bytes(content)


async def test_a_certificate_without_its_key_has_to_wait_for_it(secret: Secret) -> None:
    async with serving(secret) as server:
        before = await server.shown()
        leaf = secret.issue()
        write_certificate, write_key = by_hand(secret.pair, leaf)
        write_certificate()
        line = await server.replica.says("certificate not reloaded")
        assert "the key belongs to another certificate" in line["problem"]
        assert (line["level"], line["consequence"]) == ("warning", "the certificate in use stays")
        assert await server.shown() == before
        write_key()
        await server.replica.says("certificate reloaded")
        assert await server.shown() == serial_of(leaf.cert_chain_pems[0].bytes())


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        pytest.param(lambda pair: replace(pair.certificate, b"x"), "no certificate in PEM form", id="no certificate"),
        pytest.param(lambda pair: replace(pair.key, b""), "no private key in PEM form", id="no key"),
        pytest.param(lambda pair: pair.key.unlink(), "tls.key: No such file", id="a file is gone"),
        pytest.param(lambda pair: shutil.rmtree(pair.key.parent), "tls.crt: No such file", id="everything is gone"),
    ],
)
async def test_a_bad_pair_changes_nothing(secret: Secret, spoil: Callable[[Pair], None], problem: str) -> None:
    async with serving(secret) as server:
        before = await server.shown()
        spoil(secret.pair)
        assert problem in (await server.replica.says("certificate not reloaded"))["problem"]
        assert await server.shown() == before
        assert await server.answers(server.client()) == 200


async def test_an_expired_certificate_does_not_take_the_place_of_a_valid_one(secret: Secret) -> None:
    async with serving(secret) as server:
        before = await server.shown()
        secret.renew(datetime(2020, 1, 1, tzinfo=UTC))
        assert "valid from" in (await server.replica.says("certificate not reloaded"))["problem"]
        assert await server.shown() == before


async def test_a_certificate_that_is_not_valid_yet_is_used_when_it_is(secret: Secret) -> None:
    clock = [time.time_ns()]
    async with serving(secret, clock=lambda: clock[0], retry=0.02) as server:
        clock[0] = 0  # long before all of them
        serial = secret.renew()
        await server.replica.says("certificate not reloaded")
        clock[0] = time.time_ns()
        await server.replica.says("certificate reloaded")
        assert await server.shown() == serial


async def test_says_when_the_caller_does_not_trust_it(secret: Secret) -> None:
    async with serving(secret) as server:
        host, port = server.address.split(":")
        with pytest.raises(ssl.SSLCertVerificationError):  # one that says so: asyncio's clients just hang up
            await asyncio.to_thread(ssl.get_server_certificate, (host, int(port)), ca_certs=other_ca(secret))
        line = await server.replica.says("fault")
        assert (line["cause"], line["reason"]) == ("distrust", "TLSV1_ALERT_UNKNOWN_CA")
        assert "caBundle" in line["advice"]


def other_ca(secret: Secret) -> str:
    """The file of a CA that has nothing to do with the certificate."""
    path = secret.directory.parent / "other.crt"
    trustme.CA().cert_pem.write_to_path(path)
    return str(path)


# --- certificates of callers ---


@pytest.fixture
def client_ca(tmp_path: Path) -> trustme.CA:
    made = trustme.CA()
    made.cert_pem.write_to_path(tmp_path / "client-ca.crt")
    return made


def with_certificate(client: ssl.SSLContext, ca: trustme.CA) -> ssl.SSLContext:
    ca.issue_cert("kube-apiserver").configure_cert(client)
    return client


async def test_only_callers_with_a_certificate_are_answered(
    secret: Secret, tmp_path: Path, client_ca: trustme.CA
) -> None:
    async with serving(secret, tmp_path / "client-ca.crt") as server:
        assert await server.answers(with_certificate(server.client(), client_ca)) == 200
        for client in (server.client(), with_certificate(server.client(), trustme.CA())):
            with pytest.raises(aiohttp.ClientError):
                await server.answers(client)
        line = await server.replica.says("fault")
        assert (line["cause"], line["reason"]) == ("distrust", "PEER_DID_NOT_RETURN_A_CERTIFICATE")
        await until(lambda: server.replica.metric('statuscap_connections_closed_total{reason="handshake"}') == 2)


async def test_a_new_ca_takes_the_place_of_the_old_one(secret: Secret, tmp_path: Path, client_ca: trustme.CA) -> None:
    async with serving(secret, tmp_path / "client-ca.crt") as server:
        other = trustme.CA()
        replace(tmp_path / "client-ca.crt", other.cert_pem.bytes())
        await server.replica.says("certificate reloaded")
        assert await server.answers(with_certificate(server.client(), other)) == 200
        with pytest.raises(aiohttp.ClientError):
            await server.answers(with_certificate(server.client(), client_ca))
        replace(tmp_path / "client-ca.crt", b"")
        assert "client-ca.crt" in (await server.replica.says("certificate not reloaded"))["problem"]
        assert await server.answers(with_certificate(server.client(), other)) == 200
