"""``planted.two``: two calls of two kernels each, with a fault in the second kernel of the second call.

In case ``wrong`` it is given a factor that is not the right one; in case ``broken`` PyPTO ends its launch as well,
since sizes differ.
"""

from pathlib import Path

import torch

from stimuli.case import case
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec
from verification.dut import Capacity, OutputSpec, References

DEFAULTS = {"fault": ""}


def squashed(x):
    """What ``squash`` computes, in float64, by variable."""
    x = x.double()
    gate = torch.sigmoid(x)
    root = gate.rsqrt()
    found = {"tile": x, "gate": gate, "same": gate, "root": root, "power": gate.log2(), "turned": x}
    found["above"] = torch.where(x > 0.5, torch.where(x <= 1.0, gate, root), 3.0)
    found["below"] = torch.where(x < -0.5, torch.where(x >= -1.0, 2.0, root), gate)
    found["equal"] = torch.where(x == 0.25, root, torch.where(x != 0.5, gate, 5.0))
    return {**found, "->y": sum(found.values()) + x.relu() - found["tile"]}


class Flow:
    """What the variables hold; nothing is said of ``together``."""

    tolerance, floor = 1e-5, 1e-5

    def __init__(self, x):
        self._right = squashed(x)

    def expect(self, name, found, context):
        """See :class:`verification.explain.Dataflow`."""
        rows = found.rows if context.written is None else context.written
        if context.kernel == "squash":
            right = self._right.get(name)
        else:
            right = self._right["->y"] * {"tile": 1.0, "stretched": 2.0, "->out": 2.0}[name]
        return None if right is None else right[rows]


class Two:
    """The binding."""

    name = "planted.two"

    def outputs(self, case):
        return (OutputSpec(name="out", dtype="float32", dims=("row", "d")),)

    def stimuli(self, case):
        for number in range(2):
            steps = torch.arange(96 * 64, dtype=torch.float32).reshape(96, 64)
            x = (steps * (7 + 4 * number)) % 64 / 16.0 - 2.0
            fault = case.params.get("fault", "") if number else ""
            arguments = {"by": 2.5 if fault else 2.0, "rows": 24 if fault == "broken" else 32}
            yield Stimulus(tensors={"x": x}, arguments=arguments)

    def references(self, stimulus):
        gold = squashed(stimulus.tensors["x"])["->y"] * 2.0
        return References(gold={"out": gold}, same={"out": gold.float()}, row_block=32)

    def call(self, stimulus, call):
        from bsa._pypto import load, simulate

        load()
        from two_kernels import squash, stretch

        x = stimulus.tensors["x"]
        y, out = torch.full_like(x, torch.nan), torch.full_like(x, torch.nan)
        with simulate(capture=False):
            squash(x, y)
            stretch(y, out, stimulus.arguments["by"], stimulus.arguments["rows"])
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
        return (str(Path(__file__).with_name("two_kernels.py")),)

    def suites(self):
        cases = tuple(
            case(self.name, DEFAULTS, name=fault or "right", fault=fault) for fault in ("", "wrong", "broken")
        )
        return (SuiteSpec(name="two", title="Two kernels a call", cases=cases),)


DUT = Two()
