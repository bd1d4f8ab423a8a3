"""Faults that can be planted in a DUT, to see whether the environment notices.

A name is either one of ``FAULTS``, which change what the *same* kernel is told, or a mutant's
(:mod:`verification.mutants`), which changes the kernel's or its wrapper's own statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from stimuli.stimulus import Stimulus
from verification.mutants import MUTANTS


def plant(fault: str, stimulus: Stimulus) -> Stimulus:
    """The stimulus that a DUT with this fault sees.

    Args:
        fault: a name in ``FAULTS``, a mutant's name, or empty for none.
        stimulus: what the DUT should see.

    Raises:
        ValueError: no such fault.
    """
    if not fault or fault in MUTANTS:
        return stimulus
    if fault not in FAULTS:
        raise ValueError(f"fault: {fault!r} is none of {', '.join([*FAULTS, *MUTANTS])}")
    return FAULTS[fault](stimulus)


def _scale_doubled(stimulus: Stimulus) -> Stimulus:
    scale = stimulus.arguments.get("scale")
    if scale is None:
        scale = stimulus.tensors["query"].shape[-1] ** -0.5
    return replace(stimulus, arguments={**stimulus.arguments, "scale": 2.0 * scale})


FAULTS: Mapping[str, Callable[[Stimulus], Stimulus]] = {"scale-doubled": _scale_doubled}
