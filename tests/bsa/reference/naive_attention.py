"""An independent, naive attention to hold the references against, and random small calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


@dataclass(frozen=True, kw_only=True)
class SmallCall:
    """One random call: its tensors, and the keyword arguments of the references."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    mask: torch.Tensor | None
    options: dict[str, Any]
    lengths: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def tensors(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Query, key, value and mask, in the references' order."""
        return self.query, self.key, self.value, self.mask


@st.composite
def small_calls(
    draw: st.DrawFn, dtypes: tuple[torch.dtype, ...] = DTYPES, layouts: tuple[str, ...] = ("BNSD", "TND")
) -> SmallCall:
    """Contracts of at most 2 batches and 40 rows: ratios 1 to 32, lengths with 0, densities 0 to 1, any block shape."""
    batch = draw(st.integers(1, 2))
    heads_kv = draw(st.integers(1, 2))
    heads_q = heads_kv * draw(st.sampled_from((1, 2, 3, 7, 32)))
    rows, columns = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    width = draw(st.sampled_from((1, 8, 16)))
    block = draw(st.sampled_from(((16, 16), (16, 32), (7, 5), (1, 1), (64, 64), (32, 16))))
    layout, dtype = draw(st.sampled_from(layouts)), draw(st.sampled_from(dtypes))
    lengths_q = tuple(draw(st.integers(0, rows)) for _ in range(batch))
    lengths_kv = tuple(draw(st.integers(0, columns)) for _ in range(batch))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    spread = draw(st.sampled_from((0.1, 1.0, 4.0)))
    if layout == "TND":
        spare = draw(st.integers(0, 2))
        shape_q = (max(1, sum(lengths_q) + spare), heads_q, width)
        shape_kv = (max(1, sum(lengths_kv) + spare), heads_kv, width)
        rows, columns = max(1, *lengths_q), max(1, *lengths_kv)
    else:
        shape_q, shape_kv = (batch, heads_q, rows, width), (batch, heads_kv, columns, width)
    query, key, value = (
        (torch.randn(shape, generator=generator) * spread).to(dtype) for shape in (shape_q, shape_kv, shape_kv)
    )
    density = draw(st.sampled_from((None, 0.0, 0.3, 0.7, 1.0)))
    mask = None
    if density is not None:
        shape = (batch, heads_q, -(-rows // block[0]), -(-columns // block[1]))
        mask = torch.rand(shape, generator=generator) < density
    options = {
        "block_shape": block,
        "actual_seq_lengths": lengths_q,
        "actual_seq_lengths_kv": lengths_kv,
        "layout": layout,
        "scale": draw(st.sampled_from((None, 0.3, -1.0, 0.0))),
        "num_key_value_heads": draw(st.sampled_from((None, heads_kv))),
    }
    return SmallCall(query=query, key=key, value=value, mask=mask, options=options, lengths=(lengths_q, lengths_kv))


def naive_forward(call: SmallCall) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Dense attention, one row of one head at a time, in numpy: no tables, no batching, no code of the references."""
    query, key, value = (tensor.double().numpy() for tensor in (call.query, call.key, call.value))
    packed = call.options["layout"] == "TND"
    heads_q, heads_kv = (query.shape[1], key.shape[1])
    scale = query.shape[-1] ** -0.5 if call.options["scale"] is None else call.options["scale"]
    block_q, block_kv = call.options["block_shape"]
    out, lse = np.zeros(query.shape), np.full(query.shape[:-1], -np.inf)
    for batch, (length_q, length_kv) in enumerate(zip(*call.lengths, strict=True)):
        start_q, start_kv = (sum(lengths[:batch]) for lengths in call.lengths)
        for head in range(heads_q):
            shared = head // (heads_q // heads_kv)
            for row in range(length_q):
                at = (start_q + row, head) if packed else (batch, head, row)
                columns = [
                    column
                    for column in range(length_kv)
                    if call.mask is None or call.mask[batch, head, row // block_q, column // block_kv]
                ]
                if columns:
                    where = (np.array(columns) + start_kv, shared) if packed else (batch, shared, columns)
                    logits = key[where] @ query[at] * scale
                    peak = logits.max()
                    weights = np.exp(logits - peak)
                    out[at] = weights @ value[where] / weights.sum()
                    lse[at] = peak + np.log(weights.sum())
    return out, lse
