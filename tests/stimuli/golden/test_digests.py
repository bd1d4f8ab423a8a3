"""Inputs are the same bytes on every machine: 40 golden digests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "digests.json").read_text(encoding="utf-8"))
INPUTS = json.loads((HERE / "inputs.json").read_text(encoding="utf-8"))


def digests(way: str, **environment: str) -> dict[str, dict[str, str]]:
    """Digests as a process of its own makes them."""
    command = [sys.executable, str(HERE / "digest.py"), way]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made: dict[str, dict[str, str]] = json.loads(done.stdout)
    return made


def test_there_are_forty_inputs() -> None:
    """The golden file holds a digest for each of at least 40 inputs."""
    assert len(INPUTS) >= 40
    assert INPUTS.keys() == GOLDEN.keys()


def test_numpy_alone_makes_them() -> None:
    """With torch's import blocked, all digests are golden."""
    assert digests("numpy") == GOLDEN


@pytest.mark.parametrize("capability", ["default", "avx2"])
def test_torch_code_paths_do_not_matter(capability: str) -> None:
    """What torch holds is golden under each of torch's own choices of instructions."""
    assert digests("torch", ATEN_CPU_CAPABILITY=capability) == GOLDEN


def test_numpy_code_paths_do_not_matter() -> None:
    """With numpy's optional instruction sets switched off, all digests are golden."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    switched_off = " ".join(name for name in __cpu_dispatch__ if __cpu_features__[name])
    assert digests("numpy", NPY_DISABLE_CPU_FEATURES=switched_off) == GOLDEN
