"""Widths are few, powers of two, and within what one pass may hold; the published preset follows its thresholds."""

import pytest

from bsa.config import COPY_BYTES, DEFAULT, KernelConfig, published_config


@pytest.mark.parametrize("block_kv", [16, 48, 128, 512, 1024])
@pytest.mark.parametrize("most", [0, 1, 2, 3, 5, 64, 1000])
def test_widths_cover_what_occurs_and_no_more(block_kv, most):
    widths, chunked = DEFAULT.widths(block_kv, most)
    assert widths == tuple(2**power for power in range(len(widths)))
    assert widths[-1] * block_kv <= max(DEFAULT.widest_row, block_kv)
    assert len(widths) <= 4
    assert chunked == (most > widths[-1])
    assert len(widths) == 1 or widths[-2] < most


def test_all_widths_of_a_block_shape_are_five_kernels_at_most():
    kernels = {DEFAULT.widths(16, most) for most in range(513)}
    assert len(kernels) == 5


@pytest.mark.parametrize(
    ("seq_q", "l1_reuse", "schedule"), [(1023, 16, 3), (1024, 64, 1), (1025, 64, 1), (2047, 64, 1), (2048, 64, 3)]
)
def test_published_configuration_follows_its_thresholds(seq_q, l1_reuse, schedule):
    config = published_config(seq_q)
    assert (config.l1_reuse, config.schedule) == (l1_reuse, schedule)


def test_configuration_is_a_value():
    assert KernelConfig() == DEFAULT
    assert len({KernelConfig(), KernelConfig(slots=128), KernelConfig(slots=64)}) == 2


@pytest.mark.parametrize("columns", [16, 80, 240, 512, 976, 1024, 2048])
def test_softmax_tile_is_a_whole_row_and_fits(columns):
    rows, width = DEFAULT.vector_tile(columns)
    assert width == columns
    assert rows * width <= DEFAULT.vector_elements
    assert rows & (rows - 1) == 0


@pytest.mark.parametrize("block_kv", range(16, 1025, 16))
@pytest.mark.parametrize("head_dim", [64, 128, 256])
def test_gathering_is_free_or_fits_the_vector_buffer(block_kv, head_dim):
    inner, outer = DEFAULT.gathered_k(block_kv, head_dim)
    assert outer % inner == 0
    assert block_kv % outer == 0 or block_kv * head_dim * 2 <= COPY_BYTES
