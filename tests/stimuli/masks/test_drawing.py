"""Each family draws itself as text."""

from __future__ import annotations

import importlib
import runpy
import subprocess
import sys

import numpy as np
import pytest

from stimuli.masks import FAMILIES
from stimuli.masks._draw import text


@pytest.mark.parametrize("family", FAMILIES)
def test_main_draws(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run as a program, a family prints 8 lines of 4 heads with 16 blocks each."""
    runpy.run_path(str(importlib.import_module(f"stimuli.masks.{family}").__file__), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["head", "0", "head", "1", "head", "2", "head", "3"]
    assert [len(line.split()) for line in lines[1:]] == [4] * 8
    assert all(set(cells) <= set("#.") and len(cells) == 16 for line in lines[1:] for cells in line.split())


def test_command_line() -> None:
    """``python -m`` prints the drawing and no warning."""
    command = [sys.executable, "-W", "error", "-m", "stimuli.masks.block_causal"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1].startswith("##......")
    assert done.stderr == ""


def test_text() -> None:
    """Selected blocks are ``#``, in the place they have in the mask."""
    mask = np.array([[[[True, False], [False, False]]]])
    assert text(mask) == "head 0\n#.\n.."


@pytest.mark.parametrize("family", FAMILIES)
def test_one_family_a_file(family: str) -> None:
    """Each module says in its first line what it makes."""
    assert importlib.import_module(f"stimuli.masks.{family}").__doc__
