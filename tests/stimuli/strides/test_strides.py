"""A placement changes strides, never elements."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from stimuli.errors import StimulusError
from stimuli.strides import KINDS, place
from stimuli.tensors import HostTensor, contiguous_strides

ARRAY = np.arange(2 * 3 * 5 * 4, dtype=np.float16).reshape(2, 3, 5, 4)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"expanded"}))
@pytest.mark.parametrize("array", [ARRAY, ARRAY[0]], ids=["BNSD", "TND"])
def test_same_elements(kind: str, array: np.ndarray) -> None:
    """Both numpy and torch see the array."""
    tensor = place(array, dtype="float16", kind=kind)
    assert np.array_equal(tensor.view(), array)
    assert np.array_equal(tensor.to_torch().numpy(), array)


def test_strides() -> None:
    """Each kind has the strides that it is named after."""
    assert place(ARRAY, dtype="float16", kind="contiguous").strides == (60, 20, 4, 1)
    assert place(ARRAY, dtype="float16", kind="bsnd").strides == (60, 4, 12, 1)
    assert place(ARRAY, dtype="float16", kind="transposed").strides == (60, 20, 1, 5)
    assert place(ARRAY, dtype="float16", kind="expanded").strides == (20, 0, 4, 1)
    assert place(ARRAY, dtype="float16", kind="offset").strides == (105, 35, 7, 1)


def test_expanded_repeats_the_first_head() -> None:
    """All heads are the first one, in one head's memory."""
    tensor = place(ARRAY, dtype="float16", kind="expanded")
    assert tensor.storage.size == 2 * 5 * 4
    assert (tensor.view() == ARRAY[:, :1]).all()


def test_offset_is_surrounded_by_nan() -> None:
    """Memory that is not the tensor's holds NaN."""
    tensor = place(ARRAY, dtype="float16", kind="offset")
    tensor.view()[...] = 0
    assert np.isnan(tensor.storage).sum() == tensor.storage.size - ARRAY.size
    assert tensor.offset == 3


def test_torch_shares_the_memory() -> None:
    """Writing through torch is seen by numpy: nothing was copied."""
    tensor = place(ARRAY.copy(), dtype="float16", kind="bsnd")
    tensor.to_torch().fill_(7)
    assert (tensor.storage == 7).all()


def test_bfloat16_bits() -> None:
    """bfloat16 is handed over as its bits."""
    one = HostTensor.contiguous(np.array([0x3F80], dtype=np.uint16), dtype="bfloat16")
    assert torch.equal(one.to_torch(), torch.ones(1, dtype=torch.bfloat16))


def test_contiguous_strides_of_empty_axes() -> None:
    """An axis of size 0 counts as 1, as in torch."""
    assert contiguous_strides((2, 0, 3)) == torch.empty(2, 0, 3).stride()


def test_unknown_kind() -> None:
    """An unknown kind is refused by name."""
    with pytest.raises(StimulusError, match="strides = 'reversed'"):
        place(ARRAY, dtype="float16", kind="reversed")
