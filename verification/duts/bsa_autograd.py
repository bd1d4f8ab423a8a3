"""The DUT ``bsa.autograd``: forward and backward kernel chained by torch's autograd, judged by float64 autograd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

import bsa
from bsa.reference import (
    autograd_oracle,
    backward_same_precision,
    forward_oracle,
    forward_same_precision,
)
from stimuli.backward import make_chain
from stimuli.case import Case
from stimuli.programs import steps
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec
from stimuli.suites import chain_suites
from verification.dut import Call, Capacity, OutputSpec, References
from verification.duts._attention import (
    MASK,
    forward_operands,
    gradient_specs,
    keywords,
    library_sources,
    problem_of,
    row_dims,
    selection_facts,
    selects_anything,
)
from verification.duts._capacity import chain_capacity
from verification.duts._gradients import cancellation, live_rows, zero_rows
from verification.duts._tables import sizes_of


class BsaAutograd:
    """Binds the differentiable function, references, stimuli and suites."""

    name = "bsa.autograd"
    why_no_space = "coverage.why_no_space.chain"
    """Key of the message that says why it has no stimulus space."""
    waits = True
    """Cases in sim check the order of synchronize and launch."""

    def outputs(self, case: Case) -> tuple[OutputSpec, ...]:
        """The output and the three gradients, in the dtype of the case."""
        return (OutputSpec(name="out", dtype="input", dims=(*row_dims(case), "d")), *gradient_specs(case))

    def stimuli(self, case: Case) -> Iterator[Stimulus]:
        """The calls of the case's program."""
        return steps(case, make_chain)

    def references(self, stimulus: Stimulus) -> References:
        """Float64 autograd, and the two same-precision references chained."""
        dout, operands = stimulus.tensors["dout"], forward_operands(stimulus)
        options = keywords(stimulus)
        query, key, value, mask = operands
        problem = problem_of(stimulus)
        rows, keys = live_rows(problem, mask)
        same = forward_same_precision(*operands, **options)
        grad = backward_same_precision(dout, query, key, value, same.out, same.lse, mask, **options)
        return References(
            gold={
                "out": forward_oracle(*operands, **options).out,
                **autograd_oracle(dout, *operands, **options)._asdict(),
            },
            same={"out": same.out, **grad._asdict()},
            row_block=problem.block_shape[0],
            kv_block=problem.block_shape[1],
            zeros={"out": ~rows, **zero_rows(rows, keys)},
            noise=cancellation(stimulus.tensors, same.out, problem.scale, query=rows, key=keys),
        )

    def call(self, stimulus: Stimulus, call: Call) -> Mapping[str, torch.Tensor]:
        """Runs forward and backward through ``torch.autograd``, on leaves that share the inputs' memory."""
        tensors = stimulus.tensors
        query, key, value = (tensors[name].detach().requires_grad_() for name in ("query", "key", "value"))
        out = bsa.block_sparse_attention_autograd(
            query, key, value, tensors.get(MASK), **keywords(stimulus), run_mode=call.run_mode
        )
        dq, dk, dv = torch.autograd.grad(out, (query, key, value), tensors["dout"])
        return {"out": out.detach(), "dq": dq, "dk": dk, "dv": dv}

    def capacity(self, case: Case, run_mode: str) -> Capacity:
        """What the case will need, from its parameters alone."""
        return chain_capacity(case, run_mode)

    def check_contract(self, case: Case) -> None:
        """Checks the calls of a case against the contract, which is one for both passes."""
        sizes_of(case)

    def expects_tasks(self, stimulus: Stimulus) -> bool:
        """Whether anything is selected at all."""
        return selects_anything(stimulus)

    def facts(self, case: Case, stimulus: Stimulus) -> Mapping[str, Any]:
        """What the case selects."""
        del case
        return selection_facts(stimulus)

    def kernel_sources(self) -> tuple[str, ...]:
        """The library's files that the two kernels depend on."""
        return library_sources("autograd.py", "forward.py", "backward.py", "tables.py", "config.py", "kernels/*.py")

    def suites(self) -> tuple[SuiteSpec, ...]:
        """The suites of this DUT."""
        return chain_suites()


DUT = BsaAutograd()
