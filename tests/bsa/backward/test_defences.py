"""Each defence against padding is needed: the kernel without it fails, or dirty padding changes its results.

A kernel's view states which rows exist (its valid_shape). Where an operation meets two operands that disagree about
that, PyPTO refuses the kernel; where all of them are wrong together, padding enters the sums.
"""

from __future__ import annotations

import math

import pytest

from bsa._pypto import KernelError
from tests.bsa.backward import mutants
from tests.bsa.backward.calls import Contract, call, dirty, failures, judge, tensors_of
from tests.support.warm_process import WarmProcess

RAGGED = Contract(
    batch=2,
    heads_q=4,
    heads_kv=2,
    seq_q=80,
    seq_kv=90,
    lengths_q=(72, 33),
    lengths_kv=(70, 90),
    block_shape=(32, 16),
    density=0.7,
)


def caught(function: str, names: tuple[str, ...], fill: float, soiled: tuple[str, ...]) -> list[str]:
    """Return the gradients that a kernel without these valid_shapes gets wrong when padding holds ``fill``.

    Returns:
        Their names, or ``["refused"]`` where PyPTO does not compile such a kernel.
    """
    mutants.install(mutants.without_valid_shape(function, names))
    given = tensors_of(RAGGED)
    try:
        grad = call(RAGGED, dirty(RAGGED, given, fill, soiled))
    except KernelError:
        return ["refused"]
    return [verdict.name for verdict in failures(judge(RAGGED, given, grad))]


QUERY_SIDE = ("q", "do", "log_sum", "dot")


@pytest.mark.parametrize(
    ("function", "names", "soiled", "wrong"),
    [
        pytest.param("query_share", ("k", "v"), ("key", "value"), ["dq"], id="key tails in dQ"),
        pytest.param(
            "key_shares", QUERY_SIDE, ("query", "dout", "softmax_lse"), ["dk", "dv"], id="query tails in dK, dV"
        ),
        pytest.param("key_shares", ("log_sum",), ("softmax_lse",), ["refused"], id="LSE alone"),
        pytest.param("key_shares", ("dot",), ("attention_out",), ["refused"], id="rowsum(dO * O) alone"),
        pytest.param("query_share", ("k",), ("key",), ["refused"], id="K alone"),
        pytest.param("query_share", ("v",), ("value",), ["refused"], id="V alone"),
    ],
)
def test_defence_is_needed(
    forked: WarmProcess, function: str, names: tuple[str, ...], soiled: tuple[str, ...], wrong: list[str]
) -> None:
    """Without it, exactly the gradients that sum over the padded rows are wrong."""
    assert forked(caught, function, names, 1e3, soiled) == wrong


def test_rows_are_stored_up_to_the_length(forked: WarmProcess) -> None:
    """Without that, results of padded rows overwrite rows of others, or stand where zeros belong."""
    assert forked(caught, "store", ("there",), math.nan, ()) != []


def test_the_kernel_as_it_is_passes(forked: WarmProcess) -> None:
    """The same contract with NaN everywhere in the padding."""
    assert not failures(forked(with_nan))


def with_nan() -> tuple[object, ...]:
    """Return the verdicts of the unchanged kernel."""
    given = tensors_of(RAGGED)
    return judge(RAGGED, given, call(RAGGED, dirty(RAGGED, given, math.nan)))
