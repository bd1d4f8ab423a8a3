"""Faults that can be planted around a DUT, to see whether the environment notices.

A fault changes what the kernel is told, so that the *same* kernel computes something wrong; mutants of a kernel's own
statements are another matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from stimuli.stimulus import Stimulus


def plant(fault: str, stimulus: Stimulus) -> Stimulus:
    """The stimulus that a DUT with this fault sees.

    Args:
        fault: a name in ``FAULTS``, or empty for none.
        stimulus: what the DUT should see.

    Raises:
        ValueError: no such fault.
    """
    if not fault:
        return stimulus
    if fault not in FAULTS:
        raise ValueError(f"fault: {fault!r} is none of {', '.join(FAULTS)}")
    return FAULTS[fault](stimulus)


def _scale_doubled(stimulus: Stimulus) -> Stimulus:
    scale = stimulus.arguments.get("scale")
    if scale is None:
        scale = stimulus.tensors["query"].shape[-1] ** -0.5
    return replace(stimulus, arguments={**stimulus.arguments, "scale": 2.0 * scale})


FAULTS: Mapping[str, Callable[[Stimulus], Stimulus]] = {"scale-doubled": _scale_doubled}
