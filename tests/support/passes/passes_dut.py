"""A DUT whose cases differ in the compile pass that changes the result: ``planted.passes``.

All but one differ for real: the kernel is right, and a pass of PyPTO does not keep what the numbers of the case need.
The one of ``saved`` is a stand-in: the result that PyPTO saved after ``SplitK`` is given a NaN before it is compared.
"""

from pathlib import Path

import torch

from stimuli.case import case
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec
from verification.dut import Capacity, OutputSpec, References
from verification.explain import Context, Value

ROWS, SUMMED, ROUNDED = 64, 128, 64
NUMBERS = {
    "right": {},
    "order": {**dict.fromkeys(range(128), 1.0), 0: 2e8, 32: -2e8},
    "nan": {0: 3e38, 32: -3e38, 64: 3e38, 96: -3e38},
    "rounding": {},
    "saved": {},
}
"""By case: what row 40 holds by column, beside zeros; all other rows hold ones."""
DEFAULTS = {"numbers": "right"}


class Flow:
    """What the kernels' variables should hold."""

    tolerance, floor = 1e-6, 1e-6

    def __init__(self, x: torch.Tensor) -> None:
        self._rows = x.double()

    def expect(self, name: str, found: Value, context: Context) -> torch.Tensor | None:
        """See :class:`verification.explain.Dataflow`."""
        rows = self._rows[found.rows if context.written is None else context.written]
        if name == "far":
            return rows + 256
        if name == "near" or (name == "->out" and rows.shape[1] == ROUNDED):
            return rows
        return rows.sum(-1, keepdim=True) if name in ("total", "->out") else None


class Planted:
    """The binding."""

    name = "planted.passes"

    def outputs(self, case):
        return (
            OutputSpec(
                name="out",
                dtype="bfloat16" if case.params.get("numbers") == "rounding" else "float32",
                dims=("row", "d"),
            ),
        )

    def stimuli(self, case):
        numbers = case.params.get("numbers", "right")
        x = torch.ones(ROWS, SUMMED)
        if NUMBERS[numbers]:
            x[40] = torch.tensor([NUMBERS[numbers].get(column, 0.0) for column in range(SUMMED)])
        if numbers == "rounding":
            x = torch.ones(ROWS, ROUNDED, dtype=torch.bfloat16)
        yield Stimulus(tensors={"x": x}, arguments={"numbers": numbers})

    def references(self, stimulus):
        x = stimulus.tensors["x"]
        gold = x.double() if x.dtype == torch.bfloat16 else x.double().sum(-1, keepdim=True)
        return References(gold={"out": gold}, same={"out": gold.to(x.dtype)}, row_block=32)

    def call(self, stimulus, call):
        from bsa._pypto import load, simulate

        load()
        import passes_kernels

        x = stimulus.tensors["x"]
        rounding = x.dtype == torch.bfloat16
        out = torch.full((ROWS, ROUNDED if rounding else 1), torch.nan, dtype=x.dtype)
        kernel = passes_kernels.there_and_back if rounding else passes_kernels.sum_rows
        with simulate(capture=False) as run:
            kernel(x, out)
        if stimulus.arguments["numbers"] == "saved":
            spoil(run.folder)
        return {"out": out}

    def dataflow(self, stimulus):
        return Flow(stimulus.tensors["x"])

    def capacity(self, case, run_mode):
        return Capacity(bytes=1 << 29, seconds=1.0)

    def expects_tasks(self, stimulus):
        return True

    def facts(self, case, stimulus):
        return {}

    def kernel_sources(self):
        return (str(Path(__file__).with_name("passes_kernels.py")),)

    def suites(self):
        cases = tuple(case("planted.passes", DEFAULTS, name=numbers, numbers=numbers) for numbers in NUMBERS)
        return (SuiteSpec(name="planted", title="Planted in passes", cases=cases),)


def spoil(folder):
    """Puts a NaN into what was saved after one pass, as if that pass had made it."""
    results = sorted(Path(folder).glob("output_*/verify_*/Pass_*_SplitK/tensor~*.data"))
    saved = next(path for path in results if "~golden~" not in path.name)
    values = torch.from_file(str(saved), shared=True, size=saved.stat().st_size // 4, dtype=torch.float32)
    values[0] = torch.nan


DUT = Planted()
