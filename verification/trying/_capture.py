"""From a description that :mod:`bsa.capture` wrote to a case like the call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bsa.capture import SCHEMA, unpack_mask
from bsa.messages import text
from stimuli.masks import given
from stimuli.regimes import TENSORS
from verification.errors import UsageError
from verification.trying._node import Node

Fields = Mapping[str, Node]
_RANKS = {"BNSD": 4, "TND": 3}
_LENGTHS = {"q": "actual_seq_lengths", "kv": "actual_seq_lengths_kv"}
_COUNTS = ("zeros", "nan", "inf")
_STATISTICS = ("shape", "dtype", "strides", "mean", "std", "min", "max", *_COUNTS)
_BLOCK = (256, 512)
"""The library's default."""


def params_of_capture(path: Path) -> dict[str, Any]:
    """The parameters of a case like the call that was described: the last one of the file.

    Raises:
        UsageError: the file is no such description; the message names the field, its value and what is legal.
    """
    top = Node(path, _last(path)).fields("schema", "tensors", "mask", "arguments")
    schema = top["schema"]
    schema.require(str(SCHEMA), accepted=schema.value == SCHEMA and schema.value is not True)
    arguments = top["arguments"].fields(others=True)
    layout = arguments["layout"].word(*_RANKS) if _given(arguments, "layout") else "BNSD"
    tensors = {name: one.fields(*_STATISTICS) for name, one in top["tensors"].fields(*TENSORS, others=True).items()}
    for name, one in tensors.items():
        _check_statistics(one, rank=_RANKS[layout] if name in TENSORS else None)
    dtype = tensors["query"]["dtype"].word("float16", "bfloat16")
    query, key = _check_shapes(tensors, packed=layout == "TND")
    sizes = _packed_sizes(top["arguments"], query, key) if layout == "TND" else _sizes(arguments, query, key)
    return {
        **sizes,
        "heads_q": query[1],
        "heads_kv": key[1],
        "head_dim": query[-1],
        "dtype": dtype,
        "layout": layout,
        "block_shape": _block(arguments),
        "scale": arguments["scale"].number() if _given(arguments, "scale") else None,
        "mask": _mask(top["mask"]),
        "values": {name: _kind(tensors[name]) for name in TENSORS},
    }


def _last(path: Path) -> Any:
    try:
        written = path.read_text(encoding="utf-8")
        try:
            return json.loads(written)
        except ValueError:
            return json.loads((written.strip().splitlines() or [""])[-1])
    except OSError as error:
        raise UsageError(text("error.system", what=path, why=error.strerror)) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(text("cli.try.no_capture", file=path, why=error)) from error


def _given(arguments: Fields, name: str) -> bool:
    return name in arguments and arguments[name].value is not None


def _check_statistics(one: Fields, *, rank: int | None) -> None:
    shape = one["shape"]
    least = 0 if rank is None else 1
    axes = len(shape.value) if rank is None and isinstance(shape.value, list) else rank or 0
    sizes = shape.wholes(axes, least=least)
    one["strides"].wholes(len(sizes), least=0)
    one["dtype"].require(text("cli.try.legal.name"), accepted=isinstance(one["dtype"].value, str))
    for name in ("mean", "min", "max"):
        one[name].number()
    one["std"].number(least=0)
    for name in _COUNTS:
        one[name].whole(least=0)


def _check_shapes(tensors: Mapping[str, Fields], *, packed: bool) -> tuple[list[int], list[int]]:
    """Shapes of query and key, after the rules that relate query, key and value."""
    query, key = (list(tensors[name]["shape"].value) for name in ("query", "key"))
    alike = query[-1] == key[-1] and query[1] % key[1] == 0 and (packed or query[0] == key[0])
    tensors["key"]["shape"].require(text("cli.try.legal.key", query=query), accepted=alike)
    value = tensors["value"]["shape"]
    value.require(text("cli.try.legal.value", key=key), accepted=value.value == key)
    for name in ("key", "value"):
        tensors[name]["dtype"].word(tensors["query"]["dtype"].value)
    return query, key


def _sizes(arguments: Fields, query: list[int], key: list[int]) -> dict[str, Any]:
    """Batch, rows and lengths of a BNSD call."""
    sizes: dict[str, Any] = {"batch": query[0], "seq_q": query[2], "seq_kv": key[2]}
    for side, name in _LENGTHS.items():
        lengths = arguments[name].wholes(query[0], most=sizes[f"seq_{side}"]) if _given(arguments, name) else None
        sizes[f"lengths_{side}"] = lengths
    return sizes


def _packed_sizes(arguments: Node, query: list[int], key: list[int]) -> dict[str, Any]:
    """Batch, rows and lengths of a TND call, which has to say its lengths."""
    named = arguments.fields(*_LENGTHS.values(), others=True)
    first = named[_LENGTHS["q"]].value
    batch = max(1, len(first)) if isinstance(first, list) else 1
    sizes: dict[str, Any] = {"batch": batch}
    for (side, name), tokens in zip(_LENGTHS.items(), (query[0], key[0]), strict=True):
        lengths = named[name].wholes(batch, most=tokens)
        named[name].require(text("cli.try.legal.sum", tokens=tokens), accepted=sum(lengths) <= tokens)
        sizes |= {f"lengths_{side}": lengths, f"seq_{side}": max(lengths)}
    return sizes


def _block(arguments: Fields) -> list[int]:
    return arguments["block_shape"].wholes(2, least=1) if _given(arguments, "block_shape") else list(_BLOCK)


def _mask(mask: Node) -> Any:
    if mask.value is None:
        return "none"
    packed = mask.fields("shape", "bits")
    packed["shape"].wholes(4, least=1)
    try:
        unpack_mask(mask.value)
    except ValueError:
        packed["bits"].require(text("cli.try.legal.bits"), accepted=False)
    return {"family": given.FAMILY, **mask.value}


def _kind(statistics: Fields) -> str:
    """An elementary kind with about these statistics."""
    mean, std = statistics["mean"].number(), statistics["std"].number()
    if std == 0.0:
        return f"constant:{mean:.6g}"
    return f"normal:{(mean * mean + std * std) ** 0.5:.3g}"
