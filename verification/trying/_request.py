"""From what a customer says of a call to a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from bsa.messages import text
from bsa.unreadable import why_unreadable
from stimuli.masks import given
from stimuli.parameters import FORWARD_DEFAULTS
from verification.errors import UsageError
from verification.trying._tensors import DAMAGED, Tensors

MOST_BATCHES = 1 << 20
"""Every batch has a length of its own, so that a list of them is made before anything is estimated."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a customer says of a call; None where nothing was said."""

    query: Sequence[int] | None = None
    """B, N, S, D."""
    key: Sequence[int] | None = None
    """N, S."""
    lengths: Sequence[int] | None = None
    """Of keys, and of queries too where Sq = Skv."""
    lengths_q: Sequence[int] | None = None
    lengths_kv: Sequence[int] | None = None
    block: Sequence[int] | None = None
    mask: str | None = None
    """A family of masks, or a ``.npy`` file."""
    density: float | None = None
    values: str | None = None
    tensors: Path | None = None
    """An ``.npz`` file."""
    layout: str | None = None
    dtype: str | None = None
    scale: float | None = None


_SPELLED_OTHERWISE = {
    "query": "--q",
    "key": "--kv",
    "lengths": "--lens",
    "lengths_q": "--lens-q",
    "lengths_kv": "--lens-kv",
}
_OPTIONS = {one.name: _SPELLED_OTHERWISE.get(one.name, f"--{one.name}") for one in fields(Request)}
"""The option of each field."""


def params_of(request: Request) -> dict[str, Any]:
    """The parameters of the case.

    Raises:
        UsageError: something is missing, or does not go together; it names the option, the value and what is legal.
    """
    tensors = _tensors(request)
    query, key = request.query, request.key
    if tensors is not None:
        query, key = tensors.arrays["query"].shape, tensors.arrays["key"].shape[1:3]
    if query is None:
        raise UsageError(text("cli.try.no_shape"))
    batch, heads, seq, dim = _counted("--q", query, "B,N,S,D")
    if batch > MOST_BATCHES:
        raise UsageError(text("cli.try.batches", batch=batch, most=MOST_BATCHES))
    heads_kv, seq_kv = _counted("--kv", key or (heads, seq), "N,S")
    if heads % heads_kv:
        raise UsageError(text("cli.try.heads", key=heads_kv, query=heads))
    params: dict[str, Any] = {
        "batch": batch,
        "heads_q": heads,
        "heads_kv": heads_kv,
        "seq_q": seq,
        "seq_kv": seq_kv,
        "head_dim": dim,
        **_both_lengths(request, batch, seq, seq_kv),
        "mask": "dense" if request.mask is None else _mask(request.mask),
    }
    if request.block is not None:
        params["block_shape"] = list(_counted("--block", request.block, "X,Y"))
    said = {"density": request.density, "layout": request.layout, "dtype": request.dtype, "scale": request.scale}
    params |= {name: value for name, value in said.items() if value is not None}
    if tensors is not None:
        lengths = {side: params[side] for side in ("lengths_q", "lengths_kv")}
        tensors.refuse_not_finite(dtype=request.dtype or FORWARD_DEFAULTS["dtype"], **lengths)
        params["values"] = tensors.kinds()
    elif request.values is not None:
        params["values"] = request.values
    return params


def refuse_beside_capture(request: Request) -> None:
    """Refuses options that ``--from`` would make mean nothing.

    Raises:
        UsageError: one was given; it names both.
    """
    for field, option in _OPTIONS.items():
        if getattr(request, field) is not None:
            raise UsageError(text("cli.try.both", option=option, other="--from"))


def _tensors(request: Request) -> Tensors | None:
    """The arrays of ``--tensors``, which agree with what else was said."""
    if request.tensors is None:
        return None
    if request.values is not None:
        raise UsageError(text("cli.try.both", option="--values", other="--tensors"))
    tensors = Tensors.read(request.tensors)
    tensors.refuse_other_shapes(request.query, request.key)
    return tensors


def _counted(option: str, given_: Sequence[int], legal: str) -> tuple[int, ...]:
    if len(given_) != len(legal.split(",")) or min(given_) < 1:
        value = ",".join(map(str, given_))
        raise UsageError(text("cli.try.numbers", option=option, value=value, legal=legal))
    return tuple(given_)


def _both_lengths(request: Request, batch: int, seq: int, seq_kv: int) -> dict[str, list[int] | None]:
    """Actual lengths of queries and of keys: ``--lens`` is for both where nothing else is said of one."""
    of_queries, of_keys = request.lengths_q, request.lengths_kv
    shared = request.lengths is not None and seq == seq_kv and of_queries is None
    if request.lengths is not None and of_keys is not None and not shared:
        raise UsageError(text("cli.try.both", option="--lens", other="--lens-kv"))
    queries = ("--lens", request.lengths) if shared else ("--lens-q", of_queries)
    keys = ("--lens", request.lengths) if of_keys is None else ("--lens-kv", of_keys)
    return {"lengths_q": _lengths(*queries, batch, seq), "lengths_kv": _lengths(*keys, batch, seq_kv)}


def _lengths(option: str, lengths: Sequence[int] | None, batch: int, seq: int) -> list[int] | None:
    if lengths is None:
        return None
    if len(lengths) != batch:
        raise UsageError(text("cli.try.lengths", option=option, count=len(lengths), batch=batch))
    for at, length in enumerate(lengths):
        if not 0 <= length <= seq:
            raise UsageError(text("cli.try.length", option=option, batch=at, value=length, seq=seq))
    return list(lengths)


def _mask(spec: str) -> Any:
    if not spec.endswith(".npy"):
        return spec
    try:
        with Path(spec).open("rb") as file:
            mask = np.load(file, allow_pickle=False)
        kind = f"{mask.dtype} {list(mask.shape)}"
    except OSError as error:
        raise UsageError(text("error.system", what=spec, why=error.strerror or error)) from error
    except DAMAGED as error:
        raise UsageError(text("cli.try.no_mask", file=spec, why=why_unreadable(error))) from error
    if mask.dtype != np.bool_ or mask.ndim != 4:
        raise UsageError(text("cli.try.no_mask", file=spec, why=kind))
    return given.spec(mask)
