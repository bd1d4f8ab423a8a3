"""The first statement that leaves what its variable should be is the one in which a fault is planted."""

import pytest

from tests.verification.explain.planted import Fault, explain_all
from verification.cli.explaining import AGREES

FORWARD, BACKWARD = "block_sparse_attention_forward", "block_sparse_attention_backward"
WIDE, CHUNKED = {}, {"most_blocks": 1}


def forward(find, replace, *, function=FORWARD, count=1):
    return Fault("bsa.forward", "smoke/tails", function, find, replace, count)


def backward(find, replace, *, function, count=1):
    return Fault("bsa.backward", "smoke/tails", function, find, replace, count)


FORWARD_FAULTS = {
    "value row": forward(
        "v = pypto.view(value, [block_kv, dim], [at,",
        "v = pypto.view(value, [block_kv, dim], [0,",
        function="gather",
    ),
    "scores": forward(
        "pypto.matmul(q, k, fp32, b_trans=True), [0",
        "pypto.mul(pypto.matmul(q, k, fp32, b_trans=True), 1.02), [0",
        function="gather",
    ),
    "scale": forward("valid_shape=[rows, keys]), scale", "valid_shape=[rows, keys]), 1.02 * scale"),
    "maximum": forward("maximum = pypto.amax(logits, -1, True)", "maximum = pypto.amin(logits, -1, True)"),
    "weights": forward(
        "weights = pypto.exp(pypto.sub(logits, maximum))", "weights = pypto.exp(pypto.sub(maximum, logits))", count=2
    ),
    "total": forward("total = pypto.sum(weights", "total = pypto.sum(pypto.mul(weights, weights)"),
    "lse": forward(
        "pypto.assemble(pypto.add(maximum, pypto.log(total))",
        "pypto.assemble(pypto.sub(maximum, pypto.log(total))",
        count=2,
    ),
    "share": forward("pypto.div(weights, total)", "pypto.mul(weights, total)"),
}
CHUNKED_FAULTS = {
    "fade": forward("fade = pypto.exp(pypto.sub(before, maximum))", "fade = pypto.exp(pypto.sub(maximum, before))"),
    "carried sum": forward("sum_so_far[:] = total", "sum_so_far[:] = fade"),
    "carried output": forward("out_so_far[:] = collected", "out_so_far[:] = pypto.mul(collected, 0.5)"),
    "running total": forward(
        "total = pypto.add(pypto.mul(sum_before, fade)", "total = pypto.add(pypto.mul(sum_before, sum_before)"
    ),
}
_WEIGHTS = "pypto.sub(pypto.mul(scores, scale), log_sum)"
BACKWARD_FAULTS = {
    "dP": backward("d_weights = pypto.matmul(do, v", "d_weights = pypto.matmul(q, v", function="query_share"),
    "lse row": backward("[block_q, 1], [row, head]", "[block_q, 1], [0 * row, head]", function="query_share", count=2),
    "P": backward(_WEIGHTS, _WEIGHTS.replace("log_sum", "pypto.mul(log_sum, 1.44)"), function="query_share"),
    "dS": backward("pypto.sub(d_weights, dot)", "pypto.add(d_weights, dot)", function="query_share"),
    "dQ share": backward("pypto.matmul(d_scores, k, fp32)", "pypto.matmul(d_scores, v, fp32)", function="query_share"),
    "dV share": backward("pypto.cast(weights, data), do,", "pypto.cast(weights, data), q,", function="key_shares"),
    "dK share": backward("pypto.matmul(d_scores, q,", "pypto.matmul(d_scores, do,", function="key_shares"),
    "dK scale": backward("u, scale, dk)", "u, 2.0 * scale, dk)", function=BACKWARD, count=3),
    "dV scaled": backward("u, None, dv)", "u, scale, dv)", function=BACKWARD, count=3),
}


RIGHT = {
    "whole rows": ("bsa.forward", "smoke/tails", WIDE),
    "chunks": ("bsa.forward", "smoke/tails", CHUNKED),
    "backward": ("bsa.backward", "smoke/batches of mixed lengths", {}),
    "packed": ("bsa.backward", "smoke/packed, BF16", {}),
}
FAULTS = {
    **{f"whole rows: {name}": (fault, WIDE) for name, fault in FORWARD_FAULTS.items()},
    **{f"chunks: {name}": (fault, CHUNKED) for name, fault in CHUNKED_FAULTS.items()},
    **{f"backward: {name}": (fault, {}) for name, fault in BACKWARD_FAULTS.items()},
}


@pytest.fixture(scope="module")
def found(forked, tmp_path_factory):
    """What is found of every planted fault, and of the right kernels."""
    runs = {name: (None, *run) for name, run in RIGHT.items()}
    runs |= {name: (fault, fault.dut, fault.case, config) for name, (fault, config) in FAULTS.items()}
    return forked(explain_all, runs, tmp_path_factory.mktemp("planted"))


@pytest.mark.parametrize("name", FAULTS)
def test_first_wrong_statement_is_the_planted_one(found, name):
    fault, _ = FAULTS[name]
    assert found[name] is not None
    first = next(one["divergence"] for one in found[name] if one["divergence"] is not None)
    called = first["called_from"] or (0, "")
    assert {first["line"], called[0]} & fault.statements(), first
    assert first["source"]
    assert first["indices"]
    assert first["why"] or first["expected"] != first["found"]


@pytest.mark.parametrize("name", CHUNKED_FAULTS)
def test_iteration_is_named(found, name):
    first = next(one["divergence"] for one in found[f"chunks: {name}"] if one["divergence"] is not None)
    assert [index for index, _ in first["indices"]] == ["index", "chunk"]


@pytest.mark.parametrize("name", RIGHT)
def test_right_kernel_agrees_in_every_statement(found, name):
    assert found[name]
    for one in found[name]:
        assert one["divergence"] is None
        assert one["compared"] > 20
        assert one["unknown"] == []
        assert one["off"] < AGREES
