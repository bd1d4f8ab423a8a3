"""Kernels can be traced without being compiled or run, and nothing of that stays."""

import torch

from tests.bsa.simulator import sample_kernels


def test_traced_launch_writes_nothing_and_the_next_one_runs(forked):
    traced, after = forked(sample_kernels.trace_then_run)
    assert bool(torch.isnan(traced).all())
    assert torch.equal(after, torch.full((128, 128), 2.0))
