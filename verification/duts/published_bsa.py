"""The DUTs ``published.forward`` and ``published.backward``: a checkout of the published implementation, unmodified.

The environment variable ``BSA_ROOT`` names it. Without it the DUTs have no cases. Its interface has no layout, dtype or
scale; cases that would need one are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from bsa.messages import text
from stimuli.attention import make_forward
from stimuli.backward import backward_steps
from stimuli.case import Case
from stimuli.programs import steps
from stimuli.space.cases import Later
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec
from stimuli.suites import backward_suites, forward_suites
from verification.dut import Call, Capacity, OutputSpec, References
from verification.duts import bsa_backward, bsa_forward
from verification.duts._attention import MASK, gradient_specs, published_facts, selection_facts, selects_anything
from verification.duts._published import ROOT, call, configuration, root, sources
from verification.duts._published_capacity import backward_capacity, forward_capacity

_ONLY: Mapping[str, Any] = {
    "layout": "BNSD",
    "dtype": "float16",
    "head_dim": 128,
    "scale": None,
    "config": None,
    "lse_form": "plain",
}
"""What the interface fixes, by parameter."""


class _Published:
    """What both passes have in common."""

    name: str
    direction: str
    folder: str
    guest = True
    """The sources are the user's: no removal of their workarounds is known here."""
    waits = True
    """Cases in sim check the order of synchronize and launch."""

    @property
    def absent(self) -> str:
        """Why there is nothing to run; empty where there is a checkout."""
        try:
            there = root()
        except FileNotFoundError:
            return ""  # said by suites()
        return "" if there else text("error.dut.no_checkout", name=self.name, variable=ROOT)

    def expects_tasks(self, stimulus: Stimulus) -> bool:
        """Whether anything is selected at all."""
        return selects_anything(stimulus)

    def facts(self, case: Case, stimulus: Stimulus) -> Mapping[str, Any]:
        """What the case selects, and what was published of it."""
        return {**selection_facts(stimulus), **published_facts(case, self.direction)}

    def kernel_sources(self) -> tuple[str, ...]:
        """The checkout's files that this pass depends on; none without a checkout."""
        return sources("common", self.folder)


class PublishedForward(_Published):
    """Binds the forward pass of a checkout."""

    name = "published.forward"
    direction = "forward"
    folder = "FWD"

    def outputs(self, case: Case) -> tuple[OutputSpec, ...]:
        """O and LSE, as of ours."""
        return bsa_forward.DUT.outputs(case)

    def stimuli(self, case: Case) -> Iterator[Stimulus]:
        """The calls of the case's program."""
        return steps(case, make_forward)

    def references(self, stimulus: Stimulus) -> References:
        """Float64 oracle and same-precision reference of one call."""
        return bsa_forward.DUT.references(stimulus)

    def call(self, stimulus: Stimulus, call_: Call) -> Mapping[str, torch.Tensor]:
        """Runs the checkout's function. Raises whatever it raises."""
        del call_
        names = ("query", "key", "value")
        arguments = {**{name: stimulus.tensors[name] for name in names}, **_arguments(stimulus)}
        out, lse = call("bsa_fwd_impl", "block_sparse_attention_forward", "BSAForwardCallInputs", arguments)
        return {"out": out, "lse": lse}

    def capacity(self, case: Case, run_mode: str) -> Capacity:
        """What the compact copies and masks of the case will need."""
        return forward_capacity(case, run_mode)

    def suites(self) -> tuple[SuiteSpec, ...]:
        """The suites of a forward pass, less what the interface has no word for."""
        return tuple(_fitting(forward_suites(self.name))) if root() else ()


class PublishedBackward(_Published):
    """Binds the backward pass of a checkout."""

    name = "published.backward"
    direction = "backward"
    folder = "BWD"

    def outputs(self, case: Case) -> tuple[OutputSpec, ...]:
        """The three gradients."""
        return gradient_specs(case)

    def stimuli(self, case: Case) -> Iterator[Stimulus]:
        """The calls of the case's program; O and LSE are the oracle's, rounded."""
        return backward_steps(case)

    def references(self, stimulus: Stimulus) -> References:
        """The formula in float64 and the same-precision reference, on the inputs given."""
        return bsa_backward.DUT.references(stimulus)

    def call(self, stimulus: Stimulus, call_: Call) -> Mapping[str, torch.Tensor]:
        """Runs the checkout's function. Raises whatever it raises."""
        del call_
        names = ("dout", "query", "key", "value", "attention_out", "softmax_lse")
        arguments = {**{name: stimulus.tensors[name] for name in names}, **_arguments(stimulus)}
        found = call("bsa_bwd_impl", "block_sparse_attention_backward", "BSABackwardCallInputs", arguments)
        return dict(zip(("dq", "dk", "dv"), found, strict=True))

    def capacity(self, case: Case, run_mode: str) -> Capacity:
        """What the compact copies and masks of the case will need."""
        return backward_capacity(case, run_mode)

    def suites(self) -> tuple[SuiteSpec, ...]:
        """The suites of a backward pass, less what the interface has no word for."""
        return tuple(_fitting(backward_suites(self.name))) if root() else ()


def _arguments(stimulus: Stimulus) -> dict[str, Any]:
    """Mask, lengths, block shape and configuration of one call; no mask means all blocks, which it cannot say."""
    query, key = stimulus.tensors["query"], stimulus.tensors["key"]
    block_shape = (int(stimulus.arguments["block_shape"][0]), int(stimulus.arguments["block_shape"][1]))
    mask = stimulus.tensors.get(MASK)
    if mask is None:
        blocks = [-(-size // block) for size, block in zip((query.shape[2], key.shape[2]), block_shape, strict=True)]
        mask = torch.ones(*query.shape[:2], *blocks, dtype=torch.bool)
    return {
        MASK: mask,
        "actual_seq_lengths": stimulus.arguments["actual_seq_lengths"],
        "actual_seq_lengths_kv": stimulus.arguments["actual_seq_lengths_kv"],
        "block_shape": block_shape,
        "cfg": configuration(block_shape),
    }


def _fitting(specs: Iterable[SuiteSpec]) -> Iterator[SuiteSpec]:
    """Suites with the cases that the interface can express; none is made before it is looked at."""
    for spec in specs:
        first = spec.first
        yield replace(
            spec,
            cases=Later(partial(_only, spec.cases)),
            first=None if first is None else lambda count, first=first: _only(first(count)),  # type: ignore[misc]
        )


def _only(cases: Iterable[Case]) -> tuple[Case, ...]:
    return tuple(
        case
        for case in cases
        if case.expect in ("pass", "refused: capacity")
        and all(case.params.get(name, value) == value for name, value in _ONLY.items())
    )


FORWARD = PublishedForward()
BACKWARD = PublishedBackward()
