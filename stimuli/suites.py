"""The suites of the attention passes."""

from __future__ import annotations

from stimuli import faults, field, published, smoke
from stimuli.errors import StimulusError
from stimuli.suite import SuiteSpec

FORWARD_DUT = "bsa.forward"


def forward_suites(dut: str = FORWARD_DUT) -> tuple[SuiteSpec, ...]:
    """The suites of a forward pass.

    Args:
        dut: the DUT that the cases are for: ours, or another with the same interface.

    Returns:
        ``smoke``, ``published``, ``published-newer``, ``perf``, ``field`` and ``faults``. The published modes are
        aliases of suite ``published``: ``precision`` and ``non-aligned``; ``perf`` is a suite.
    """
    return (
        SuiteSpec(name="smoke", title="The smallest cases", cases=smoke.forward_cases(dut)),
        SuiteSpec(
            name="published",
            title="Published forward cases",
            cases=published.forward_cases(dut),
            gates=("published",),
            aliases={
                "quick": published.quick(),
                "precision": published.aligned("forward"),
                "non-aligned": published.non_aligned("forward"),
            },
        ),
        SuiteSpec(
            name="published-newer",
            title="Shapes of a later version of the published tests",
            cases=published.newer_cases(dut),
            nightly=True,
        ),
        SuiteSpec(name="perf", title="Dense shapes with published times", cases=published.performance_cases(dut)),
        SuiteSpec(name="field", title="Inputs from public bug reports", cases=field.forward_cases(dut)),
        SuiteSpec(name="faults", title="Faults of the published kernel", cases=faults.forward_cases(dut)),
    )


def suite(name: str, dut: str = FORWARD_DUT) -> SuiteSpec:
    """One suite by name.

    Raises:
        StimulusError: there is no such suite.
    """
    by_name = {item.name: item for item in forward_suites(dut)}
    if name not in by_name:
        raise StimulusError(argument="suite", value=name, legal=f"one of {', '.join(by_name)}")
    return by_name[name]
