"""A second DUT of another distribution: nothing of the framework may grow around block-sparse attention.

``toy.double`` computes 2·x. Parameters: ``rows`` (a multiple of 64), ``misbehave`` (what the DUT does wrong on purpose,
in the child: ``segfault``, ``hang``, ``memory``, ``raise``, ``exit``, ``edit-input``, ``alias``, ``no-kernel``,
``no-tensor``, ``fill-disk``; in the reference: ``reference-loops``, ``reference-hangs``).
"""

import contextlib
import ctypes
import sys
import time
from pathlib import Path

import torch

from stimuli.case import case
from stimuli.random import Stream
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec
from verification.dut import Capacity, OutputSpec, References

DEFAULTS = {"rows": 64, "misbehave": "", "dtype": "float16", "gib": 0.5}
ENDLESS = ("reference-loops", "reference-hangs")
WRONG = ("segfault", "hang", "memory", "raise", "exit", "edit-input", "alias", "no-kernel", "no-tensor")


def toy(name, **params):
    return case("toy.double", DEFAULTS, name=name, **params)


class Toy:
    name = "toy.double"

    def outputs(self, case):
        return (OutputSpec(name="out", dtype="float16", dims=("row", "d")),)

    def stimuli(self, case):
        params = {**DEFAULTS, **case.params}
        shape = (params["rows"], 64)
        values = Stream.of(case.params, case.seed).child("x").uniform(params["rows"] * 64).reshape(shape)
        x = torch.from_numpy(values.astype("float16"))
        yield Stimulus(tensors={"x": x}, arguments={"misbehave": params["misbehave"]})

    def references(self, stimulus):
        hold_up(stimulus.arguments["misbehave"])
        gold = stimulus.tensors["x"].double() * 2
        return References(gold={"out": gold}, same={"out": gold.half()}, row_block=64)

    def call(self, stimulus, call):
        x = stimulus.tensors["x"]
        misbehave(stimulus.arguments["misbehave"], x)
        if stimulus.arguments["misbehave"] == "alias":
            return {"out": x}
        if stimulus.arguments["misbehave"] == "no-kernel":
            return {"out": x * 2}
        if stimulus.arguments["misbehave"] == "no-tensor":
            return {"out": torch.complex(x.float(), x.float())}
        from bsa._pypto import load, simulate

        load()
        import toy_kernel

        out = torch.full_like(x, float("nan"))
        with simulate(capture=False):
            toy_kernel.double(x, out)
        return {"out": out}

    def capacity(self, case, run_mode):
        return Capacity(bytes=int(case.params.get("gib", 0.5) * 2**30), seconds=0.5)

    def expects_tasks(self, stimulus):
        return True

    def facts(self, case, stimulus):
        return {"rows": stimulus.tensors["x"].shape[0]}

    def kernel_sources(self):
        return (str(Path(__file__).with_name("toy_kernel.py")),)

    def suites(self):
        return (
            SuiteSpec(name="toy", title="Toy", cases=tuple(toy(f"rows {n}", rows=n) for n in (64, 128, 192))),
            SuiteSpec(name="toy-wrong", title="Misbehaving", cases=tuple(toy(w, misbehave=w) for w in WRONG)),
            SuiteSpec(name="toy-many", title="Many", cases=tuple(toy(f"many {n}", rows=64 * n) for n in range(1, 41))),
            SuiteSpec(name="toy-full", title="Fills the disk", cases=(toy("fill-disk", misbehave="fill-disk"),)),
            SuiteSpec(name="toy-endless", title="No end", cases=tuple(toy(w, misbehave=w) for w in ENDLESS)),
            SuiteSpec(name="toy-huge", title="Too large", cases=(toy("huge", gib=1e6),)),
        )


def misbehave(kind, x):
    if kind == "segfault":
        ctypes.string_at(0)
    if kind == "hang":
        time.sleep(600)
    if kind == "memory":
        hoard = []
        while True:
            hoard.append(bytearray(b"x" * (64 << 20)))
    if kind == "fill-disk":
        with Path("large").open("wb") as file:
            while True:
                file.write(bytes(1 << 20))
    if kind == "raise":
        raise RuntimeError("declared   failure\nwith details\non more lines")
    if kind == "exit":
        sys.stderr.write("leaving without a word\n")
        ctypes.CDLL(None).exit(7)
    if kind == "edit-input":
        x.zero_()


def hold_up(kind):
    """A reference that goes on for ever: in Python, or outside it with the interpreter's lock held."""
    while kind == "reference-loops":
        with contextlib.suppress(Exception):
            time.sleep(1)
    if kind == "reference-hangs":
        mutex = ctypes.create_string_buffer(128)
        for _ in range(2):
            ctypes.PyDLL(None).pthread_mutex_lock(mutex)


DUT = Toy()
