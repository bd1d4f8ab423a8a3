"""How large a case is: what shrinking makes smaller."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from stimuli.case import Case
from stimuli.programs import calls

Weight = tuple[int, int, float, int]

_PAIRS = (("heads_q", "seq_q"), ("heads_kv", "seq_kv"))


def weight(case: Case, full: Mapping[str, Any]) -> Weight:
    """Elements of all calls, then parameters that are not the default, then their numbers, then the text's length.

    Args:
        case: the case.
        full: its parameters, defaults included.
    """
    shared = prod(int(full.get(name, 1)) for name in ("batch", "head_dim"))
    sides = [prod(int(full.get(name, 1)) for name in pair) for pair in _PAIRS]
    elements = shared * sum(sides) * calls(case)
    numbers = sum(abs(number) for number in _numbers([case.params, case.program]))
    return elements, len(case.params), numbers, len(json.dumps([case.params, case.program]))


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
