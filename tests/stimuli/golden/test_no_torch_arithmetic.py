"""Makers hand numpy's memory to torch and compute nothing with torch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from torch.utils._python_dispatch import TorchDispatchMode

from stimuli.attention import make_forward
from stimuli.backward import make_chain
from stimuli.case import Case
from stimuli.programs import steps

INPUTS = json.loads((Path(__file__).parent / "inputs.json").read_text(encoding="utf-8"))
VIEWS = {"aten::as_strided", "aten::view.dtype", "aten::detach", "aten::alias", "aten::lift_fresh"}


class Recorder(TorchDispatchMode):
    """Notes the name of every torch operator that runs."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Notes and runs one operator."""
        self.seen.add(func.name())
        return func(*args, **(kwargs or {}))


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """A recorder that is listening."""
    with Recorder() as mode:
        yield mode


def test_makers_only_make_views(recorder: Recorder) -> None:
    """Every golden input is made with view operators alone."""
    for item in INPUTS.values():
        {"forward": make_forward, "chain": make_chain}[item["maker"]](item["params"], item["seed"])
    assert recorder.seen
    assert recorder.seen <= VIEWS


@pytest.mark.parametrize("kind", ["once", "repeat", "edit_mask", "replace_mask"])
def test_programs_only_make_views(recorder: Recorder, kind: str) -> None:
    """No program computes with torch either."""
    params = {"seq_q": 64, "seq_kv": 64, "block_shape": [16, 16], "density": 0.5}
    calls = list(steps(Case(dut="bsa.forward", params=params, program={"kind": kind}), make_forward))
    assert calls
    assert recorder.seen <= VIEWS
