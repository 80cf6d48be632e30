"""Policies that a server reads again while it serves."""

from __future__ import annotations

import asyncio
import gc
import io
import os
import weakref
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from admission.engine.policy import Mode
from admission.errors import PolicyError
from admission.serving.policysource import PolicySource, ReloadedPolicies
from admission.serving.reload import Reload, running
from admission.serving.runner import OK
from admission.serving.tls import Pair, secured
from admission.serving.watch import Pace, Watch
from admission.settings.flag import Given
from tests.controlplane.metrics import samples
from tests.review_sample import review
from tests.serving.listening import until
from tests.serving.process import POLICY, PROGRAM, Process, given, post, process
from tests.serving.replica import Replica, replica

QUICK = Pace(every=0.02, still=0.02)
OTHER = POLICY.replace("volcano-job-conditions", "other-policy")
LONGER = POLICY.replace("maxBytes: 40", "maxBytes: 50")
HARDLY_MEANT = """\
apiVersion: statuscap.dev/v1alpha1
kind: StatusPolicy
metadata: {name: list-cap}
spec:
  mode: DryRun
  match:
    resources:
      - {apiGroups: [example.com], resources: [widgets/status]}
  trim:
    - capList: {path: status.conditions, max: 5, order: NewestLast}
"""
BAD = POLICY.replace("mode: DryRun", "mode: Dry")


# --- reading ---


def names(source: PolicySource) -> list[str]:
    return [policy.name for policy in source.load().policies.policies]


def test_all_sources_are_read_each_time(tmp_path: Path) -> None:
    source = PolicySource([str(tmp_path), "preset:argocd-application"])
    (tmp_path / "a.yaml").write_text(POLICY)
    assert names(source) == ["argocd-application", "volcano-job-conditions"]
    (tmp_path / "a.yaml").write_text(OTHER)
    assert names(source) == ["argocd-application", "other-policy"]


def test_standard_input_is_read_once_and_stays(tmp_path: Path) -> None:
    source = PolicySource(["-"], stdin=io.BytesIO(POLICY.encode()))
    assert names(source) == names(source) == ["volcano-job-conditions"]
    assert source.files() == []


def test_standard_input_is_left_alone_when_nobody_names_it(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(POLICY)
    stdin = io.BytesIO(b"for somebody else")
    PolicySource([str(tmp_path)], stdin=stdin).load()
    assert stdin.tell() == 0


def test_the_mode_that_was_asked_for_holds_each_time(tmp_path: Path) -> None:
    source = PolicySource([str(tmp_path / "p.yaml")], Mode.ENFORCE)
    for text in (POLICY, LONGER):
        (tmp_path / "p.yaml").write_text(text)
        assert [policy.mode for policy in source.load().policies.policies] == [Mode.ENFORCE]


def test_one_problem_is_enough_to_load_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(POLICY)
    (tmp_path / "b.yaml").write_text(BAD)
    with pytest.raises(PolicyError, match=r"b\.yaml:5: spec\.mode"):
        PolicySource([str(tmp_path)]).load()


def test_what_is_right_is_loaded_at_the_start_when_the_rest_may_be_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(POLICY)
    (tmp_path / "b.yaml").write_text(f"{BAD}---\n{OTHER}")
    (tmp_path / "c.yaml").write_text("a: [")
    loaded = PolicySource([str(tmp_path)], Mode.WARN).load(skip_broken=True)
    assert [(policy.name, policy.mode) for policy in loaded.policies.policies] == [
        ("other-policy", Mode.WARN),
        ("volcano-job-conditions", Mode.WARN),
    ]
    assert [problem.line for problem in loaded.problems] == [2, 3, 5]
    assert loaded.skipped == 2


# --- a server whose policies change ---


@asynccontextmanager
async def following(pair: Pair, directory: Path, *sources: Path) -> AsyncIterator[Replica]:
    """A server that follows the changes of its policies until the block ends."""
    source = PolicySource([str(each) for each in sources])
    async with replica(given(directory, pair), source.load().policies, secured(pair, datetime.now(UTC))) as made:
        server = made.server
        watch = Watch(source.files, server.tell_no_notices, QUICK)
        async with running([Reload(ReloadedPolicies(source, server), watch, source.seen, server.process)]):
            yield made


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    """A directory of policies with one file in it."""
    directory = tmp_path / "policies"
    directory.mkdir()
    write(directory / "p.yaml", POLICY)
    return directory


def write(path: Path, text: str) -> None:
    path.write_text(text)


async def test_new_policies_are_used_and_told(pair: Pair, tmp_path: Path, policies: Path) -> None:
    async with following(pair, tmp_path, policies) as replica:
        before = replica.server.handler.policies.digest
        write(policies / "p.yaml", LONGER)
        write(policies / "q.yaml", OTHER)
        line = await replica.says("policies reloaded")
        assert replica.server.handler.policies.digest == line["digest"] != before
    del line["time"]
    assert line == {
        "level": "info",
        "message": "policies reloaded",
        "policies": 2,
        "modes": {"DryRun": 2},
        "digest": line["digest"],
        "before": before,
        "added": ["other-policy"],
        "removed": [],
        "changed": ["volcano-job-conditions"],
    }
    assert replica.metric('statuscap_policy_reloads_total{result="success"}') == 1
    assert replica.metric('statuscap_policies{mode="DryRun"}') == 2


async def test_notes_on_new_policies_are_told(pair: Pair, tmp_path: Path, policies: Path) -> None:
    async with following(pair, tmp_path, policies) as replica:
        write(policies / "q.yaml", HARDLY_MEANT)
        line = await replica.says("notes on policies")
    (note,) = line["notes"]
    assert f"{policies}/q.yaml:10: spec.trim[0].capList: capList on status.conditions" in note


async def test_a_file_that_goes_takes_its_policies_along(pair: Pair, tmp_path: Path, policies: Path) -> None:
    write(policies / "q.yaml", OTHER)
    async with following(pair, tmp_path, policies) as replica:
        (policies / "p.yaml").unlink()
        line = await replica.says("policies reloaded")
    assert (line["policies"], line["removed"]) == (1, ["volcano-job-conditions"])


async def test_a_change_that_changes_nothing_does_not_count(pair: Pair, tmp_path: Path, policies: Path) -> None:
    async with following(pair, tmp_path, policies) as replica:
        write(policies / "p.yaml", f"# the same\n{POLICY}")
        line = await replica.says("policies unchanged")
        assert line["digest"] == replica.server.handler.policies.digest
    assert replica.metric('statuscap_policy_reloads_total{result="success"}') == 0


def becomes_directory(policies: Path) -> None:
    (policies / "p.yaml").unlink()
    (policies / "p.yaml").mkdir()


def is_replaced(policies: Path) -> None:
    write(policies / "draft", BAD)
    (policies / "draft").replace(policies / "p.yaml")


def becomes_pipe(policies: Path) -> None:
    (policies / "p.yaml").unlink()
    os.mkfifo(policies / "p.yaml")


def restore(policies: Path) -> None:
    """Put everything right again, whatever has become of it."""
    policies.mkdir(exist_ok=True)
    file = policies / "p.yaml"
    if file.is_dir():
        file.rmdir()
    elif not file.is_file() or file.is_symlink():
        file.unlink(missing_ok=True)
    write(file, LONGER)


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        pytest.param(
            lambda policies: write(policies / "p.yaml", BAD),
            'p.yaml:5: spec.mode: "Dry" is not known; write Enforce, Warn, DryRun or Off',
            id="a mistake",
        ),
        pytest.param(
            lambda policies: write(policies / "p.yaml", POLICY[:-20]), "p.yaml:10: is no YAML: ", id="half written"
        ),
        pytest.param(
            lambda policies: write(policies / "p.yaml", ""),
            "p.yaml: has no policy in it; write one of kind StatusPolicy",
            id="cut to nothing",
        ),
        pytest.param(is_replaced, "p.yaml:5: spec.mode: ", id="renamed over"),
        pytest.param(lambda policies: (policies / "p.yaml").unlink(), "policies: has no policies in it", id="emptied"),
        pytest.param(becomes_directory, "policies: has no policies in it", id="a directory in its place"),
        pytest.param(becomes_pipe, "p.yaml: cannot be read: it is a pipe", id="a pipe in its place"),
        pytest.param(
            lambda policies: ((policies / "p.yaml").unlink(), policies.rmdir()),
            "policies: cannot be read: No such file or directory",
            id="the directory is gone",
        ),
        pytest.param(
            lambda policies: write(policies / "q.yaml", POLICY), "q.yaml:3: metadata.name: ", id="a name twice"
        ),
    ],
)
async def test_the_old_policies_stay_until_the_new_ones_are_right(
    pair: Pair, tmp_path: Path, policies: Path, spoil: Callable[[Path], object], problem: str
) -> None:
    async with following(pair, tmp_path, policies) as replica:
        replica.server.lifecycle.serve()
        before = replica.server.handler.policies
        spoil(policies)
        line = await replica.says("policies not reloaded")
        assert replica.server.handler.policies is before
        assert replica.server.lifecycle.ready
        assert (line["level"], line["consequence"], line["digest"]) == (
            "warning",
            "the policies in use stay",
            before.digest,
        )
        assert any(each.startswith(f"{tmp_path}/") and problem in each for each in line["problems"]), line["problems"]
        assert replica.metric('statuscap_policy_reloads_total{result="failure"}') >= 1
        (policies / "q.yaml").unlink(missing_ok=True)
        restore(policies)
        await replica.says("policies reloaded")
        assert replica.server.handler.policies.digest != before.digest


async def test_every_problem_of_every_file_is_in_one_line(pair: Pair, tmp_path: Path, policies: Path) -> None:
    async with following(pair, tmp_path, policies) as replica:
        write(policies / "p.yaml", BAD.replace("maxBytes: 40", "maxBytes: no"))
        write(policies / "q.yaml", "a: [")
        problems = (await replica.says("policies not reloaded"))["problems"]
    assert [problem.removeprefix(f"{policies}/").partition(": ")[0] for problem in problems] == [
        "q.yaml:2",
        "p.yaml:5",
        "p.yaml:9",
    ]


def swap(mounted: Path, text: str, version: str) -> None:
    """Do as the kubelet does with a ConfigMap: a new directory, and one link to it that replaces the old one."""
    (mounted / version).mkdir()
    write(mounted / version / "p.yaml", text)
    (mounted / "..data_tmp").symlink_to(version)
    (mounted / "..data_tmp").replace(mounted / "..data")


@pytest.mark.parametrize("named", ["", "p.yaml"], ids=["the mount", "a file in it"])
async def test_a_config_map_is_followed(pair: Pair, tmp_path: Path, named: str) -> None:
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    swap(mounted, POLICY, "..2026_01")
    (mounted / "p.yaml").symlink_to(Path("..data") / "p.yaml")
    async with following(pair, tmp_path, mounted / named) as replica:
        for number, text in enumerate((LONGER, OTHER, POLICY), start=1):
            swap(mounted, text, f"..2026_1{number}")
            await replica.says("policies reloaded", times=number)
        assert not [line for line in replica.lines() if line["message"] == "policies not reloaded"]


async def test_old_policies_are_not_kept(pair: Pair, tmp_path: Path, policies: Path) -> None:
    async with following(pair, tmp_path, policies) as replica:
        write(policies / "p.yaml", OTHER)
        await replica.says("policies reloaded")
        old = weakref.ref(replica.server.handler.policies)
        gc.collect()
        gc.disable()  # they have to go by themselves: what is frozen at the start is never looked at again
        try:
            write(policies / "p.yaml", LONGER)
            await until(lambda: old() is None)
        finally:
            gc.enable()


# --- a process under load ---


def quick(program: str = PROGRAM) -> str:
    """The program with a pace for impatient tests."""
    imported = "from admission.serving.watch import Pace\n"
    return imported + program.replace("{}))", "{}), pace=Pace(every=0.05, still=0.05))")


async def trimmed(server: Process, session: aiohttp.ClientSession) -> bool:
    """Send a review; true when the answer has a patch."""
    response, answer = await post(session, server.lines[0]["reviews"][0], review())
    assert (response.status, answer["response"]["allowed"]) == (200, True)
    return "patch" in answer["response"]


async def test_the_next_write_is_judged_by_the_new_policies(pair: Pair, tmp_path: Path, policies: Path) -> None:
    async with process(pair, given(tmp_path, pair, policies=[str(policies)]), quick()) as server:
        await server.line()
        async with server.session() as session:
            assert not await trimmed(server, session)
            write(policies / "p.yaml", POLICY.replace("DryRun", "Enforce"))
            assert (await server.line())["message"] == "policies reloaded"
            assert await trimmed(server, session)
        server.process.terminate()
        assert await server.end() == OK


async def test_broken_policies_are_skipped_at_the_start_and_never_later(
    pair: Pair, tmp_path: Path, policies: Path
) -> None:
    write(policies / "b.yaml", BAD.replace("volcano-job-conditions", "broken"))
    settings = given(tmp_path, pair, policies=[str(policies)], skip_broken=True)
    async with process(pair, settings, quick()) as server:
        skipped, serving = await server.line(), await server.line()
        assert (skipped["level"], skipped["message"], skipped["skipped"]) == ("warning", "broken policies skipped", 1)
        assert [problem.partition(": ")[0] for problem in skipped["problems"]] == [f"{policies}/b.yaml:5"]
        assert (serving["message"], serving["policies"]) == ("serving", 1)
        assert await skipped_ones(server, serving) == 1
        write(policies / "p.yaml", LONGER)
        refused = await server.line()
        assert (refused["message"], refused["digest"]) == ("policies not reloaded", serving["digest"])
        assert await skipped_ones(server, serving) == 1
        write(policies / "b.yaml", OTHER)
        assert (await server.line())["added"] == ["other-policy"]
        assert await skipped_ones(server, serving) == 0


async def test_notes_are_told_once_at_the_start(pair: Pair, tmp_path: Path, policies: Path) -> None:
    write(policies / "q.yaml", HARDLY_MEANT)
    async with process(pair, given(tmp_path, pair, policies=[str(policies)]), quick()) as server:
        notes, serving = await server.line(), await server.line()
    assert (notes["level"], notes["message"], len(notes["notes"])) == ("info", "notes on policies", 1)
    assert (serving["message"], serving["policies"]) == ("serving", 2)


async def skipped_ones(server: Process, serving: dict[str, Any]) -> float:
    """The value of ``statuscap_policies_skipped``."""
    url = serving["probes"][0].replace("readyz", "metrics")
    async with server.session() as session, session.get(url) as response:
        (sample,) = samples(await response.text(), "statuscap_policies_skipped")
    return sample.value


async def test_policies_from_standard_input_are_served(pair: Pair, tmp_path: Path, policies: Path) -> None:
    settings: dict[str, Given] = given(tmp_path, pair, policies=["-", str(policies)])
    program = PROGRAM.replace("{}))", f"{{}}), stdin=io.BytesIO({OTHER.encode()!r}))").replace(
        "import json", "import io, json"
    )
    async with process(pair, settings, program) as server:
        assert (await server.line())["policies"] == 2


def versions(policies: int) -> list[str]:
    """Two versions of so many policies, and one of them that is broken."""
    text = "---\n".join(POLICY.replace("volcano-job-conditions", f"policy-{number}") for number in range(policies))
    return [text, text.replace("maxBytes: 40", "maxBytes: 50"), text.replace("mode: DryRun", "mode: Dry")]


async def reload(server: Process, file: Path, texts: Sequence[str], times: int) -> None:
    """Change the file so many times, each time until the server has said what it makes of it."""
    for number in range(times):
        write(file, texts[number % len(texts)])
        while (await server.line())["message"] not in ("policies reloaded", "policies not reloaded"):
            pass


@pytest.mark.slow
async def test_reloading_again_and_again_fails_no_review(pair: Pair, tmp_path: Path, policies: Path) -> None:
    async with process(pair, given(tmp_path, pair, policies=[str(policies)]), quick()) as server:
        await server.line()
        reloading, reviews = True, 0
        async with server.session() as session, asyncio.TaskGroup() as group:

            async def keep_writing() -> None:
                nonlocal reviews
                while reloading:
                    await trimmed(server, session)
                    reviews += 1

            for _ in range(4):
                group.create_task(keep_writing())
            await reload(server, policies / "p.yaml", versions(100), 9)
            reloading = False
        server.process.terminate()
        assert await server.end() == OK
    assert reviews > 100


@pytest.mark.slow
async def test_reloading_again_and_again_keeps_no_memory(pair: Pair, tmp_path: Path, policies: Path) -> None:
    texts = versions(300)
    async with process(pair, given(tmp_path, pair, policies=[str(policies)]), quick()) as server:
        await server.line()
        await reload(server, policies / "p.yaml", texts, 8)
        before = resident(server)
        await reload(server, policies / "p.yaml", texts, 22)
        after = resident(server)
    assert after - before < 6 << 20, "14 sets of 300 policies that were kept would take 9 MB, their problems more"


def resident(server: Process) -> int:
    """Bytes of memory that a process has in use."""
    pages = Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
