"""The commands, as a user runs them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.bodies import Body, bodies
from tests.bench.profile import lines, stages

ROOT = Path(__file__).parents[2]
QUICK = ("--bodies", "small", "--connections", "2", "--seconds", "0.05", "--rounds", "1", "--starts", "1")


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, "-m", "tests.bench", *arguments),
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_figures_are_printed_and_written(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = bench("--subjects", "floor", *QUICK, "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "CPU per review" in done.stdout
    assert "…" not in done.stdout
    figures = json.loads(file.read_bytes())
    assert figures["machine"]["tls"] == "TLSv1.3 TLS_AES_128_GCM_SHA256"
    assert [subject["name"] for subject in figures["subjects"]] == ["floor"]
    assert [(row["size"], row["variant"], row["connections"], row["times"]["floor"]) for row in figures["reviews"]] == [
        ("small", "to trim", 2, 1.0),
        ("small", "compliant", 2, 1.0),
    ]
    assert all(row["cpuMicroseconds"] > 0 and row["reviews"] >= 2 for row in figures["reviews"])


@pytest.mark.slow
def test_another_working_copy_is_measured_beside_this_one(tmp_path: Path) -> None:
    """Each by its own script: a copy whose script is not the product shows that it is that one which is served."""
    copy = tmp_path / "older"
    (copy / ".venv" / "bin").mkdir(parents=True)
    (copy / "policies").mkdir()
    shutil.copy(ROOT / "policies" / "condition-message-cap.yaml", copy / "policies")
    script = copy / ".venv" / "bin" / "statuscap"
    script.write_text(f'#!/bin/sh\ntouch "{copy}/served"\nexec "{ROOT}/.venv/bin/statuscap" "$@"\n')
    script.chmod(0o755)
    file = tmp_path / "figures.json"
    done = bench("--subjects", "floor", "--before", str(copy), *QUICK, "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (copy / "served").exists()
    figures = json.loads(file.read_bytes())
    assert [subject["name"] for subject in figures["subjects"]] == ["floor", "before", "now"]
    assert all(row["times"]["before"] == 1.0 for row in figures["reviews"] if row["subject"] == "before")
    assert all(0 < row["times"]["before"] < 5 for row in figures["reviews"] if row["subject"] == "now")


@pytest.mark.slow
def test_the_product_is_measured_beside_the_floor_and_judged(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = bench("--subjects", "floor,statuscap,10-policies,1000-policies", *QUICK, "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(file.read_bytes())
    subjects = {subject["name"]: subject for subject in figures["subjects"]}
    assert list(subjects) == ["floor", "statuscap", "10-policies", "1000-policies"]
    product = subjects["statuscap"]
    assert product["decisionsLogged"] == product["reviewsTrimmed"] > 0
    assert [bar["what"] for bar in figures["bars"]] == [
        "1,000 policies × 10: small, to trim",
        "1,000 policies × 10: small, compliant",
        "ready after s",
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--bodies", "huge"), "small, mid, big"),
        (("--subjects", "kopf"), "floor, plain"),
        (("--connections", "0"), "1 to 256"),
    ],
)
def test_a_word_that_is_not_known_is_a_usage_error(arguments: tuple[str, str], complaint: str) -> None:
    done = bench(*arguments)
    assert done.returncode == 2
    assert complaint in done.stderr


@pytest.mark.parametrize("body", bodies(["small"]), ids=lambda body: body.name)
def test_a_review_is_profiled_by_stage_and_by_function(body: Body) -> None:
    found = stages(body, reviews=3)
    assert min(found.decode, found.evaluate, found.encode, found.observe) > 0
    assert found.mutate > found.evaluate / 2
    dearest = lines(body, reviews=3, top=200)
    assert dearest[0].own >= dearest[-1].own
    assert any(line.function.startswith("admission/engine/evaluate.py:") for line in dearest)
