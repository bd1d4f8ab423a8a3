"""Binds the softmax kernel to the verification environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import torch

from bsa._pypto import load, simulate
from stimuli.case import Case, case
from stimuli.random import Stream
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec
from verification.dut import Call, Capacity, OutputSpec, References
from verification.explain import Context, Value

DEFAULTS = {"rows": 64, "scale": 1.0}
"""The parameters of a case and their defaults. Never change a default: ids depend on them."""


class Flow:
    """What the kernel's variables should hold, by name: optional, for ``replay --explain``."""

    tolerance, floor = 2e-3, 1e-6

    def __init__(self, x: torch.Tensor) -> None:
        self._x = x.double()

    def expect(self, name: str, found: Value, context: Context) -> torch.Tensor | None:
        """The right value, for the rows of the input that the variable was made from; None = nothing is said."""
        rows = self._x[found.rows if context.written is None else context.written]
        right = {"tile": rows, "weights": (rows - rows.amax(-1, keepdim=True)).exp()}
        right["share"] = right["->out"] = rows.softmax(-1)
        return right.get(name)


class Softmax:
    """The DUT ``example.softmax``."""

    name = "example.softmax"

    def outputs(self, case: Case) -> tuple[OutputSpec, ...]:
        """One tensor; the names of its axes are used in locations."""
        del case
        return (OutputSpec(name="out", dtype="float16", dims=("row", "column")),)

    def stimuli(self, case: Case) -> Iterator[Stimulus]:
        """The inputs of each call: a function of the case alone, so that every machine makes the same bytes."""
        params = {**DEFAULTS, **case.params}
        normal = Stream.of(case.params, case.seed).child("x").normal(params["rows"] * 128)
        x = torch.from_numpy((normal * params["scale"]).astype("float16")).reshape(-1, 128)
        yield Stimulus(tensors={"x": x}, arguments={})

    def references(self, stimulus: Stimulus) -> References:
        """The right answer in float64, and the same calculation in the kernel's precision: the yardstick."""
        x = stimulus.tensors["x"]
        gold, same = x.double().softmax(-1), x.float().softmax(-1).half()
        return References(gold={"out": gold}, same={"out": same}, row_block=64)

    def call(self, stimulus: Stimulus, call: Call) -> Mapping[str, torch.Tensor]:
        """Run the kernel. The output starts as NaN, so that what the kernel does not write is noticed."""
        del call
        load()
        from softmax_kernel import softmax

        out = torch.full_like(stimulus.tensors["x"], torch.nan)
        with simulate():
            softmax(stimulus.tensors["x"], out)
        return {"out": out}

    def dataflow(self, stimulus: Stimulus) -> Flow:
        """What the variables should hold: optional. From the inputs alone, nothing of the kernel's own."""
        return Flow(stimulus.tensors["x"])

    def capacity(self, case: Case, run_mode: str) -> Capacity:
        """What the case will need; one that cannot fit is refused before it runs."""
        del run_mode
        rows = {**DEFAULTS, **case.params}["rows"]
        return Capacity(bytes=(1 << 29) + rows * 4096, seconds=1.0)

    def expects_tasks(self, stimulus: Stimulus) -> bool:
        """Whether the kernel has anything to do: a run without a kernel task fails otherwise."""
        return stimulus.tensors["x"].numel() > 0

    def facts(self, case: Case, stimulus: Stimulus) -> Mapping[str, int]:
        """What the record should say about the inputs."""
        del case
        return {"rows": stimulus.tensors["x"].shape[0]}

    def kernel_sources(self) -> tuple[str, ...]:
        """The files that decide what the kernel does; their hash is in every record."""
        return (str(Path(__file__).with_name("softmax_kernel.py")),)

    def suites(self) -> tuple[SuiteSpec, ...]:
        """Cases by suite. Each case is about something: a whole tile, a tail, large values."""
        cases = (
            case(self.name, DEFAULTS, name="one tile"),
            case(self.name, DEFAULTS, name="tail", rows=100),
            case(self.name, DEFAULTS, name="large values", rows=128, scale=8.0),
        )
        return (SuiteSpec(name="example", title="Softmax", cases=cases),)


DUT = Softmax()
