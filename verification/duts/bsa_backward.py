"""The DUT ``bsa.backward``: our block-sparse attention backward kernel with its host wrapper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

import bsa
from bsa.kernels.backward_config import DEFAULT
from bsa.reference import backward_oracle, backward_same_precision
from stimuli.backward import backward_steps
from stimuli.case import Case
from stimuli.space import BACKWARD_SPACE
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec
from stimuli.suites import backward_suites
from verification.dut import Call, Capacity, OutputSpec, References
from verification.duts._attention import (
    MASK,
    gradient_specs,
    keywords,
    library_sources,
    problem_of,
    published_facts,
    selection_facts,
    selects_anything,
)
from verification.duts._capacity import backward_capacity
from verification.duts._configuration import configured
from verification.duts._dataflow import BackwardFlow
from verification.duts._gradients import cancellation, live_rows, zero_rows
from verification.duts._sizes import backward_launch
from verification.duts._tables import check_backward_tables, selects_in, sizes_of
from verification.shadow import Launched

Operands = tuple[
    torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None
]


class BsaBackward:
    """Binds kernel, references, stimuli and suites."""

    name = "bsa.backward"
    space = BACKWARD_SPACE
    """What coverage is measured against."""
    waits = True
    """Cases in sim check the order of synchronize and launch."""

    def outputs(self, case: Case) -> tuple[OutputSpec, ...]:
        """The three gradients, in the dtype of the case."""
        return gradient_specs(case)

    def stimuli(self, case: Case) -> Iterator[Stimulus]:
        """The calls of the case's program; O and LSE are the oracle's, rounded."""
        return backward_steps(case)

    def references(self, stimulus: Stimulus) -> References:
        """The formula in float64 and the same-precision reference, on the inputs given."""
        problem, tensors = problem_of(stimulus), stimulus.tensors
        query, key = live_rows(problem, tensors.get(MASK))
        return References(
            gold=backward_oracle(*_operands(stimulus), **keywords(stimulus))._asdict(),
            same=backward_same_precision(*_operands(stimulus), **keywords(stimulus))._asdict(),
            row_block=problem.block_shape[0],
            kv_block=problem.block_shape[1],
            zeros=zero_rows(query, key),
            noise=cancellation(tensors, tensors["attention_out"], problem.scale, query=query, key=key),
        )

    def call(self, stimulus: Stimulus, call: Call) -> Mapping[str, torch.Tensor]:
        """Runs the kernel through the library's public function."""
        operands, options = _operands(stimulus), keywords(stimulus)
        config = configured(DEFAULT, stimulus.facts.get("config"))
        return bsa.block_sparse_attention_grad(*operands, **options, run_mode=call.run_mode, config=config)._asdict()

    def dataflow(self, stimulus: Stimulus) -> BackwardFlow:
        """What the kernel's variables should hold."""
        return BackwardFlow(stimulus)

    def capacity(self, case: Case, run_mode: str) -> Capacity:
        """What the case will need, from its parameters alone."""
        return backward_capacity(case, run_mode)

    def check_contract(self, case: Case) -> None:
        """Checks the call of a case against the contract, and the fields of the configuration that it sets."""
        sizes_of(case)
        configured(DEFAULT, case.params.get("config"))

    def check_tables(self, case: Case) -> str:
        """What is wrong with the block tables of a case of any size; needs none of its tensors."""
        return check_backward_tables(case)

    def selects(self, case: Case) -> bool:
        """Whether a case selects anything at all; needs none of its tensors."""
        return selects_in(case)

    def expects_tasks(self, stimulus: Stimulus) -> bool:
        """Whether anything is selected at all."""
        return selects_anything(stimulus)

    def facts(self, case: Case, stimulus: Stimulus) -> Mapping[str, Any]:
        """What the case selects, and what was published of it."""
        return {**selection_facts(stimulus), **published_facts(case, "backward")}

    def kernel_sources(self) -> tuple[str, ...]:
        """The library's files that the backward kernel depends on."""
        return library_sources("backward.py", "kernels/backward*.py")

    def sized_launch(self, case: Case) -> Launched:
        """The launch of a dense case, without its tensors."""
        return backward_launch(case)

    def suites(self) -> tuple[SuiteSpec, ...]:
        """The suites of this DUT."""
        return backward_suites()


def _operands(stimulus: Stimulus) -> Operands:
    """The tensors of one call in the operator's order; the mask is None where all blocks are selected."""
    tensors = stimulus.tensors
    return (
        tensors["dout"],
        tensors["query"],
        tensors["key"],
        tensors["value"],
        tensors["attention_out"],
        tensors["softmax_lse"],
        tensors.get(MASK),
    )


DUT = BsaBackward()
