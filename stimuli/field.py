"""Inputs from public bug reports about attention kernels, as named cases ``field/F01 …``.

F16 is about the judge and has no input of its own: tests give the judge such kernels (tests/verification/judge).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from stimuli.case import MODES, Case, case
from stimuli.parameters import BACKWARD_DEFAULTS, FORWARD_DEFAULTS

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

Variant = tuple[str, str]
"""(layout, dtype)."""

PLAIN: Variant = ("BNSD", "float16")
PACKED: Variant = ("TND", "bfloat16")
CROSSED: tuple[Variant, ...] = (("TND", "float16"), ("BNSD", "bfloat16"))
_SHORT = {"float16": "FP16", "bfloat16": "BF16"}
_FEW_TILES: Mapping[str, Any] = {"block_shape": [128, 128], "seq_q": 168, "seq_kv": 300}
"""Two by three blocks, each side with a tail: enough where the heads or the strides are the point."""
_TAIL = 212
"""TND: padding rows after the last sequence, where the BNSD form has padding."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """One input of a bug report, before layout and dtype are chosen."""

    number: str
    text: str
    params: Mapping[str, Any]
    program: Mapping[str, Any] = field(default_factory=lambda: {"kind": "once"})
    modes: tuple[str, ...] = MODES
    expect: str = "pass"
    seed: int = 0
    layouts: tuple[str, ...] = ("BNSD", "TND")


def forward_cases(dut: str, variants: Iterable[Variant] = (PLAIN,)) -> tuple[Case, ...]:
    """F01 to F15 in their forward forms, each in every variant that makes sense for it."""
    return _expand(FORMS, dut, FORWARD_DEFAULTS, variants)


def backward_cases(dut: str, variants: Iterable[Variant] = (PLAIN, PACKED)) -> tuple[Case, ...]:
    """F01 to F15, F14 apart, in their backward forms."""
    return _expand(BACKWARD_FORMS, dut, BACKWARD_DEFAULTS, variants)


def _expand(
    forms: Iterable[Form], dut: str, defaults: Mapping[str, Any], variants: Iterable[Variant]
) -> tuple[Case, ...]:
    listed = list(forms)
    return tuple(
        _case(form, dut, defaults, variant) for variant in variants for form in listed if variant[0] in form.layouts
    )


def _case(form: Form, dut: str, defaults: Mapping[str, Any], variant: Variant) -> Case:
    layout, dtype = variant
    params = {**form.params, "layout": layout, "dtype": dtype}
    if layout == "TND" and "padding" in form.params:
        params["tail"] = _TAIL
    suffix = "" if variant == PLAIN else f" {layout} {_SHORT[dtype]}"
    return case(
        dut,
        defaults,
        name=f"field/{form.number} {form.text}{suffix}",
        source=SOURCES[form.number],
        program=form.program,
        modes=form.modes,
        expect=form.expect,
        seed=form.seed,
        **params,
    )


def _short() -> list[Form]:
    """F01, F07: sequences of one token."""
    one: dict[str, Any] = {"seq_q": 1, "seq_kv": 1}
    wide = {"query": "normal:3", "key": "normal:3", "value": "integers:3"}
    three: dict[str, Any] = {"batch": 3, "seq_q": 146, "seq_kv": 1, "lengths_q": [76, 34, 146], "lengths_kv": [1, 1, 1]}
    return [
        Form(number="F01", text="integer V", params={**one, "values": wide}),
        Form(number="F01", text="random V", params={**one, "values": "normal:3"}),
        Form(number="F07", text="integer V", params={**three, "values": {"value": "integers:3"}}),
        Form(number="F07", text="random V", params=three),
    ]


def _shapes() -> list[Form]:
    """F02, F03, F05, F06, F15: tails, rectangles, dense, heads, block counts."""
    two: dict[str, Any] = {"batch": 2, "heads_q": 2, "heads_kv": 2, "mask": "dense"}
    forms = [Form(number="F02", text=f"S{size}", params={**two, "seq_q": size, "seq_kv": size}) for size in (296, 256)]
    for rows, columns in ((256, 1536), (1024, 512)):
        shape = {"seq_q": rows, "seq_kv": columns, "mask": "dense"}
        forms.append(Form(number="F03", text=f"{rows}x{columns}", params=shape))
        forms.append(Form(number="F03", text=f"{rows}x{columns}, K=0", params={**shape, "values": "zero_key"}))
    long: dict[str, Any] = {"seq_q": 1024, "seq_kv": 1024}
    forms.append(Form(number="F05", text="all ones", params={**long, "mask": "dense"}))
    forms.append(Form(number="F05", text="no mask", params={**long, "mask": "none"}))
    for heads_q, heads_kv in ((8, 2), (14, 2), (28, 4), (4, 4), (6, 1), (4, 2)):
        heads = {"heads_q": heads_q, "heads_kv": heads_kv, **_FEW_TILES}
        forms.append(Form(number="F06", text=f"Hq{heads_q} Hkv{heads_kv}", params=heads))
    for block in (64, 128):
        blocks = {"seq_q": 5 * block, "seq_kv": 7 * block + 9, "block_shape": [block, block], "mask": "counts"}
        forms.append(Form(number="F15", text=f"{block}x{block} blocks", params={"heads_q": 2, **blocks}))
    return forms


def _values() -> list[Form]:
    """F08, F09: the numerical range of the softmax."""
    cold = {"query": "near:90", "key": "near:-90"}
    counted: dict[str, Any] = {"seq_kv": 1024, "mask": "dense", "values": "zero_key"}
    return [
        Form(number="F08", text="logits near -9.2e4", params={"seq_kv": 512, "lengths_kv": [300], "values": cold}),
        *(
            Form(number="F09", text=f"{keys} keys", params={**counted, "lengths_kv": [keys]})
            for keys in (1, 300, 512, 1024)
        ),
    ]


def _memory() -> list[Form]:
    """F04, F10, F11, F14: rows that select nothing, padding, strides, offsets."""
    empty: dict[str, Any] = {"heads_q": 2, "heads_kv": 2, "seq_q": 512, "seq_kv": 1024}
    empty |= {"mask": {"family": "empty_rows"}, "values": {"value": "shifted:1"}}
    padded: dict[str, Any] = {"seq_q": 512, "seq_kv": 512, "lengths_q": [300], "padding": "large"}
    huge: dict[str, Any] = {"heads_q": 32, "heads_kv": 32, "seq_q": 16384, "seq_kv": 16384}
    huge |= {"mask": {"family": "counts", "counts": [8]}}
    given = {"lengths_q": [512], "lengths_kv": [1024]}
    return [
        Form(number="F04", text="no lengths", params=empty, layouts=("BNSD",)),
        Form(number="F04", text="lengths given", params={**empty, **given}),
        Form(number="F10", text="rows from 300 on = 1e3", params=padded),
        *(_strided(f"{name} in BSND", {name: "bsnd"}) for name in ("value", "query", "key")),
        *(_strided(kind, kind) for kind in ("bsnd", "transposed", "expanded", "offset")),
        Form(number="F14", text="S16384", params=huge, modes=("sim",), expect="refused: capacity", layouts=("BNSD",)),
        Form(number="F14", text="S16384 on a card", params=huge, modes=("npu",), seed=1, layouts=("BNSD",)),
    ]


def _strided(text: str, strides: str | Mapping[str, str]) -> Form:
    heads = {"heads_q": 4, "heads_kv": 2, **_FEW_TILES}
    return Form(number="F11", text=text, params={**heads, "strides": strides})


def _runs() -> list[Form]:
    """F12, F13: calls that follow one another."""
    sparse: dict[str, Any] = {"heads_q": 2, "heads_kv": 1, "seq_q": 512, "seq_kv": 1536, "density": 0.5}
    long: dict[str, Any] = {"heads_q": 4, "heads_kv": 4, "seq_q": 2048, "seq_kv": 128}
    twice, often = {"kind": "repeat", "times": 2}, {"kind": "repeat", "times": 50}
    return [
        Form(number="F12", text="mask edited in place", program={"kind": "edit_mask"}, params=sparse),
        Form(number="F12", text="mask freed and replaced", program={"kind": "replace_mask"}, params=sparse),
        Form(number="F13", text="repeated", program=twice, modes=("sim",), params=long),
        Form(number="F13", text="repeated 50 times", program=often, modes=("npu",), params={**long, "batch": 4}),
    ]


def _to_backward(form: Form) -> Form:
    """The same input with a gradient; dO = 1 where V holds integers, so that dQ and dK are exactly zero."""
    extra = {"dout": "constant:1"} if form.text == "integer V" else {}
    return replace(form, params={**form.params, **extra})


FORMS = tuple(sorted((*_short(), *_shapes(), *_values(), *_memory(), *_runs()), key=lambda form: form.number))
"""Forward forms, by number."""

BACKWARD_FORMS = tuple(
    sorted(
        (
            *(_to_backward(form) for form in FORMS if form.number != "F14"),
            *(_strided(f"{name} in BSND", {name: "bsnd"}) for name in ("dout", "attention_out")),
        ),
        key=lambda form: form.number,
    )
)
"""Backward forms, by number. F14 is about the forward's masks."""
