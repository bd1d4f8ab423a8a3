"""The suites of the attention passes."""

from __future__ import annotations

from collections.abc import Mapping

from stimuli import chain, faults, field, property_cases, published, smoke
from stimuli.errors import StimulusError
from stimuli.parameters import BACKWARD_DEFAULTS, FORWARD_DEFAULTS
from stimuli.space import BACKWARD_SPACE, FORWARD_SPACE, Space
from stimuli.space.cases import Later, covering_cases
from stimuli.space.frozen import strengths
from stimuli.space.soak import soak_cases
from stimuli.suite import SuiteSpec

FORWARD_DUT = "bsa.forward"
BACKWARD_DUT = "bsa.backward"
CHAIN_DUT = "bsa.autograd"
BOTH = (field.PLAIN, field.PACKED)
"""Layouts and dtypes of suite ``field``."""
SOAK = 100
"""Cases of suite ``soak`` where no number is given."""
_PROPERTIES = "Relations between calls"


def forward_suites(dut: str = FORWARD_DUT) -> tuple[SuiteSpec, ...]:
    """The suites of a forward pass.

    Args:
        dut: the DUT that the cases are for: ours, or another with the same interface.

    Returns:
        ``smoke``, ``published``, ``published-newer``, ``published-fine``, ``published-seeds``, ``perf``, ``field``,
        ``faults`` and ``properties``. The published modes are aliases of suite ``published``: ``precision`` and
        ``non-aligned``; ``perf`` is a suite.
    """
    newer = SuiteSpec(
        name="published-newer",
        title="Shapes of a later version of the published tests",
        cases=published.newer_cases(dut),
        nightly=True,
    )
    return (
        SuiteSpec(name="smoke", title="The smallest cases", cases=smoke.forward_cases(dut)),
        *_published(dut, "forward"),
        newer,
        SuiteSpec(name="field", title="Inputs from public bug reports", cases=field.forward_cases(dut, BOTH)),
        SuiteSpec(name="faults", title="Faults of the published kernel", cases=faults.forward_cases(dut)),
        *_generated(FORWARD_SPACE, dut),
        SuiteSpec(name="properties", title=_PROPERTIES, cases=property_cases.forward_cases(dut, FORWARD_DEFAULTS)),
    )


def backward_suites(dut: str = BACKWARD_DUT) -> tuple[SuiteSpec, ...]:
    """The suites of a backward pass.

    Args:
        dut: the DUT that the cases are for.

    Returns:
        ``smoke``, ``published``, ``published-fine``, ``published-seeds``, ``perf``, ``field`` (every form as BNSD FP16
        and as TND BF16), ``field-crossed`` (TND FP16 and BNSD BF16) and ``properties``.
    """
    crossed = SuiteSpec(
        name="field-crossed",
        title="Inputs from public bug reports, layouts and dtypes exchanged",
        cases=field.backward_cases(dut, field.CROSSED),
        nightly=True,
    )
    return (
        SuiteSpec(name="smoke", title="The smallest cases", cases=smoke.backward_cases(dut)),
        *_published(dut, "backward"),
        SuiteSpec(name="field", title="Inputs from public bug reports", cases=field.backward_cases(dut)),
        crossed,
        *_generated(BACKWARD_SPACE, dut),
        SuiteSpec(name="properties", title=_PROPERTIES, cases=property_cases.backward_cases(dut, BACKWARD_DEFAULTS)),
    )


def chain_suites(dut: str = CHAIN_DUT) -> tuple[SuiteSpec, ...]:
    """Suite ``chain``: the forward and the backward kernel together."""
    return (SuiteSpec(name="chain", title="Gradients of our own outputs", cases=chain.cases(dut)),)


def _generated(space: Space, dut: str) -> tuple[SuiteSpec, ...]:
    """What is made of a space: ``pairwise``, ``triples`` where such an array is kept, and ``soak``."""
    triples = SuiteSpec(
        name="triples",
        title="Every triple of bins",
        cases=Later(lambda: covering_cases(space, dut, 3)),
        nightly=True,
    )
    return (
        SuiteSpec(name="pairwise", title="Every pair of bins", cases=Later(lambda: covering_cases(space, dut, 2))),
        *((triples,) if 3 in strengths(space) else ()),
        SuiteSpec(
            name="soak",
            title="Bins drawn at random",
            cases=Later(lambda: soak_cases(space, dut, SOAK)),
            nightly=True,
            first=lambda count: soak_cases(space, dut, count),
        ),
    )


def _published(dut: str, direction: str) -> tuple[SuiteSpec, ...]:
    """What both passes have of the published cases."""
    return (
        SuiteSpec(
            name="published",
            title=f"Published {direction} cases",
            cases=published.cases(dut, direction),
            gates=("published",),
            aliases=_modes(direction),
        ),
        SuiteSpec(
            name="published-fine",
            title="Published cases at 64x64 and 128x128 blocks",
            cases=published.fine_cases(dut, direction),
            nightly=True,
        ),
        SuiteSpec(
            name="published-seeds",
            title="Published cases at seeds 1 to 20",
            cases=published.seed_cases(dut, direction),
            nightly=True,
        ),
        SuiteSpec(
            name="perf", title="Dense shapes with published times", cases=published.performance_cases(dut, direction)
        ),
    )


def _modes(direction: str) -> Mapping[str, tuple[str, ...]]:
    """The published words for selections of cases."""
    return {
        "quick": published.quick(),
        "precision": published.aligned(direction),
        "non-aligned": published.non_aligned(direction),
    }


def suite(name: str, dut: str = FORWARD_DUT) -> SuiteSpec:
    """One suite of one of our DUTs by name.

    Raises:
        StimulusError: there is no such DUT or suite.
    """
    makers = {FORWARD_DUT: forward_suites, BACKWARD_DUT: backward_suites, CHAIN_DUT: chain_suites}
    if dut not in makers:
        raise StimulusError(argument="dut", value=dut, legal=f"one of {', '.join(makers)}")
    by_name = {item.name: item for item in makers[dut](dut)}
    if name not in by_name:
        raise StimulusError(argument="suite", value=name, legal=f"one of {', '.join(by_name)}")
    return by_name[name]
