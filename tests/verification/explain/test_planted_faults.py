"""The first statement that leaves what its variable should be is the one in which a fault is planted."""

import pytest

from tests.verification.explain.planted import Fault, explained

FORWARD, BACKWARD = "block_sparse_attention_forward", "block_sparse_attention_backward"
WIDE, CHUNKED = {}, {"most_blocks": 1}


def forward(find, replace, *, function=FORWARD, count=1):
    return Fault("bsa.forward", "smoke/tails", function, find, replace, count)


def backward(find, replace, *, function, count=1):
    return Fault("bsa.backward", "smoke/tails", function, find, replace, count)


_VIEWS = {
    "another key row": forward(
        "k = pypto.view(key, [block_kv, dim], [at,", "k = pypto.view(key, [block_kv, dim], [at + 7,", function="gather"
    ),
    "another value row": forward(
        "v = pypto.view(value, [block_kv, dim], [at,",
        "v = pypto.view(value, [block_kv, dim], [at + 7,",
        function="gather",
    ),
}
FORWARD_FAULTS = {
    **_VIEWS,
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
    "carried sum": forward("sum_so_far[:] = total", "sum_so_far[:] = maximum"),
    "carried output": forward("out_so_far[:] = collected", "out_so_far[:] = added"),
    "running total": forward(
        "total = pypto.add(pypto.mul(sum_before, fade)", "total = pypto.add(pypto.mul(sum_before, sum_before)"
    ),
}
_WEIGHTS = "pypto.sub(pypto.mul(scores, scale), log_sum)"
BACKWARD_FAULTS = {
    "dP": backward("d_weights = pypto.matmul(do, v", "d_weights = pypto.matmul(q, v", function="query_share"),
    "lse row": backward("[block_q, 1], [row, head]", "[block_q, 1], [row + 1, head]", function="query_share", count=2),
    "P": backward(_WEIGHTS, _WEIGHTS.replace("log_sum", "pypto.mul(log_sum, 1.44)"), function="query_share"),
    "dS": backward("pypto.sub(d_weights, dot)", "pypto.add(d_weights, dot)", function="query_share"),
    "dQ share": backward("pypto.matmul(d_scores, k, fp32)", "pypto.matmul(d_scores, v, fp32)", function="query_share"),
    "dV share": backward("pypto.cast(weights, data), do,", "pypto.cast(weights, data), q,", function="key_shares"),
    "dK share": backward("pypto.matmul(d_scores, q,", "pypto.matmul(d_scores, do,", function="key_shares"),
    "dK scale": backward("u, scale, dk)", "u, 2.0 * scale, dk)", function=BACKWARD, count=3),
    "dV scaled": backward("u, None, dv)", "u, scale, dv)", function=BACKWARD, count=3),
}


def check(found, fault):
    first = next(one["divergence"] for one in found if one["divergence"] is not None)
    called = first["called_from"] or (0, "")
    assert {first["line"], called[0]} & fault.statements(), first
    assert first["source"]
    assert first["indices"]
    assert first["why"] or first["expected"] != first["found"]
    return first


@pytest.mark.parametrize("name", FORWARD_FAULTS)
def test_fault_of_whole_rows(forked, tmp_path, name):
    fault = FORWARD_FAULTS[name]
    check(forked(explained, fault, fault.dut, fault.case, WIDE, tmp_path), fault)


@pytest.mark.parametrize("name", CHUNKED_FAULTS)
def test_fault_of_chunks(forked, tmp_path, name):
    fault = CHUNKED_FAULTS[name]
    first = check(forked(explained, fault, fault.dut, fault.case, CHUNKED, tmp_path), fault)
    assert [name for name, _ in first["indices"]] == ["index", "chunk"]


@pytest.mark.parametrize("name", BACKWARD_FAULTS)
def test_fault_of_the_backward(forked, tmp_path, name):
    fault = BACKWARD_FAULTS[name]
    check(forked(explained, fault, fault.dut, fault.case, {}, tmp_path), fault)


@pytest.mark.parametrize(
    ("dut", "case", "config"),
    [
        ("bsa.forward", "smoke/tails", WIDE),
        ("bsa.forward", "smoke/tails", CHUNKED),
        ("bsa.backward", "smoke/batches of mixed lengths", {}),
        ("bsa.backward", "smoke/packed, BF16", {}),
    ],
)
def test_right_kernel_agrees_in_every_statement(forked, tmp_path, dut, case, config):
    for one in forked(explained, None, dut, case, config, tmp_path):
        assert one["divergence"] is None
        assert one["compared"] > 20
        assert one["unknown"] == ()
        assert one["off"] < 0.02
