"""Prints the digests of the golden inputs, as JSON; run in processes of its own.

``python digest.py numpy`` makes them with torch's import blocked; ``python digest.py torch`` reads them back from
the torch tensors that a DUT is given.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

if sys.argv[1:] == ["numpy"]:
    sys.modules["torch"] = None  # type: ignore[assignment] - any import of torch raises from here on

from stimuli.attention import build_forward
from stimuli.backward import build_chain
from stimuli.tensors import Draft

HERE = Path(__file__).parent


def draft(item: dict[str, Any]) -> Draft:
    """One golden input, made by numpy."""
    maker = {"forward": build_forward, "chain": build_chain}[item["maker"]]
    return maker(item["params"], item["seed"])


def by_numpy(item: dict[str, Any]) -> dict[str, str]:
    """Digest by tensor name, torch never imported."""
    return {name: tensor.digest() for name, tensor in draft(item).tensors.items()}


def by_torch(item: dict[str, Any]) -> dict[str, str]:
    """Digest by tensor name, of the storage that torch holds."""
    import torch

    digests = {}
    for name, tensor in draft(item).to_stimulus().tensors.items():
        storage = torch.tensor([], dtype=torch.uint8).set_(tensor.untyped_storage())
        dtype = str(tensor.dtype).removeprefix("torch.")
        geometry = f"{dtype}{tuple(tensor.shape)}{tensor.stride()}{tensor.storage_offset()}"
        digests[name] = hashlib.sha256(geometry.encode("ascii") + storage.numpy().tobytes()).hexdigest()
    return digests


def main() -> None:
    """Prints ``{name: {tensor: digest}}``."""
    digest = {"numpy": by_numpy, "torch": by_torch}[sys.argv[1]]
    inputs = json.loads((HERE / "inputs.json").read_text(encoding="utf-8"))
    print(json.dumps({name: digest(item) for name, item in inputs.items()}, indent=1))  # noqa: T201 - this is its output


if __name__ == "__main__":
    main()
