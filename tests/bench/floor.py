"""Allow-only webhooks in aiohttp: ``python -m tests.bench.floor stripped|plain PORT PROBE_PORT CERTIFICATE KEY``.

``stripped`` is the floor: what a webhook written by aiohttp's book has to pay before it does anything: sockets, TLS,
HTTP, the body in memory, and an answer with its uid. It looks at nothing but the prefix and allows everything.
``plain`` is the allow-only handler that one writes first: it reads the review as JSON to find the uid.
"""

from __future__ import annotations

import asyncio
import re
import signal
import ssl
import sys
from typing import Final

import uvloop
from aiohttp import web

from tests.controlplane.loopback import HOST

MAX_BODY: Final = 32 * 1024 * 1024  # the product's own default
_PREFIX: Final = re.compile(
    rb'\{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":\{"uid":"([^"]+)"'
)
_ANSWER: Final = b'{"response":{"uid":"%b","allowed":true},"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}'


async def mutate(request: web.Request) -> web.Response:
    """Allow a review."""
    found = _PREFIX.match(await request.read())
    if found is None:
        raise web.HTTPBadRequest(text="no AdmissionReview\n")
    return web.Response(body=_ANSWER % found[1], content_type="application/json")


async def mutate_plain(request: web.Request) -> web.Response:
    """Allow a review, read as JSON."""
    review = await request.json()
    response = {"uid": review["request"]["uid"], "allowed": True}
    return web.json_response({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "response": response})


HANDLERS: Final = {"stripped": mutate, "plain": mutate_plain}


async def readyz(request: web.Request) -> web.Response:
    """Tell that reviews are answered."""
    return web.Response(text="ok")


async def serve(name: str, port: int, probe_port: int, context: ssl.SSLContext) -> None:
    """Answer until SIGTERM."""
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    reviews, probes = web.Application(client_max_size=MAX_BODY), web.Application()
    reviews.router.add_post("/mutate", HANDLERS[name])
    probes.router.add_get("/readyz", readyz)
    runners = [web.AppRunner(app, access_log=None) for app in (reviews, probes)]
    for runner in runners:
        await runner.setup()
    await web.TCPSite(runners[0], HOST, port, ssl_context=context).start()
    await web.TCPSite(runners[1], HOST, probe_port).start()
    await ended.wait()
    for runner in runners:
        await runner.cleanup()


def main() -> None:
    """Read the arguments and serve."""
    name, port, probe_port, certificate, key = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    uvloop.run(serve(name, int(port), int(probe_port), context))


if __name__ == "__main__":
    main()
