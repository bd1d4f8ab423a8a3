"""Judging costs little."""

from __future__ import annotations

import resource
import time
import tracemalloc

from tests.verification.scoreboard.made import made


def test_a_million_elements_in_less_than_a_second() -> None:
    """S2048 x Hq4 x D128 in CPU seconds, all standards and the published gate included; and when it fails, located."""
    output = made(shape=(1, 4, 2048, 128), row_block=256)
    wrong = output.with_found(output.found.roll(1, 1))
    start = time.process_time()
    assert output.judged(gates=("published",)).passed
    passed = time.process_time()
    assert not wrong.judged(gates=("published",)).passed
    failed = time.process_time()
    assert passed - start < 1.0
    assert failed - passed < 1.5


def test_memory_is_that_of_slabs_and_rows() -> None:
    """NumPy's share stays below a quarter of gold's own size."""
    output = made(shape=(1, 8, 2048, 128), row_block=256)
    output.judged()
    tracemalloc.start()
    output.judged()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < output.gold.nbytes / 4


def test_nothing_is_left_behind() -> None:
    """Judging again and again does not grow the process."""
    output = made(shape=(1, 4, 512, 128))
    for _ in range(3):
        output.judged()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10):
        output.judged()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 * 1024
