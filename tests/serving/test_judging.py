"""Whether policies converge is judged beside the answers, and never in their way."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from admission.engine.policy import Policy, PolicySet
from admission.policyfile.convergence.apart import COMMAND
from admission.serving.judging import MOST_TOLD, Judging
from admission.serving.reload import running
from admission.serving.tls import Pair, secured
from tests.controlplane.waiting import eventually
from tests.engine.build import cap_list, policy
from tests.policyfile.convergence.policies import CALM, CUTTING, RESTORING, chain
from tests.serving.process import given, process
from tests.serving.replica import Replica, replica

SOON: Final = 0.01
NONCONVERGING: Final = "statuscap_policies_nonconverging"


@asynccontextmanager
async def judging(
    pair: Pair, directory: Path, *policies: Policy, command: Sequence[str] = COMMAND
) -> AsyncIterator[Replica]:
    """A server whose policies are judged until the block ends."""
    made = replica(given(directory, pair), PolicySet.of(policies), secured(pair, datetime.now(UTC)))
    async with made as server, running([Judging(server.server, command, SOON)]):
        yield server


async def exists(path: Path) -> bool:
    return os.path.lexists(path)  # noqa: ASYNC240 - of a link that leads nowhere, too


async def is_over(child: int) -> bool:
    try:
        os.kill(child, 0)
    except ProcessLookupError:
        return True
    return False


async def until_counted(server: Replica, number: int) -> None:
    async def look() -> bool:
        return server.metric(NONCONVERGING) == number

    await eventually(look, within=20, what=f"{number} policies that do not converge")


async def test_policies_that_do_not_converge_are_counted_and_told(pair: Pair, tmp_path: Path) -> None:
    async with judging(pair, tmp_path, CALM, CUTTING, RESTORING) as server:
        line = await server.says("policies do not converge")
        await until_counted(server, 2)
    assert line["policies"] == ["cutting", "restoring"]
    assert "policy restoring alone changes again" in line["detail"]
    assert line["sample"]["object"]["status"]["conditions"]


async def test_others_that_take_their_place_are_judged_too(pair: Pair, tmp_path: Path) -> None:
    async with judging(pair, tmp_path, chain("a", "b", "c", "d")) as server:
        await until_counted(server, 1)
        server.server.use(PolicySet.of([CALM]))
        await until_counted(server, 0)
        server.server.use(PolicySet.of([CUTTING, RESTORING]))
        await until_counted(server, 2)


async def test_who_has_a_lot_to_mend_is_told_of_some(pair: Pair, tmp_path: Path) -> None:
    many = [chain("a", "b", "c", "d", name=f"chain-{number}") for number in range(MOST_TOLD + 3)]
    async with judging(pair, tmp_path, *many) as server:
        line = await server.says("more policies do not converge")
        told = [each for each in server.lines() if each["message"] == "policies do not converge"]
    assert (line["more"], len(told)) == (3, MOST_TOLD)


TELLS_THAT_NOT_ALL_WERE_JUDGED: Final = """\
import sys
sys.stdin.buffer.read()
print('{"nonconverging": 0, "told": [], "policies_left": 7, "pairs_left": 8}')
"""


async def test_what_was_not_judged_is_told(pair: Pair, tmp_path: Path) -> None:
    command = (sys.executable, "-c", TELLS_THAT_NOT_ALL_WERE_JUDGED)
    async with judging(pair, tmp_path, CALM, command=command) as server:
        line = await server.says("not judged whether all policies converge")
    assert (line["policies"], line["pairs"]) == (7, 8)


@pytest.mark.parametrize(
    "command", [(sys.executable, "-c", "raise SystemExit(1)"), ("/nowhere",)], ids=["fails", "is not there"]
)
async def test_a_process_that_cannot_judge_harms_nobody(pair: Pair, tmp_path: Path, command: tuple[str, ...]) -> None:
    async with judging(pair, tmp_path, CALM, command=command) as server:
        line = await server.says("fault")
        assert server.metric(NONCONVERGING) == 0
    assert (line["cause"], line["consequence"]) == ("convergence", "policies are used that were not judged")


WAITS_FOR_A_FILE: Final = """\
import pathlib, sys, time
sys.stdin.buffer.read()
pathlib.Path(sys.argv[1]).touch()
while not pathlib.Path(sys.argv[2]).exists():
    time.sleep(0.01)
print('{"nonconverging": 5, "told": [], "policies_left": 0, "pairs_left": 0}')
"""


async def test_the_loop_turns_while_policies_are_judged(pair: Pair, tmp_path: Path) -> None:
    """What judges here waits for the loop, which would never turn if it waited for what judges."""
    begun, turned = tmp_path / "begun", tmp_path / "turned"
    command = (sys.executable, "-c", WAITS_FOR_A_FILE, str(begun), str(turned))
    async with judging(pair, tmp_path, CALM, command=command) as server:
        await eventually(partial(exists, begun), within=20, what="judging")
        for _ in range(1_000):
            await asyncio.sleep(0)
        assert server.metric(NONCONVERGING) == 0
        turned.touch()
        await until_counted(server, 5)


async def test_policies_that_were_replaced_meanwhile_are_not_told_of(pair: Pair, tmp_path: Path) -> None:
    begun, turned = tmp_path / "begun", tmp_path / "turned"
    command = (sys.executable, "-c", WAITS_FOR_A_FILE, str(begun), str(turned))
    async with judging(pair, tmp_path, CALM, command=command) as server:
        await eventually(partial(exists, begun), within=20, what="judging")
        server.server.use(PolicySet.of([policy(cap_list(2))]))
        begun.unlink()
        turned.touch()
        await eventually(partial(exists, begun), within=20, what="judging again")
        await until_counted(server, 5)


async def test_what_judges_ends_with_the_server(pair: Pair, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    script = WAITS_FOR_A_FILE.replace("import pathlib,", "import os, pathlib,").replace(
        "pathlib.Path(sys.argv[1]).touch()", "os.symlink(str(os.getpid()), sys.argv[1])"
    )
    async with judging(pair, tmp_path, CALM, command=(sys.executable, "-c", script, str(begun), "never")):
        await eventually(partial(exists, begun), within=20, what="judging")
        child = int(begun.readlink().name)
    await eventually(partial(is_over, child), within=20, what="the end of what judges")


async def test_the_real_server_judges_what_it_serves(pair: Pair, tmp_path: Path) -> None:
    from tests.serving.test_moving_metrics import CHAIN

    (tmp_path / "chain.yaml").write_text(CHAIN)
    async with process(pair, given(tmp_path, pair, policies=[str(tmp_path / "chain.yaml")])) as server:
        while (line := await server.line())["message"] != "policies do not converge":
            assert line["message"] == "serving"
    assert line["policies"] == ["chain"]
