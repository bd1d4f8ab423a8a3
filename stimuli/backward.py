"""The makers of backward stimuli.

What is drawn (query, key, value, dout, mask) comes from numpy alone. The output and the log-sum-exp of the forward
pass are those of the float64 oracle on these inputs, rounded to their dtypes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stimuli import padding, properties, strides
from stimuli.case import Case
from stimuli.maker import Maker
from stimuli.parameters import BACKWARD, CHAIN, complete
from stimuli.programs import steps
from stimuli.rounding import round_to
from stimuli.stimulus import MASK, Stimulus
from stimuli.tensors import Draft, HostTensor

if TYPE_CHECKING:
    import torch

ORDER = ("dout", "query", "key", "value", "attention_out", "softmax_lse", MASK)
"""Tensors in the order of the operator's signature."""


def make_chain(params: Mapping[str, Any], seed: int) -> Stimulus:
    """Makes the tensors and arguments of a forward pass and its gradient.

    Args:
        params: see :data:`stimuli.parameters.CHAIN`; missing ones have their defaults.
        seed: source of every random choice.

    Returns:
        As :func:`stimuli.attention.make_forward`, with ``dout`` in the shape of ``query``.

    Raises:
        StimulusError: a parameter that no stimulus can be made from.
    """
    return build_chain(params, seed).to_stimulus()


def build_chain(params: Mapping[str, Any], seed: int) -> Draft:
    """As :func:`make_chain`, by numpy alone."""
    reduced, full = complete(params, CHAIN)
    return _drawn(Maker(reduced, full, seed))


def make_backward(params: Mapping[str, Any], seed: int) -> Stimulus:
    """Makes the tensors and arguments of one backward call.

    Args:
        params: see :data:`stimuli.parameters.BACKWARD`; missing ones have their defaults.
        seed: source of every random choice.

    Returns:
        A stimulus with ``dout``, ``query``, ``key``, ``value``, ``attention_out`` (dtype of the case), ``softmax_lse``
        (FP32) and ``block_sparse_mask`` unless there is none. Fact ``zero``: gradients that are exactly zero. Fact
        ``config``: fields of the kernel's configuration that the case sets, or None.

    Raises:
        StimulusError: a parameter that no stimulus can be made from.
    """
    return next(backward_steps(Case(dut="backward", params=params, seed=seed)))


def backward_steps(case: Case) -> Iterator[Stimulus]:
    """The calls of a backward case; see :func:`stimuli.programs.steps`.

    After a mask was edited or replaced, ``attention_out`` and ``softmax_lse`` are those of the new mask. The relations
    of properties vary the whole stimulus, these two included.

    Args:
        case: its parameters are those of :data:`stimuli.parameters.BACKWARD`.

    Yields:
        One stimulus per call, valid until the next one is asked for.
    """
    if case.program["kind"] == properties.KIND:
        yield from steps(case, make_backward)
        return
    reduced, full = complete(case.params, BACKWARD)
    maker = Maker(reduced, full, case.seed)
    previous: Stimulus | None = None
    derived: dict[str, torch.Tensor] = {}
    for drawn in steps(case, lambda _params, _seed: _drawn(maker).to_stimulus()):
        if drawn is not previous:
            derived = _forward_results(maker, drawn)
            previous = drawn
        tensors = dict(sorted({**drawn.tensors, **derived}.items(), key=lambda item: ORDER.index(item[0])))
        yield Stimulus(tensors=tensors, arguments=drawn.arguments, facts=drawn.facts)
        if case.program["kind"] == "replace_mask":
            tensors.pop(MASK)


def _drawn(maker: Maker) -> Draft:
    tensors = {"dout": maker.tensor("dout"), **maker.operands()}
    facts = {"exact": False, "zero": _zero(maker), "config": maker.full.get("config")}
    return Draft(tensors=tensors, arguments=maker.arguments(), facts=facts)


def _zero(maker: Maker) -> list[str]:
    """Gradients that the semantics make zero.

    A row that sees one key has P = 1 whatever the logit: where dO·V is an integer that FP32 adds without rounding,
    dP - rowsum(dO * O) is 0, and so are dQ and dK.
    """
    kinds = maker.kinds
    integer = kinds["value"].startswith("integers") and kinds["dout"] in ("constant", "constant:1")
    return ["dq", "dk"] if integer and maker.one_key() else []


def _forward_results(maker: Maker, drawn: Stimulus) -> dict[str, torch.Tensor]:
    """``attention_out`` and ``softmax_lse`` of the oracle, rounded, padded and placed."""
    full = maker.full
    output, lse = _oracle(drawn)
    rounded = round_to(full["dtype"], output)
    log_sum_exp = round_to("float32", lse)
    maker.pad("attention_out", rounded, dtype=full["dtype"])
    if padding.CONTENTS[full["padding"]]:
        maker.pad("attention_out", log_sum_exp[..., None], dtype="float32")
    if full["lse_form"] == "column":
        log_sum_exp = log_sum_exp[..., None]
    placed = strides.place(rounded, dtype=full["dtype"], kind=maker.placement["attention_out"])
    return {
        "attention_out": placed.to_torch(),
        "softmax_lse": HostTensor.contiguous(log_sum_exp, dtype="float32").to_torch(),
    }


def _oracle(drawn: Stimulus) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Output and log-sum-exp in float64; zeros where the arguments contradict each other (cases about refusal)."""
    from bsa.errors import ContractError
    from bsa.reference import forward_oracle

    tensors, arguments = drawn.tensors, dict(drawn.arguments)
    arguments["block_shape"] = tuple(arguments["block_shape"])
    try:
        found = forward_oracle(tensors["query"], tensors["key"], tensors["value"], tensors.get(MASK), **arguments)
    except ContractError:
        shape = tuple(tensors["query"].shape)
        return np.zeros(shape), np.zeros(shape[:-1])
    return found.out.numpy(), found.lse.numpy()
