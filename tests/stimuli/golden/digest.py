"""Prints the digests of the golden inputs, as JSON; run in processes of its own.

``python digest.py numpy`` makes them with torch's import blocked; ``python digest.py torch`` reads them back from
the torch tensors that a DUT is given.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent


def by_numpy(params: dict[str, object], seed: int) -> dict[str, str]:
    """Digest by tensor name, torch never imported."""
    from stimuli.attention import build_forward

    return {name: tensor.digest() for name, tensor in build_forward(params, seed).tensors.items()}


def by_torch(params: dict[str, object], seed: int) -> dict[str, str]:
    """Digest by tensor name, of the storage that torch holds."""
    import torch

    from stimuli.attention import make_forward

    digests = {}
    for name, tensor in make_forward(params, seed).tensors.items():
        storage = torch.tensor([], dtype=torch.uint8).set_(tensor.untyped_storage())
        dtype = str(tensor.dtype).removeprefix("torch.")
        geometry = f"{dtype}{tuple(tensor.shape)}{tensor.stride()}{tensor.storage_offset()}"
        digests[name] = hashlib.sha256(geometry.encode("ascii") + storage.numpy().tobytes()).hexdigest()
    return digests


def main() -> None:
    """Prints ``{name: {tensor: digest}}``."""
    if sys.argv[1] == "numpy":
        sys.modules["torch"] = None  # type: ignore[assignment] - any import of torch raises from here on
    digest = {"numpy": by_numpy, "torch": by_torch}[sys.argv[1]]
    inputs = json.loads((HERE / "inputs.json").read_text(encoding="utf-8"))
    print(json.dumps({name: digest(item["params"], item["seed"]) for name, item in inputs.items()}, indent=1))  # noqa: T201 - this is its output


if __name__ == "__main__":
    main()
