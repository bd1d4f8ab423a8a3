"""What a reference costs and promises: bounded memory, the same bits on any number of threads, fair errors."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import torch

from bsa.reference import (
    backward_oracle,
    backward_same_precision,
    forward_oracle,
    forward_same_precision,
)
from bsa.reference.determinism import deterministic

LONG = """
import pathlib, re, torch
from bsa.reference import backward_oracle, forward_oracle


def peak():  # kB; ru_maxrss would keep the parent's peak across exec
    return int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])


torch.manual_seed(0)
query, key, value = (torch.randn(1, heads, 8192, 128).half() for heads in (2, 1, 1))
mask = torch.rand(1, 2, 32, 16) < 0.1
before = peak()
forward = forward_oracle(query, key, value, mask)
between = peak()
backward_oracle(query, query, key, value, forward.out.half(), forward.lse.float(), mask)
print((between - before) // 1024, (peak() - before) // 1024)
"""


def test_memory_at_s_8192_is_that_of_inputs_and_outputs() -> None:
    """Peak growth in MB; dense scores alone would take 1024 MB in float64, and the results take 16 and 48."""
    done = subprocess.run([sys.executable, "-c", LONG], check=True, capture_output=True, text=True, timeout=300)
    forward, backward = map(int, done.stdout.split())
    assert 16 <= forward <= 160
    assert 48 <= backward <= 250


def test_thread_count_changes_no_bit() -> None:
    """One and four threads give the same bits, and the caller's thread count is restored."""
    generator = torch.Generator().manual_seed(0)
    query, key, value, dout = (torch.randn(1, 2, 200, 128, generator=generator).half() for _ in range(4))
    threads, results = torch.get_num_threads(), []
    try:
        for count in (1, 4):
            torch.set_num_threads(count)
            gold, same = forward_oracle(query, key, value, None), forward_same_precision(query, key, value, None)
            given = (dout, query, key, value, gold.out.half(), gold.lse.float(), None)
            results.append([*gold, *same, *backward_oracle(*given), *backward_same_precision(*given)])
            assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(threads)
    assert all(torch.equal(one, four) for one, four in zip(*results, strict=True))


def test_references_run_on_one_thread_in_full_precision_without_gradients() -> None:
    """Inside, three settings hold; outside, the caller's own hold again, after an error too."""
    threads = torch.get_num_threads()
    torch.set_float32_matmul_precision("medium")
    inside = None
    try:
        with contextlib.suppress(KeyError), deterministic():
            inside = (torch.get_num_threads(), torch.get_float32_matmul_precision(), torch.is_grad_enabled())
            raise KeyError
        outside = (torch.get_num_threads(), torch.get_float32_matmul_precision(), torch.is_grad_enabled())
    finally:
        torch.set_float32_matmul_precision("highest")
    assert inside == (1, "highest", False)
    assert outside == (threads, "medium", True)


def test_same_precision_errors_are_of_the_size_that_was_published() -> None:
    """S256 Hq4 Hkv2 at uniform(-0.5, 0.5): errors lie between 1/30 of the published maxima and twice them."""
    generator = torch.Generator().manual_seed(0)
    query, key, value, dout = (
        (torch.rand(1, heads, 256, 128, generator=generator) - 0.5).half() for heads in (4, 2, 2, 4)
    )
    gold, same = forward_oracle(query, key, value, None), forward_same_precision(query, key, value, None)
    given = (dout, query, key, value, gold.out.half(), gold.lse.float(), None)
    errors = [float((one.double() - other).abs().max()) for one, other in zip(same, gold, strict=True)]
    pairs = zip(backward_same_precision(*given), backward_oracle(*given), strict=True)
    errors += [float((one.double() - other).abs().max()) for one, other in pairs]
    published = (1.22e-4, 2.0e-6, 3.1e-5, 6.1e-5, 1.22e-4)
    assert all(maximum / 30 <= error <= 2 * maximum for error, maximum in zip(errors, published, strict=True)), errors
