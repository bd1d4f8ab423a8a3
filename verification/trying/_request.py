"""From what a customer says of a call to a case."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bsa.capture import SCHEMA
from bsa.messages import text
from stimuli import files
from stimuli.masks import given
from stimuli.regimes import TENSORS
from verification.errors import UsageError

_DAMAGED = (KeyError, ValueError, TypeError, AttributeError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error)
"""What numpy raises for files that are not what their name says."""
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


def params_of(request: Request) -> dict[str, Any]:
    """The parameters of the case.

    Raises:
        UsageError: something is missing, or does not go together; it names the option, the value and what is legal.
    """
    shape = _from_tensors(request)
    query, key = request.query or shape.get("query"), request.key or shape.get("key")
    if query is None:
        raise UsageError(text("cli.try.no_shape"))
    batch, heads, seq, dim = _counted("--q", query, "B,N,S,D")
    if batch > MOST_BATCHES:
        raise UsageError(text("cli.try.batches", batch=batch, most=MOST_BATCHES))
    heads_kv, seq_kv = _counted("--kv", key or (heads, seq), "N,S")
    if heads % heads_kv:
        raise UsageError(text("cli.try.heads", key=heads_kv, query=heads))
    both = ("--lens", request.lengths) if seq == seq_kv else ("--lens-q", None)
    of_queries = both if request.lengths_q is None else ("--lens-q", request.lengths_q)
    of_keys = ("--lens", request.lengths) if request.lengths_kv is None else ("--lens-kv", request.lengths_kv)
    params: dict[str, Any] = {
        "batch": batch,
        "heads_q": heads,
        "heads_kv": heads_kv,
        "seq_q": seq,
        "seq_kv": seq_kv,
        "head_dim": dim,
        "lengths_q": _lengths(*of_queries, batch, seq),
        "lengths_kv": _lengths(*of_keys, batch, seq_kv),
        "mask": "dense" if request.mask is None else _mask(request.mask),
    }
    if request.block is not None:
        params["block_shape"] = list(_counted("--block", request.block, "X,Y"))
    said = {"density": request.density, "layout": request.layout, "dtype": request.dtype, "scale": request.scale}
    params |= {name: value for name, value in said.items() if value is not None}
    if request.tensors is not None:
        kind = files.kind_of(request.tensors.resolve(), files.sha256_of(request.tensors.resolve()))
        params["values"] = dict.fromkeys(TENSORS, kind)
    elif request.values is not None:
        params["values"] = request.values
    return params


def params_of_capture(path: Path) -> dict[str, Any]:
    """The parameters of a case like the call that :mod:`bsa.capture` described: the last one of the file.

    Raises:
        UsageError: the file is no such description.
    """
    try:
        written = path.read_text(encoding="utf-8")
        try:
            data = json.loads(written)
        except ValueError:
            data = json.loads(written.strip().splitlines()[-1])
        return _params(data)
    except OSError as error:
        raise UsageError(text("error.system", what=path, why=error.strerror)) from error
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise UsageError(text("cli.try.no_capture", file=path, why=f"{type(error).__name__}: {error}")) from error


def _params(data: Mapping[str, Any]) -> dict[str, Any]:
    if data["schema"] != SCHEMA:
        raise ValueError(f"schema {data['schema']!r} is not {SCHEMA}")
    tensors, arguments = data["tensors"], data["arguments"]
    query, key = tensors["query"], tensors["key"]
    lengths = {side: arguments.get(f"actual_seq_lengths{'_kv' if side == 'kv' else ''}") for side in ("q", "kv")}
    packed = arguments.get("layout") == "TND"
    shape_q, shape_kv = query["shape"], key["shape"]
    params: dict[str, Any] = {
        "batch": len(lengths["q"]) if packed else shape_q[0],
        "heads_q": shape_q[1],
        "heads_kv": shape_kv[1],
        "seq_q": max(lengths["q"]) if packed else shape_q[2],
        "seq_kv": max(lengths["kv"]) if packed else shape_kv[2],
        "head_dim": shape_q[-1],
        "lengths_q": lengths["q"],
        "lengths_kv": lengths["kv"],
        "dtype": query["dtype"],
        "layout": arguments.get("layout") or "BNSD",
        "block_shape": list(arguments.get("block_shape") or (256, 512)),
        "scale": arguments.get("scale"),
        "mask": "none" if data["mask"] is None else {"family": given.FAMILY, **data["mask"]},
        "values": {name: _kind(tensors[name]) for name in TENSORS if name in tensors},
    }
    return params


def _kind(statistics: Mapping[str, float]) -> str:
    """An elementary kind with about these statistics."""
    mean, std = statistics["mean"], statistics["std"]
    if std == 0.0:
        return f"constant:{mean:.6g}"
    return f"normal:{(mean * mean + std * std) ** 0.5:.3g}"


def _from_tensors(request: Request) -> dict[str, list[int]]:
    """Shapes of the arrays of ``--tensors``."""
    if request.tensors is None:
        return {}
    try:
        with request.tensors.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            shapes = {name: list(arrays[name].shape) for name in TENSORS}
    except OSError as error:
        raise UsageError(text("error.system", what=request.tensors, why=error.strerror or error)) from error
    except _DAMAGED as error:
        raise UsageError(text("cli.try.no_tensors", file=request.tensors, why=error)) from error
    return {"query": shapes["query"], "key": shapes["key"][1:3]}


def _counted(option: str, given_: Sequence[int], legal: str) -> tuple[int, ...]:
    if len(given_) != len(legal.split(",")) or min(given_) < 1:
        value = ",".join(map(str, given_))
        raise UsageError(text("cli.try.numbers", option=option, value=value, legal=legal))
    return tuple(given_)


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
    except _DAMAGED as error:
        raise UsageError(text("cli.try.no_mask", file=spec, why=error)) from error
    if mask.dtype != np.bool_ or mask.ndim != 4:
        raise UsageError(text("cli.try.no_mask", file=spec, why=kind))
    return given.spec(mask)
