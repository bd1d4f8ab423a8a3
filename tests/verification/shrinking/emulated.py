"""Attempts at cases in this process: the same-precision reference with a planted fault in place of a kernel."""

from dataclasses import replace

import torch

from stimuli.attention import make_forward
from stimuli.case import Case
from stimuli.parameters import FORWARD_DEFAULTS
from verification.dut import find_duts
from verification.record import FAIL, PASS, Record
from verification.scoreboard import judge

DUT = "bsa.forward"


def forward_case(**params):
    """A forward case."""
    return Case(dut=DUT, params=params)


def attempted(fault):
    """A function that runs a case with the fault in it: fault(stimulus, right outputs, all parameters) -> outputs."""

    def attempt(case):
        dut = find_duts()[DUT]
        full = {**FORWARD_DEFAULTS, **case.params}
        stimulus = make_forward(case.params, case.seed)
        references = dut.references(stimulus)
        right = {name: tensor.clone() for name, tensor in references.same.items()}
        found = fault(stimulus, right, full)
        outputs = judge(found, references, dut.outputs(case), dtype=full["dtype"])
        return record_of(case, outputs)

    return attempt


def record_of(case, outputs=(), *, verdict="", reason=""):
    """A record of one attempt."""
    passed = all(output.passed for output in outputs)
    return Record(
        run_id="r",
        case_id=case.id,
        attempt=1,
        case=case.to_json(),
        suites=(),
        backend="fake",
        run_mode="sim",
        verdict=verdict or (PASS if passed else FAIL),
        reason=reason,
        started="",
        finished="",
        replay="",
        outputs=tuple(outputs),
    )


def with_tensors(stimulus, **tensors):
    """What the reference makes of other tensors."""
    changed = replace(stimulus, tensors={**stimulus.tensors, **tensors})
    return dict(find_duts()[DUT].references(changed).same)


def tail_block(stimulus, right, full):
    """A KV block cut short by the length is not attended to."""
    block = full["block_shape"][1]
    lengths = full["lengths_kv"] or [full["seq_kv"]] * full["batch"]
    whole = [length // block * block for length in lengths]
    return dict(
        find_duts()[DUT]
        .references(replace(stimulus, arguments={**stimulus.arguments, "actual_seq_lengths_kv": whole}))
        .same
    )


def head_map(stimulus, right, full):
    """Query head h reads key head h modulo their number."""
    order = [head % full["heads_kv"] for head in range(full["heads_q"])]
    keys = {name: stimulus.tensors[name][:, order] for name in ("key", "value")}
    return with_tensors(stimulus, **keys)


def second_batch(stimulus, right, full):
    """The second batch reads the keys of the first."""
    order = [0 if batch == 1 else batch for batch in range(full["batch"])]
    keys = {name: torch.stack([stimulus.tensors[name][batch] for batch in order]) for name in ("key", "value")}
    return with_tensors(stimulus, **keys)
