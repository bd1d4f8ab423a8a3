"""Kernels give right numbers in the simulator, in a forked child as in a plain process."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.bsa.simulator import sample_kernels


@pytest.mark.parametrize("passes", ["none", "default", "all"])
def test_forked_child_gives_right_numbers_under_every_pass_filter(forked, passes):
    y, run = forked(sample_kernels.run, rows=192, passes=passes)
    assert torch.equal(y, torch.full((192, 128), 2.0))
    assert run.passes == passes


def test_plain_process_gives_right_numbers_without_any_preparation():
    script = "from tests.bsa.simulator import sample_kernels as s; y, _ = s.run(); assert bool((y == 2).all())"
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_unknown_pass_filter_is_refused_with_the_three_legal_ones(forked):
    with pytest.raises(ValueError, match="passes='some': expected one of none, default, all"):
        forked(sample_kernels.run, passes="some")


def test_nested_block_shares_the_folder_and_has_its_own_launches(forked, tmp_path):
    outer, inner, y = forked(sample_kernels.run_nested, tmp_path)
    assert torch.equal(y, torch.full((64, 128), 2.0))
    assert inner.folder == outer.folder == tmp_path
    assert [len(outer.launches), len(inner.launches)] == [2, 1]


def test_output_folder_of_the_caller_is_kept(forked, tmp_path):
    _, run = forked(sample_kernels.run, output_dir=tmp_path)
    assert run.launches[0].folder.parent == tmp_path
    assert (run.launches[0].folder / "program.json").exists()


def test_scratch_folder_is_removed(forked):
    _, run = forked(sample_kernels.run)
    assert not run.folder.exists()
