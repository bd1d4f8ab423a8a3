"""What a call looked like, without its data: shapes, dtypes, strides, lengths, block mask and value statistics.

``python -m bsa.capture TENSORS --out FILE`` describes tensors that were saved (``.npz``, or ``.pt`` with a mapping);
:func:`recorded` describes every call of a function. No element of a tensor but the mask's leaves the machine.
"""

from __future__ import annotations

import argparse
import base64
import functools
import inspect
import json
import re
import shlex
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from bsa.argv import with_negative_values
from bsa.messages import text
from bsa.saved_tensors import MASK, check_call, read_saved

SCHEMA = 1
_Function = TypeVar("_Function", bound=Callable[..., Any])


def pack_mask(mask: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """A mask as JSON data.

    Args:
        mask: bool of any shape.

    Returns:
        ``shape``, and ``bits``: the elements in C order, eight a byte, compressed, in base 64.
    """
    bits = zlib.compress(np.packbits(np.ascontiguousarray(mask)).tobytes(), 9)
    return {"shape": list(mask.shape), "bits": base64.b64encode(bits).decode("ascii")}


def unpack_mask(packed: Mapping[str, Any]) -> npt.NDArray[np.bool_]:
    """The inverse of :func:`pack_mask`.

    Raises:
        ValueError: the data are not those of a mask.
    """
    try:
        shape = tuple(int(size) for size in packed["shape"])
        raw = np.frombuffer(zlib.decompress(base64.b64decode(packed["bits"], validate=True)), dtype=np.uint8)
        return np.unpackbits(raw)[: int(np.prod(shape))].astype(np.bool_).reshape(shape)
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise ValueError(f"not a packed mask: {type(error).__name__}: {error}") from error


def describe(tensors: Mapping[str, torch.Tensor | None], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Describes one call.

    Args:
        tensors: by argument name; the mask is ``block_sparse_mask``.
        arguments: the other arguments.

    Returns:
        JSON data: ``schema``, ``tensors`` (shape, dtype, strides, statistics), ``mask`` (packed; null if there is none)
        and ``arguments``.
    """
    mask = tensors.get(MASK)
    return {
        "schema": SCHEMA,
        "tensors": {name: _described(one) for name, one in tensors.items() if one is not None and name != MASK},
        "mask": None if mask is None else pack_mask(mask.detach().cpu().numpy().astype(np.bool_)),
        "arguments": {name: _plain(value) for name, value in arguments.items()},
    }


def recorded(function: _Function, path: str | Path) -> _Function:
    """Wraps a function so that each call adds its description to a file, one JSON object a line.

    Args:
        function: takes tensors and other arguments, for example ``bsa.block_sparse_attention``.
        path: the file; is made if need be, and added to.

    Returns:
        A function that does the same.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapped(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        tensors = {name: value for name, value in bound.arguments.items() if isinstance(value, torch.Tensor)}
        others = {n: v for n, v in bound.arguments.items() if n not in tensors and n not in (MASK, "config")}
        line = json.dumps(describe(tensors, others))
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        return function(*given, **named)

    return wrapped  # type: ignore[return-value]  # functools.wraps keeps the signature, not the type


def _described(tensor: torch.Tensor) -> dict[str, Any]:
    values = tensor.detach().cpu()
    finite = values[torch.isfinite(values)].double()
    some = finite.numel() > 0
    return {
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "strides": list(tensor.stride()),
        "mean": float(finite.mean()) if some else 0.0,
        "std": float(finite.std(correction=0)) if some else 0.0,
        "min": float(finite.min()) if some else 0.0,
        "max": float(finite.max()) if some else 0.0,
        "zeros": int((values == 0).sum()),
        "nan": int(torch.isnan(values).sum()),
        "inf": int(torch.isinf(values).sum()),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


class _Parser(argparse.ArgumentParser):
    """Errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Raises what argparse complains of.

        Raises:
            ValueError: always.
        """
        raise ValueError(message.removeprefix("argument "))


def main(argv: Sequence[str] | None = None) -> int:
    """Describes saved tensors; returns 0, or 2 if they cannot be read or are no call: then nothing is written."""
    parser = _Parser(prog="python -m bsa.capture", description=text("capture.help"), allow_abbrev=False)
    parser.add_argument("tensors", type=Path, metavar="TENSORS", help=text("capture.tensors"))
    parser.add_argument("--out", type=Path, default=Path("capture.json"), metavar="FILE", help=text("capture.out"))
    for side in ("q", "kv"):
        parser.add_argument(f"--lens-{side}", metavar="N,…", default=None, help=text(f"capture.lens_{side}"))
    parser.add_argument("--block", metavar="X,Y", default="256,512", help=text("capture.block"))
    parser.add_argument("--layout", choices=("BNSD", "TND"), default="BNSD", help=text("capture.layout"))
    try:
        options = parser.parse_args(with_negative_values(sys.argv[1:] if argv is None else argv))
        arguments = {
            "block_shape": _integers("--block", options.block),
            "actual_seq_lengths": _integers("--lens-q", options.lens_q),
            "actual_seq_lengths_kv": _integers("--lens-kv", options.lens_kv),
            "layout": options.layout,
        }
        _check_out(options.out, options.tensors)
        tensors = read_saved(options.tensors)
        check_call(options.tensors, tensors, arguments)
        options.out.write_text(json.dumps(describe(tensors, arguments), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        return _complain(text("error.system", what=error.filename or options.tensors, why=error.strerror))
    except ValueError as error:
        return _complain(str(error))
    words = {"file": options.out, "count": len(tensors), "quoted": shlex.quote(str(options.out))}
    sys.stdout.write(text("capture.done", **words) + "\n")
    return 0


def _complain(message: str) -> int:
    sys.stderr.write(f"bsa.capture: {' '.join(message.split())}\n")
    return 2


def _check_out(out: Path, tensors: Path) -> None:
    if out.resolve() == tensors.resolve():
        raise ValueError(text("capture.same", file=out))


def _integers(option: str, given: str | None) -> list[int] | None:
    if given is None:
        return None
    if not re.fullmatch(r"-?[0-9]+(,-?[0-9]+)*", given):
        raise ValueError(text("capture.integers", option=option, value=given))
    return [int(one) for one in given.split(",")]


if __name__ == "__main__":
    sys.exit(main())
