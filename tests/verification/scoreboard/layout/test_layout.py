"""Outputs of any axes as [group, row, element]."""

from __future__ import annotations

import pytest
import torch

from verification.scoreboard.layout import layout_of

CASES = {
    "BNSD": ((2, 3, 5, 4), ("b", "h", "row", "d"), "tensor"),
    "TND": ((7, 3, 4), ("t", "h", "d"), "tensor"),
    "LSE": ((2, 3, 5), ("b", "h", "row"), "lse"),
    "LSE of TND": ((7, 3), ("t", "h"), "lse"),
    "rows of keys": ((2, 3, 5, 4), ("b", "h", "kv_row", "d"), "tensor"),
    "vector first": ((4, 5), ("d", "row"), "tensor"),
    "no names": ((2, 5, 4), (), "tensor"),
    "no names, LSE": ((2, 5), (), "lse"),
    "one axis": ((6,), (), "tensor"),
    "scalar": ((), (), "tensor"),
}


@pytest.mark.parametrize("name", CASES)
def test_every_element_finds_its_way_back(name: str) -> None:
    """The index of an arranged element is its index in the output."""
    shape, dims, kind = CASES[name]
    layout = layout_of(shape, dims, kind=kind)
    tensor = torch.arange(torch.Size(shape).numel()).reshape(shape)
    arranged = layout.arrange(tensor)
    assert arranged.shape == (layout.groups * layout.rows, layout.width)
    for row in range(arranged.shape[0]):
        for element in range(arranged.shape[1]):
            assert tensor[layout.index(row, element)] == arranged[row, element]


def test_places_have_names() -> None:
    """A row is told by its batch, head and number."""
    layout = layout_of((2, 3, 5, 4), ("b", "h", "row", "d"), kind="tensor")
    assert layout.words(1 * 15 + 2 * 5 + 4) == "b=1 h=2 row 4"


def test_packed_tokens_are_rows_of_heads() -> None:
    """In TND the groups are the heads."""
    layout = layout_of((7, 3, 4), ("t", "h", "d"), kind="tensor")
    assert (layout.groups, layout.rows, layout.width) == (3, 7, 4)
    assert layout.words(8) == "h=1 t 1"


@pytest.mark.parametrize("dims", [("b", "h", "row"), ("b", "b", "row", "d")])
def test_axes_are_named_once_each(dims: tuple[str, ...]) -> None:
    """Too few or repeated names are refused."""
    with pytest.raises(ValueError, match="must name each of the 4 axes"):
        layout_of((2, 3, 5, 4), dims, kind="tensor")
