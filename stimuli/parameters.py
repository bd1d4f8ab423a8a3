"""The parameters of an attention stimulus: names, frozen defaults, what is legal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from stimuli.canonical import plain, reduce_params
from stimuli.errors import StimulusError


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter.

    Attributes:
        name: its name in ``Case.params``.
        default: frozen: changing it would rename every case that leaves it out.
        accepts: whether a JSON value can be made into a stimulus (not: whether a kernel accepts it).
        legal: the values in words, for errors and docs.
        text: what it means.
    """

    name: str
    default: Any
    accepts: Callable[[Any], bool]
    legal: str
    text: str


MOST = 2**48
"""The largest size: beyond any tensor that exists; estimates from products of such sizes are still finite floats."""


def _is_int(value: Any, smallest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and smallest <= value <= MOST


def _count(value: Any) -> bool:
    return _is_int(value, 1)


def _size(value: Any) -> bool:
    return _is_int(value, 0)


def _pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_count(side) for side in value)


def _probability(value: Any) -> bool:
    return isinstance(value, float) and 0.0 <= value <= 1.0


def _lengths(value: Any) -> bool:
    return (
        value is None or isinstance(value, str) or (isinstance(value, list) and all(_is_int(x, -MOST) for x in value))
    )


def _text_or_mapping(value: Any) -> bool:
    return isinstance(value, str | dict)


def _number_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _word(value: Any) -> bool:
    return isinstance(value, str)


_FROM_0 = f"an integer from 0 to {MOST}"
_FROM_1 = f"an integer from 1 to {MOST}"
_LENGTHS = "null (none given), a pattern's name, or a list of one integer per batch"

_OPERANDS = (
    Parameter(name="batch", default=1, accepts=_count, legal=_FROM_1, text="batches"),
    Parameter(name="heads_q", default=1, accepts=_count, legal=_FROM_1, text="query heads"),
    Parameter(name="heads_kv", default=1, accepts=_count, legal=_FROM_1, text="key-value heads"),
    Parameter(name="seq_q", default=256, accepts=_size, legal=_FROM_0, text="query tokens of a batch"),
    Parameter(name="seq_kv", default=256, accepts=_size, legal=_FROM_0, text="key tokens of a batch"),
    Parameter(name="head_dim", default=128, accepts=_count, legal=_FROM_1, text="channels of a head"),
    Parameter(
        name="block_shape",
        default=[256, 512],
        accepts=_pair,
        legal=f"two integers from 1 to {MOST}",
        text="query rows and key rows of a block",
    ),
    Parameter(
        name="layout",
        default="BNSD",
        accepts=_word,
        legal="a layout's name",
        text="BNSD, or TND (packed). Data of any other name are those of BNSD, for cases about refusal",
    ),
    Parameter(
        name="dtype",
        default="float16",
        accepts=lambda value: value in ("float16", "bfloat16", "float32"),
        legal="float16, bfloat16 or float32",
        text="dtype of query, key and value",
    ),
    Parameter(
        name="mask",
        default="random",
        accepts=_text_or_mapping,
        legal='"none", a family\'s name, or {"family": name, …options}',
        text="which KV blocks each query block selects; none = no mask tensor",
    ),
    Parameter(
        name="density",
        default=1.0,
        accepts=_probability,
        legal="a number from 0 to 1",
        text="probability that a block is selected, for families that draw at random",
    ),
    Parameter(name="lengths_q", default=None, accepts=_lengths, legal=_LENGTHS, text="actual query lengths"),
    Parameter(name="lengths_kv", default=None, accepts=_lengths, legal=_LENGTHS, text="actual key lengths"),
    Parameter(
        name="values",
        default="uniform",
        accepts=_text_or_mapping,
        legal="a regime, a kind with an optional :number, or a mapping from tensor to kind",
        text="elements of query, key and value",
    ),
    Parameter(
        name="padding",
        default="zero",
        accepts=_word,
        legal="zero, large, inf, nan or drawn",
        text="what memory holds beyond the actual lengths",
    ),
    Parameter(
        name="tail",
        default=0,
        accepts=_size,
        legal=_FROM_0,
        text="TND: tokens of padding after the last sequence",
    ),
    Parameter(
        name="strides",
        default="contiguous",
        accepts=_text_or_mapping,
        legal="contiguous, bsnd, transposed, expanded, offset, or a mapping from tensor to one of them",
        text="how query, key and value lie in memory; expanded alone means key and value",
    ),
    Parameter(
        name="scale",
        default=None,
        accepts=_number_or_none,
        legal="null (1/sqrt(head_dim)) or a number",
        text="factor of the logits",
    ),
)

_CONFIG = Parameter(
    name="config",
    default=None,
    accepts=lambda value: value is None or isinstance(value, dict),
    legal="null (the kernel's own) or a mapping from fields of the kernel's configuration to values",
    text="tiles and compile options of the kernel, where they are not its own",
)

FORWARD = (*_OPERANDS, _CONFIG)
"""Parameters of a forward stimulus, in the order of the docs."""

FORWARD_DEFAULTS: Mapping[str, Any] = MappingProxyType({item.name: item.default for item in FORWARD})
"""Frozen defaults of a forward stimulus."""

CHAIN = (
    *_OPERANDS,
    Parameter(
        name="dout",
        default="uniform",
        accepts=_word,
        legal="a kind with an optional :number",
        text="elements of the gradient of the output",
    ),
)
"""Parameters of a forward pass and its gradient together."""

CHAIN_DEFAULTS: Mapping[str, Any] = MappingProxyType({item.name: item.default for item in CHAIN})
"""Frozen defaults of a forward pass and its gradient together."""

BACKWARD = (
    *CHAIN,
    Parameter(
        name="lse_form",
        default="plain",
        accepts=lambda value: value in ("plain", "column"),
        legal="plain or column",
        text="shape of softmax_lse: plain = [B, Hq, Sq] ([Tq, Hq]), column = one more axis of size 1",
    ),
    _CONFIG,
)
"""Parameters of a backward stimulus, in the order of the docs."""

BACKWARD_DEFAULTS: Mapping[str, Any] = MappingProxyType({item.name: item.default for item in BACKWARD})
"""Frozen defaults of a backward stimulus."""


def complete(params: Mapping[str, Any], parameters: tuple[Parameter, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Checks parameters and gives them in both forms.

    Args:
        params: complete or reduced.
        parameters: the axes.

    Returns:
        (reduced, complete).

    Raises:
        StimulusError: an unknown parameter, or a value that no stimulus can be made from.
    """
    defaults = {item.name: plain(item.default, argument=item.name) for item in parameters}
    reduced = reduce_params(params, defaults)
    full = {**defaults, **reduced}
    for item in parameters:
        if not item.accepts(full[item.name]):
            raise StimulusError(argument=item.name, value=full[item.name], legal=item.legal)
    return reduced, full
