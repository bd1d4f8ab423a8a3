"""Axes that the spaces of both attention passes have."""

from __future__ import annotations

from typing import Any

from stimuli.space.axis import IMPLEMENTATION, Axis, Bin
from stimuli.space.sizes import CLASSES

_FEW, _OFTEN = 0.5, 3.0

HEADS: dict[str, tuple[int, int]] = {"1/1": (1, 1), "2/2": (2, 2), "4/2": (4, 2), "3/1": (3, 1), "6/1": (6, 1)}
BATCHES = {"one": 1, "two": 2, "several": 4}
BLOCKS: dict[str, tuple[int, int]] = {
    "256x512": (256, 512),
    "128x128": (128, 128),
    "64x64": (64, 64),
    "48x80": (48, 80),
    "16x16": (16, 16),
    "512x1024": (512, 1024),
}
THRESHOLDS = (1023, 1024, 1025, 2047, 2048)
"""Numbers of query rows at which the published kernel changes its compile options (its README, section 3.2)."""
BY_CLASS = "by class"
DRAWN = ("random", "per_head", "empty_rows", "unattended")
"""Mask patterns with a density."""
PATTERNS = ("full", "shorter", "mixed", "zero", "one")
VALUES = (
    "uniform",
    "normal",
    "small",
    "large",
    "negative",
    "very_negative",
    "outlier",
    "constant_key",
    "extremes",
    "exact",
    "exact_mean",
)


def _sizes(risks: dict[str, float]) -> tuple[Bin, ...]:
    return tuple(Bin(name=word, risk=risks.get(word, 0.5)) for word in CLASSES)


def _lengths(side: str) -> tuple[Bin, ...]:
    risks = {"shorter": 1.0, "mixed": 2.0, "zero": 2.0, "one": 1.0}
    given = (Bin(name=word, params={f"lengths_{side}": word}, risk=risks.get(word, 0.5)) for word in PATTERNS)
    return (Bin(name="none", params={f"lengths_{side}": None}), *given)


def _mask(family: str, risk: float, **options: Any) -> Bin:
    return Bin(name=family, params={"mask": {"family": family, **options} if options else family}, risk=risk)


def _words(parameter: str, **risks: float) -> tuple[Bin, ...]:
    """One bin per word, the first one the default."""
    return tuple(Bin(name=word, params={parameter: word}, risk=risk) for word, risk in risks.items())


_TAILS = {"one over": 1.0, "several and a tail": 1.5, "one short": 1.0, "one": 1.0}

STIMULUS_AXES = (
    Axis(
        name="batch",
        text="batches",
        bins=tuple(Bin(name=n, params={"batch": b}, risk=(b > 1) * 1.0) for n, b in BATCHES.items()),
    ),
    Axis(
        name="heads",
        text="query heads / key heads",
        bins=(
            *(
                Bin(name=name, params={"heads_q": q, "heads_kv": kv}, risk=(q > kv) * 1.0)
                for name, (q, kv) in HEADS.items()
            ),
            Bin(name="3/2", params={"heads_q": 3, "heads_kv": 2}),
        ),
    ),
    Axis(name="seq_q", text="query rows relative to the block", bins=_sizes(_TAILS)),
    Axis(name="seq_kv", text="key rows relative to the block", bins=_sizes(_TAILS)),
    Axis(name="lengths_q", text="actual query lengths", bins=_lengths("q")),
    Axis(name="lengths_kv", text="actual key lengths", bins=_lengths("kv")),
    Axis(
        name="block",
        text="query rows x key rows of a block",
        bins=(
            *(Bin(name=name, params={"block_shape": list(pair)}, risk=0.5) for name, pair in BLOCKS.items()),
            Bin(name="24x64", params={"block_shape": [24, 64]}),
        ),
    ),
    Axis(
        name="mask",
        text="which key blocks a query block selects",
        bins=(
            _mask("random", 0.0),
            Bin(name="none", params={"mask": "none"}),
            _mask("dense", 0.0),
            _mask("diagonal", 0.5),
            _mask("band", 0.5, width=32),
            _mask("block_causal", 0.5),
            _mask("column", 0.5),
            _mask("single", 0.5),
            _mask("per_head", 1.0),
            _mask("counts", 1.0),
            _mask("empty_rows", 2.0),
            _mask("unattended", 1.5),
        ),
    ),
    Axis(
        name="density",
        text="probability that a block is selected, where the mask is drawn",
        bins=tuple(Bin(name=f"{number:g}", params={"density": number}, risk=0.2) for number in (1.0, 0.6, 0.2)),
    ),
    Axis(name="layout", text="layout", bins=_words("layout", BNSD=0.0, TND=1.0)),
    Axis(
        name="dtype",
        text="dtype of query, key and value",
        bins=(*_words("dtype", float16=0.0, bfloat16=0.5), Bin(name="float32", params={"dtype": "float32"})),
    ),
    Axis(
        name="head_dim",
        text="channels of a head",
        bins=tuple(Bin(name=str(n), params={"head_dim": n}, risk=0.5, weight=_FEW) for n in (128, 64, 256, 96)),
    ),
    Axis(
        name="values",
        text="elements of query, key and value",
        bins=tuple(
            Bin(
                name=word,
                params={"values": word},
                risk=0.0 if word in VALUES[:3] else 1.0,
                weight=_OFTEN if word == "normal" else 1.0,
            )
            for word in VALUES
        ),
    ),
    Axis(
        name="padding",
        text="what memory holds beyond the actual lengths",
        bins=_words("padding", zero=0.0, large=1.0, inf=1.5, nan=2.0, drawn=0.5),
    ),
    Axis(
        name="strides",
        text="how query, key and value lie in memory",
        bins=_words("strides", contiguous=0.0, bsnd=0.5, transposed=0.5, expanded=1.0, offset=1.0),
    ),
    Axis(
        name="scale",
        text="factor of the logits",
        bins=(
            Bin(name="1/sqrt(D)", params={"scale": None}),
            Bin(name="0.125", params={"scale": 0.125}),
            Bin(name="0", params={"scale": 0.0}, risk=0.5),
            Bin(name="-0.1", params={"scale": -0.1}, risk=1.0),
        ),
    ),
)

THRESHOLD_AXIS = Axis(
    name="threshold_q",
    text="query rows at a threshold of the compile options",
    kind=IMPLEMENTATION,
    bins=(Bin(name=BY_CLASS), *(Bin(name=str(n), params={"seq_q": n}, weight=0.1) for n in THRESHOLDS)),
)


def _config(name: str, text: str, **fields: dict[str, Any]) -> Axis:
    """An implementation axis: each bin sets fields of the kernel's configuration; the first one sets none."""
    bins = tuple(Bin(name=word.replace("_", " "), params={"config": given}, risk=0.3) for word, given in fields.items())
    return Axis(name=name, text=text, kind=IMPLEMENTATION, bins=(Bin(name="default"), *bins))


FORWARD_CONFIG = (
    _config(
        "tiles",
        "tile shapes of the matrix multiplications",
        square={"values_k": [128, 128]},
        small={"scores_m": [64, 64], "scores_n": [64, 64], "values_m": [64, 64], "values_k": [64, 64]},
    ),
    _config(
        "merging",
        "tasks merged into one: matrix tasks (cube_l1_reuse_setting), vector tasks (vec_nbuffer_setting)",
        none={"l1_reuse": 1, "vector_merge": 1},
        most={"l1_reuse": 64, "vector_merge": 4},
    ),
    _config("schedule", "device_sched_mode", one={"schedule": 1}, three={"schedule": 3}),
    _config("slots", "loop iterations whose workspace may live at once", ten={"slots": 10}),
    _config(
        "unroll",
        "key blocks of a row that one pass handles whole",
        one={"most_blocks": 1},
        two={"most_blocks": 2},
    ),
)

BACKWARD_CONFIG = (
    _config(
        "tiles",
        "tile shapes of the matrix multiplications",
        square={"cube_k": [128, 128]},
        small={"cube_m": [64, 64], "cube_k": [64, 64], "cube_n": [64, 64]},
    ),
    _config(
        "merging",
        "tasks merged into one: matrix tasks (cube_l1_reuse_setting), vector tasks (vec_nbuffer_setting)",
        none={"l1_reuse": 1, "vector_merge": 1},
        most={"l1_reuse": 64, "vector_merge": 4},
    ),
    _config("slots", "loop iterations whose workspace may live at once", ten={"memory_slots": 10}),
    _config("unroll", "most columns of a vector tile of scores", narrow={"score_columns": 128}),
)

GRADIENT_AXES = (
    Axis(
        name="dout",
        text="gradient of the output; FP16 extremes have it times 1/256",
        bins=tuple(
            Bin(name=name, params={"dout": kind}, risk=0.3)
            for name, kind in (("uniform", "uniform"), ("normal", "normal"), ("one", "constant:1"), ("zero", "zero"))
        ),
    ),
    Axis(name="lse_form", text="shape of softmax_lse", bins=_words("lse_form", plain=0.0, column=0.5)),
)
QUIET = {kind: f"{kind.partition(':')[0]}:{2.0**-8}" for kind in ("uniform", "normal", "constant:1")}
"""dO by dO, where V has elements of ±65504: dQ and dK are sums of dO times V, and FP16 ends at 65504."""


def overflows(values: object, dtype: object) -> bool:
    """Whether dO of size 1 makes gradients that FP16 cannot hold, so that no result could be judged."""
    return values == "extremes" and dtype == "float16"
