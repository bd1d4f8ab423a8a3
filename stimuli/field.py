"""Inputs from public bug reports about attention kernels, as named cases ``field/F01 …``.

F16 is about the judge and has no input of its own: it is the scoreboard's self-test.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stimuli.case import MODES, Case, case
from stimuli.parameters import FORWARD_DEFAULTS

SOURCES: Mapping[str, str] = {
    "F01": "flash-attention 334: length 1",
    "F02": "tilelang 1213, jax 27224: tail block",
    "F03": "jax 24491: Sq and Skv differ",
    "F04": "onnxruntime 28904: query block that selects nothing",
    "F05": "flash-attention PR 254: all-ones mask",
    "F06": "HipKittens PR 22, ONNXim 33: GQA head map",
    "F07": "flash-attention 443: very short KV, variable lengths",
    "F08": "flashinfer 4267: true logits below a finite minus infinity",
    "F09": "sglang 40903, vllm PR 47079: base of the LSE",
    "F10": "FastVideo 1180: padded rows leak",
    "F11": "ROCm/pytorch 3230: strides",
    "F12": "sglang PR 29755 review: stale cache",
    "F13": "flash-attention 359: races, repeatability",
    "F14": "NATTEN 347: 32-bit offsets",
    "F15": "hw-native-sys/pypto 928: loop remainder",
}
"""Where each comes from, and its kind."""

_GQA = ((8, 2), (14, 2), (28, 4), (4, 4), (6, 1), (4, 2))
_EMPTY_ROW: Mapping[str, Any] = {
    "heads_q": 2,
    "heads_kv": 2,
    "seq_q": 512,
    "seq_kv": 1024,
    "mask": {"family": "empty_rows"},
    "values": {"value": "shifted:1"},
}
_REPEATED: Mapping[str, Any] = {"heads_q": 4, "heads_kv": 4, "seq_q": 2048, "seq_kv": 128}
_HUGE: Mapping[str, Any] = {
    "heads_q": 32,
    "heads_kv": 32,
    "seq_q": 16384,
    "seq_kv": 16384,
    "mask": {"family": "counts", "counts": [8]},
}


def forward_cases(dut: str) -> tuple[Case, ...]:
    """F01 to F15 in their forward forms."""
    return tuple(made for part in (_short, _shapes, _values, _memory, _runs) for made in part(dut))


def _field(
    dut: str,
    number: str,
    form: str,
    *,
    program: Mapping[str, Any] | None = None,
    modes: tuple[str, ...] = MODES,
    expect: str = "pass",
    seed: int = 0,
    **params: Any,
) -> Case:
    return case(
        dut,
        FORWARD_DEFAULTS,
        name=f"field/{number} {form}",
        source=SOURCES[number],
        program=program,
        modes=modes,
        expect=expect,
        seed=seed,
        **params,
    )


def _short(dut: str) -> list[Case]:
    """F01, F07: sequences of one token."""
    wide = {"query": "normal:3", "key": "normal:3"}
    lengths: dict[str, Any] = {"lengths_q": [76, 34, 146], "lengths_kv": [1, 1, 1]}
    return [
        _field(dut, "F01", "one token, integer V", seq_q=1, seq_kv=1, values={**wide, "value": "integers:3"}),
        _field(dut, "F01", "one token, random V", seq_q=1, seq_kv=1, values="normal:3"),
        _field(dut, "F07", "integer V", batch=3, seq_q=146, seq_kv=1, **lengths, values={"value": "integers:3"}),
        _field(dut, "F07", "random V", batch=3, seq_q=146, seq_kv=1, **lengths),
    ]


def _shapes(dut: str) -> list[Case]:
    """F02, F03, F05, F06, F15: tails, rectangles, dense, heads, block counts."""
    cases = [
        _field(dut, "F02", f"S{size}", batch=2, heads_q=2, heads_kv=2, seq_q=size, seq_kv=size, mask="dense")
        for size in (296, 256)
    ]
    for rows, columns in ((256, 1536), (1024, 512)):
        form = f"{rows}x{columns}"
        cases.append(_field(dut, "F03", form, seq_q=rows, seq_kv=columns, mask="dense"))
        cases.append(_field(dut, "F03", f"{form}, K=0", seq_q=rows, seq_kv=columns, mask="dense", values="zero_key"))
    cases.append(_field(dut, "F05", "all ones", seq_q=1024, seq_kv=1024, mask="dense"))
    cases.append(_field(dut, "F05", "no mask", seq_q=1024, seq_kv=1024, mask="none"))
    cases += [_field(dut, "F06", f"Hq{q} Hkv{kv}", heads_q=q, heads_kv=kv, seq_kv=640) for q, kv in _GQA]
    cases += [
        _field(
            dut,
            "F15",
            f"{block}x{block} blocks",
            heads_q=2,
            heads_kv=1,
            seq_q=5 * block,
            seq_kv=7 * block + 9,
            block_shape=[block, block],
            mask="counts",
        )
        for block in (64, 128)
    ]
    return cases


def _values(dut: str) -> list[Case]:
    """F08, F09: the numerical range of the softmax."""
    cold = {"query": "near:90", "key": "near:-90"}
    cases = [_field(dut, "F08", "logits near -9.2e4", seq_kv=512, lengths_kv=[300], values=cold)]
    cases += [
        _field(dut, "F09", f"{keys} keys", seq_kv=1024, lengths_kv=[keys], mask="dense", values="zero_key")
        for keys in (1, 300, 512, 1024)
    ]
    return cases


def _memory(dut: str) -> list[Case]:
    """F04, F10, F11, F14: rows that select nothing, padding, strides, offsets."""
    heads: dict[str, Any] = {"heads_q": 4, "heads_kv": 2, "seq_q": 296, "seq_kv": 600}
    given: dict[str, Any] = {"lengths_q": [512], "lengths_kv": [1024]}
    cases = [
        _field(dut, "F04", "no lengths", **_EMPTY_ROW),
        _field(dut, "F04", "lengths given", **_EMPTY_ROW, **given),
        _field(dut, "F10", "rows from 300 on = 1e3", seq_q=512, seq_kv=512, lengths_q=[300], padding="large"),
    ]
    cases += [
        _field(dut, "F11", f"{name} in BSND", **heads, strides={name: "bsnd"}) for name in ("value", "query", "key")
    ]
    cases += [_field(dut, "F11", kind, **heads, strides=kind) for kind in ("bsnd", "transposed", "expanded", "offset")]
    cases.append(_field(dut, "F14", "S16384", modes=("sim",), expect="refused: capacity", **_HUGE))
    cases.append(_field(dut, "F14", "S16384 on a card", modes=("npu",), seed=1, **_HUGE))
    return cases


def _runs(dut: str) -> list[Case]:
    """F12, F13: calls that follow one another."""
    heads: dict[str, Any] = {"heads_q": 2, "heads_kv": 1, "seq_q": 512, "seq_kv": 1536, "density": 0.5}
    npu = {"kind": "repeat", "times": 50}
    return [
        _field(dut, "F12", "mask edited in place", program={"kind": "edit_mask"}, **heads),
        _field(dut, "F12", "mask freed and replaced", program={"kind": "replace_mask"}, **heads),
        _field(dut, "F13", "repeated", program={"kind": "repeat", "times": 3}, modes=("sim",), **_REPEATED),
        _field(dut, "F13", "repeated 50 times", program=npu, modes=("npu",), batch=4, **_REPEATED),
    ]
