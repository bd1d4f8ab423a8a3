"""Makers of attention stimuli."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from stimuli import lengths, masks, padding, ranked, regimes, strides, values
from stimuli.errors import StimulusError
from stimuli.parameters import FORWARD, FORWARD_DEFAULTS, complete
from stimuli.random import Stream
from stimuli.rounding import round_to
from stimuli.stimulus import Stimulus
from stimuli.tensors import Draft, HostTensor

__all__ = ["FORWARD_DEFAULTS", "build_forward", "make_forward"]

_EXACT_GAP = 110.0
"""exp(-110) is 0 in FP32."""
_SIGNIFICAND = {"float16": 11, "bfloat16": 8, "float32": 24}


def make_forward(params: Mapping[str, Any], seed: int) -> Stimulus:
    """Makes the tensors and arguments of one forward call.

    Args:
        params: see :data:`stimuli.parameters.FORWARD`; missing ones have their defaults.
        seed: source of every random choice.

    Returns:
        A stimulus with ``query`` [B, Hq, Sq, D] (TND: [Tq, Hq, D]), ``key`` and ``value`` [B, Hkv, Skv, D] (TND:
        [Tkv, Hkv, D]), ``block_sparse_mask`` bool [B, Hq, ceil(Sq/bx), ceil(Skv/by)] unless the mask is ``none``,
        and the arguments ``block_shape``, ``actual_seq_lengths``, ``actual_seq_lengths_kv``, ``layout``, ``scale``.
        Fact ``exact``: the output has no rounding (one-hot rows, a mean of dyadic numbers, rows that see one key).

    Raises:
        StimulusError: a parameter that no stimulus can be made from.
    """
    return to_stimulus(build_forward(params, seed))


def to_stimulus(draft: Draft) -> Stimulus:
    """Hands a draft to torch: shares its storage, computes nothing."""
    tensors = {name: tensor.to_torch() for name, tensor in draft.tensors.items()}
    return Stimulus(tensors=tensors, arguments=dict(draft.arguments), facts=dict(draft.facts))


def build_forward(params: Mapping[str, Any], seed: int) -> Draft:
    """As :func:`make_forward`, by numpy alone."""
    reduced, full = complete(params, FORWARD)
    return _Maker(reduced, full, seed).draft()


class _Maker:
    """One forward stimulus in the making."""

    def __init__(self, reduced: Mapping[str, Any], full: Mapping[str, Any], seed: int) -> None:
        self.full = full
        self.stream = Stream.of(reduced, seed)
        self.packed = full["layout"] == "TND"
        self.lengths_q = self._lengths("lengths_q", full["seq_q"])
        self.lengths_kv = self._lengths("lengths_kv", full["seq_kv"])
        self.kinds = regimes.resolve(full["values"])
        self.placement = _placement(full["strides"])
        self.mask = self._mask()

    def draft(self) -> Draft:
        full = self.full
        tensors = {
            "query": self.tensor("query", heads=full["heads_q"]),
            "key": self.tensor("key", heads=full["heads_kv"]),
            "value": self.tensor("value", heads=full["heads_kv"]),
        }
        if self.mask is not None:
            tensors["block_sparse_mask"] = HostTensor.contiguous(self.mask, dtype="bool")
        arguments = {
            "block_shape": full["block_shape"],
            "actual_seq_lengths": self.lengths_q,
            "actual_seq_lengths_kv": self.lengths_kv,
            "layout": full["layout"],
            "scale": full["scale"],
        }
        return Draft(tensors=tensors, arguments=arguments, facts={"exact": self._exact()})

    def tensor(self, name: str, *, heads: int) -> HostTensor:
        of_query = name == "query"
        full = self.full
        rows, actual = (full["seq_q"], self.lengths_q) if of_query else (full["seq_kv"], self.lengths_kv)
        shape = (full["batch"], heads, rows, full["head_dim"])
        dtype = full["dtype"]
        array = round_to(dtype, self._elements(name, shape))
        if self.packed:
            array = _pack(array, actual or [], tail=full["tail"])
            padding.fill(array[None], [len(array) - full["tail"]], content=full["padding"], dtype=dtype, axis=1)
        else:
            padding.fill(array, actual, content=full["padding"], dtype=dtype)
        return strides.place(array, dtype=dtype, kind=self.placement[name])

    def _elements(self, name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
        stream = self.stream.child(name)
        if self.kinds[name] == regimes.RANKED:
            return ranked.query(shape) if name == "query" else ranked.key(stream, shape)
        return values.draw(self.kinds[name], stream=stream, shape=shape, argument=f"values.{name}")

    def _lengths(self, argument: str, size: int) -> list[int] | None:
        spec = self.full[argument]
        if spec is None and self.packed:
            spec = "full"
        stream = self.stream.child(argument)
        return lengths.resolve(spec, batch=self.full["batch"], size=size, stream=stream, argument=argument)

    def _mask(self) -> npt.NDArray[np.bool_] | None:
        full = self.full
        spec, density = full["mask"], full["density"]
        family = spec["family"] if isinstance(spec, dict) and "family" in spec else spec
        if density != 1.0 and family not in masks.DENSITY_FAMILIES:
            legal = f"1.0, the default: only {', '.join(masks.DENSITY_FAMILIES)} draw at random, not {family!r}"
            raise StimulusError(argument="density", value=density, legal=legal)
        if spec == "none":
            return None
        grid = masks.Grid(
            batch=full["batch"],
            heads=full["heads_q"],
            seq_q=self._extent(self.lengths_q, full["seq_q"]),
            seq_kv=self._extent(self.lengths_kv, full["seq_kv"]),
            block_q=full["block_shape"][0],
            block_kv=full["block_shape"][1],
        )
        return masks.build(spec, grid, self.stream.child("block_sparse_mask"), density=density)

    def _extent(self, actual: list[int] | None, size: int) -> int:
        """Tokens that the mask covers: S, in TND the longest sequence."""
        return max(1, *(actual or [0])) if self.packed else size

    def _exact(self) -> bool:
        full = self.full
        if full["values"] == "exact":
            scale = full["head_dim"] ** -0.5 if full["scale"] is None else full["scale"]
            return bool(ranked.GAP * abs(scale) >= _EXACT_GAP)
        counts = self._key_counts()
        largest = int(counts.max(initial=0))
        if full["values"] == "exact_mean":
            whole = (counts & (counts - 1)) == 0
            return bool(whole.all()) and largest <= 1 << _SIGNIFICAND[full["dtype"]]
        return largest <= 1

    def _key_counts(self) -> npt.NDArray[np.int64]:
        """Keys that each query block sees: [B, Hq, blocks_q]."""
        full = self.full
        actual = self.lengths_kv or [full["seq_kv"]] * full["batch"]
        limit = np.clip(np.asarray(actual, dtype=np.int64), 0, full["seq_kv"])
        if self.mask is None:
            return np.broadcast_to(limit[:, None, None], (full["batch"], full["heads_q"], 1))
        size = full["block_shape"][1]
        starts = np.arange(self.mask.shape[3], dtype=np.int64) * size
        tokens = np.clip(limit[:, None] - starts, 0, size)
        return np.asarray((self.mask * tokens[:, None, None, :]).sum(axis=-1), dtype=np.int64)


def _placement(spec: str | Mapping[str, str]) -> dict[str, str]:
    """How each tensor lies in memory."""
    if isinstance(spec, str):
        placement = dict.fromkeys(regimes.TENSORS, spec)
        if spec == "expanded":
            placement["query"] = "contiguous"
        return placement
    placement = dict.fromkeys(regimes.TENSORS, "contiguous")
    for tensor, kind in spec.items():
        if tensor not in placement:
            legal = f"one of the tensors {', '.join(regimes.TENSORS)}"
            raise StimulusError(argument=f"strides.{tensor}", value=kind, legal=legal)
        placement[tensor] = kind
    return placement


def _pack(array: npt.NDArray[Any], actual: list[int], *, tail: int) -> npt.NDArray[Any]:
    """[B, N, S, D] to [T, N, D]: the valid rows of every batch one after another, then ``tail`` more rows."""
    rows = [array[b, :, : max(actual[b], 0)].swapaxes(0, 1) for b in range(min(len(actual), array.shape[0]))]
    rows.append(np.zeros((tail, array.shape[1], array.shape[3]), dtype=array.dtype))
    return np.concatenate(rows)
