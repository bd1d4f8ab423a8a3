"""What the makers of all attention passes share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from stimuli import files, lengths, masks, padding, ranked, regimes, strides, values
from stimuli.errors import StimulusError
from stimuli.random import Stream
from stimuli.rounding import round_to
from stimuli.tensors import HostTensor

EXACT_GAP = 110.0
"""exp(-110) is 0 in FP32."""
SIGNIFICAND = {"float16": 11, "bfloat16": 8, "float32": 24}
"""Bits of a significand, by dtype."""
OF_QUERY = ("query", "dout", "attention_out")
"""Tensors with a row per query; ``key`` and ``value`` have one per key."""
INPUTS = ("query", "key", "value", "dout", "attention_out")
"""Tensors that ``strides`` may name."""


class Maker:
    """One attention stimulus in the making."""

    def __init__(self, reduced: Mapping[str, Any], full: Mapping[str, Any], seed: int) -> None:
        self.full = full
        self.stream = Stream.of(reduced, seed)
        self.packed = full["layout"] == "TND"
        self.lengths_q = self._lengths("lengths_q", full["seq_q"])
        self.lengths_kv = self._lengths("lengths_kv", full["seq_kv"])
        self.kinds = {**regimes.resolve(full["values"]), "dout": full.get("dout", "uniform")}
        self.placement = _placement(full["strides"])
        self.mask = self._mask()

    def operands(self) -> dict[str, HostTensor]:
        """``query``, ``key``, ``value``, and ``block_sparse_mask`` unless there is none."""
        tensors = {name: self.tensor(name) for name in regimes.TENSORS}
        if self.mask is not None:
            tensors["block_sparse_mask"] = HostTensor.contiguous(self.mask, dtype="bool")
        return tensors

    def arguments(self) -> dict[str, Any]:
        """The arguments that every pass has."""
        return {
            "block_shape": self.full["block_shape"],
            "actual_seq_lengths": self.lengths_q,
            "actual_seq_lengths_kv": self.lengths_kv,
            "layout": self.full["layout"],
            "scale": self.full["scale"],
        }

    def tensor(self, name: str) -> HostTensor:
        """Draws, rounds, packs, pads and places one tensor.

        Args:
            name: ``query``, ``key``, ``value`` or ``dout``.

        Returns:
            [B, N, S, D], or packed [T, N, D].
        """
        full = self.full
        side = "q" if name in OF_QUERY else "kv"
        shape = (full["batch"], full[f"heads_{side}"], full[f"seq_{side}"], full["head_dim"])
        array = round_to(full["dtype"], self._elements(name, shape))
        if self.packed:
            array = _pack(array, self._actual(name) or [], tail=full["tail"])
        self.pad(name, array, dtype=full["dtype"])
        return strides.place(array, dtype=full["dtype"], kind=self.placement[name])

    def pad(self, name: str, array: npt.NDArray[Any], *, dtype: str) -> None:
        """Overwrites, in place, what lies beyond the actual lengths of a tensor."""
        content = self.full["padding"]
        if self.packed:
            valid = array.shape[0] - self.full["tail"]
            padding.fill(array[None], [valid], content=content, dtype=dtype, axis=1)
        else:
            padding.fill(array, self._actual(name), content=content, dtype=dtype)

    def exact(self) -> bool:
        """Whether the output of the forward pass has no rounding at all."""
        full = self.full
        if full["values"] == "exact":
            scale = full["head_dim"] ** -0.5 if full["scale"] is None else full["scale"]
            return bool(ranked.GAP * abs(scale) >= EXACT_GAP)
        counts = self._key_counts()
        largest = int(counts.max(initial=0))
        if full["values"] == "exact_mean":
            whole = (counts & (counts - 1)) == 0
            return bool(whole.all()) and largest <= 1 << SIGNIFICAND[full["dtype"]]
        return largest <= 1

    def one_key(self) -> bool:
        """Whether no row sees more than one key."""
        return int(self._key_counts().max(initial=0)) <= 1

    def _actual(self, name: str) -> list[int] | None:
        return self.lengths_q if name in OF_QUERY else self.lengths_kv

    def _elements(self, name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
        stream = self.stream.child(name)
        if self.kinds[name] == regimes.RANKED:
            return ranked.query(shape) if name == "query" else ranked.key(stream, shape)
        if self.kinds[name].startswith(files.PREFIX):
            return files.read(self.kinds[name], name=name, shape=shape)
        return values.draw(self.kinds[name], stream=stream, shape=shape, argument=name)

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
        placed = regimes.KEY_TENSORS if spec == "expanded" else INPUTS
        return {name: spec if name in placed else "contiguous" for name in INPUTS}
    placement = dict.fromkeys(INPUTS, "contiguous")
    for tensor, kind in spec.items():
        if tensor not in placement:
            legal = f"one of the tensors {', '.join(INPUTS)}"
            raise StimulusError(argument=f"strides.{tensor}", value=kind, legal=legal)
        placement[tensor] = kind
    return placement


def _pack(array: npt.NDArray[Any], actual: list[int], *, tail: int) -> npt.NDArray[Any]:
    """[B, N, S, D] to [T, N, D]: the valid rows of every batch one after another, then ``tail`` more rows."""
    rows = [array[b, :, : max(actual[b], 0)].swapaxes(0, 1) for b in range(min(len(actual), array.shape[0]))]
    rows.append(np.zeros((tail, array.shape[1], array.shape[3]), dtype=array.dtype))
    return np.concatenate(rows)
