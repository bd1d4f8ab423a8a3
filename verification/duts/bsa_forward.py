"""The DUT ``bsa.forward``: our block-sparse attention forward kernel with its host wrapper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

import bsa
from bsa.config import DEFAULT
from bsa.reference import forward_oracle, forward_same_precision
from stimuli.attention import make_forward
from stimuli.case import Case
from stimuli.programs import steps
from stimuli.space import FORWARD_SPACE
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec
from stimuli.suites import forward_suites
from verification.dut import Call, Capacity, OutputSpec, References
from verification.duts._attention import (
    exact,
    forward_operands,
    keywords,
    library_sources,
    published_facts,
    row_dims,
    selection_facts,
    selects_anything,
)
from verification.duts._capacity import forward_capacity
from verification.duts._configuration import configured
from verification.duts._dataflow import ForwardFlow
from verification.duts._sizes import forward_launch
from verification.duts._tables import check_forward_tables, selects_in, sizes_of
from verification.shadow import Launched


class BsaForward:
    """Binds kernel, references, stimuli and suites."""

    name = "bsa.forward"
    space = FORWARD_SPACE
    """What coverage is measured against."""
    waits = True
    """Cases in sim check the order of synchronize and launch."""

    def outputs(self, case: Case) -> tuple[OutputSpec, ...]:
        """O in the dtype of the case, LSE in FP32."""
        dims = row_dims(case)
        return (
            OutputSpec(name="out", dtype="input", dims=(*dims, "d")),
            OutputSpec(name="lse", dtype="float32", kind="lse", dims=dims),
        )

    def stimuli(self, case: Case) -> Iterator[Stimulus]:
        """The calls of the case's program."""
        return steps(case, make_forward)

    def references(self, stimulus: Stimulus) -> References:
        """Float64 oracle and same-precision reference of one call."""
        gold = forward_oracle(*forward_operands(stimulus), **keywords(stimulus))
        same = forward_same_precision(*forward_operands(stimulus), **keywords(stimulus))
        return References(
            gold={"out": gold.out, "lse": gold.lse},
            same={"out": same.out, "lse": same.lse},
            row_block=int(stimulus.arguments["block_shape"][0]),
            exact=exact(stimulus),
        )

    def call(self, stimulus: Stimulus, call: Call) -> Mapping[str, torch.Tensor]:
        """Runs the kernel through the library's public function."""
        result = bsa.block_sparse_attention(
            *forward_operands(stimulus),
            **keywords(stimulus),
            run_mode=call.run_mode,
            config=configured(DEFAULT, stimulus.facts.get("config")),
        )
        return {"out": result.out, "lse": result.lse}

    def dataflow(self, stimulus: Stimulus) -> ForwardFlow:
        """What the kernel's variables should hold."""
        return ForwardFlow(stimulus)

    def capacity(self, case: Case, run_mode: str) -> Capacity:
        """What the case will need, from its parameters alone."""
        return forward_capacity(case, run_mode)

    def check_contract(self, case: Case) -> None:
        """Checks the call of a case against the contract, and the fields of the configuration that it sets."""
        sizes_of(case)
        configured(DEFAULT, case.params.get("config"))

    def check_tables(self, case: Case) -> str:
        """What is wrong with the block tables of a case of any size; needs none of its tensors."""
        return check_forward_tables(case)

    def selects(self, case: Case) -> bool:
        """Whether a case selects anything at all; needs none of its tensors."""
        return selects_in(case)

    def expects_tasks(self, stimulus: Stimulus) -> bool:
        """Whether anything is selected at all."""
        return selects_anything(stimulus)

    def facts(self, case: Case, stimulus: Stimulus) -> Mapping[str, Any]:
        """What the case selects, and what was published of it."""
        return {**selection_facts(stimulus), **published_facts(case, "forward")}

    def kernel_sources(self) -> tuple[str, ...]:
        """The library's files that the forward kernel depends on."""
        return library_sources("forward.py", "tables.py", "config.py", "kernels/forward.py")

    def sized_launch(self, case: Case) -> Launched:
        """The launch of a dense case, without its tensors."""
        return forward_launch(case)

    def suites(self) -> tuple[SuiteSpec, ...]:
        """The suites of this DUT."""
        return forward_suites()


DUT = BsaForward()
