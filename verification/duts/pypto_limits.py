"""The DUT ``pypto.limits``: PyPTO itself, one case per probe of a limit.

A case whose probe is expected to show its limit passes if it does (``refused: active``); any other case passes if the
probe's numbers are right. What is expected stands in ``verification/limits/expected``.

A case with the parameter ``removal`` runs another DUT's case after a workaround was taken out of that DUT, for good: it
is no case of the suite, and fails where the removal is caught.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import torch

from bsa import _pypto
from stimuli.case import Case
from stimuli.stimulus import Stimulus
from stimuli.suite import SuiteSpec
from verification.dut import Call, Capacity, Dut, OutputSpec, References, find_duts, waits
from verification.limits import LIMITS, Limit, Probe
from verification.limits.expectation import Expectation, expectation_for
from verification.limits.limit import ACTIVE
from verification.limits.order import launch_order
from verification.limits.probing import build, launch
from verification.limits.removals import Removal, find_removal
from verification.mutants.loader import load_mutant

NAME = "pypto.limits"
SUITE = "limits"


class PyptoLimits:
    """Binds the probes as cases."""

    name = NAME

    def outputs(self, case: Case) -> tuple[OutputSpec, ...]:
        """The probe's one output."""
        if "removal" in case.params:
            return _target(case.params).outputs(_removal(case.params).case)
        probe = _probe(case.params)
        answer = probe.answer(*probe.inputs(0))
        return (OutputSpec(name="y", dtype=_dtype(answer), dims=("b", "row", "d")[3 - answer.dim() :]),)

    def stimuli(self, case: Case) -> Iterator[Stimulus]:
        """The calls of the probe, or of the case that a removal runs."""
        if "removal" in case.params:
            for stimulus in _target(case.params).stimuli(_removal(case.params).case):
                yield replace(stimulus, facts={**stimulus.facts, "removal": case.params["removal"]})
            return
        probe = _probe(case.params)
        for call in range(probe.calls):
            tensors = {f"x{place}": tensor for place, tensor in enumerate(probe.inputs(call))}
            yield Stimulus(tensors=tensors, arguments=dict(case.params))

    def references(self, stimulus: Stimulus) -> References:
        """The probe's own answer, or the references of the DUT that a removal changes."""
        if "removal" in stimulus.facts:
            return _target(stimulus.facts).references(stimulus)
        answer = _probe(stimulus.arguments).answer(*stimulus.tensors.values())
        same = answer.to(getattr(torch, _dtype(answer)))
        return References(gold={"y": answer.double()}, same={"y": same})

    def call(self, stimulus: Stimulus, call: Call) -> Mapping[str, torch.Tensor]:
        """Runs the probe.

        Raises:
            ProbeFailedError: it shows its limit, or fails otherwise.
        """
        if "removal" in stimulus.facts:
            return _without(stimulus, call)
        arguments = stimulus.arguments
        kernel = _kernel(int(arguments["limit"]), str(arguments["probe"]))
        return {"y": launch(_probe(arguments), kernel, list(stimulus.tensors.values()))}

    def capacity(self, case: Case, run_mode: str) -> Capacity:
        """The same for all: kernels of a few tiles."""
        del case, run_mode
        return Capacity(bytes=500 << 20, seconds=5.0)

    def expects_tasks(self, stimulus: Stimulus) -> bool:
        """A kernel that returns has run."""
        return "removal" not in stimulus.facts or _target(stimulus.facts).expects_tasks(stimulus)

    def facts(self, case: Case, stimulus: Stimulus) -> Mapping[str, Any]:
        """Which limit, and in which role the probe stands to it."""
        del stimulus
        if "removal" in case.params:
            return {"removal": case.params["removal"]}
        return {"limit": case.params["limit"], "role": _probe(case.params).role}

    def kernel_sources(self) -> tuple[str, ...]:
        """The files of the limits."""
        return tuple(sorted(_file(probe) for limit in LIMITS.values() for probe in limit.probes))

    def suites(self) -> tuple[SuiteSpec, ...]:
        """One suite, with what the installed PyPTO is expected to do."""
        expectation = expectation_for(_installed())
        cases = tuple(probe_case(limit, probe, expectation) for limit in LIMITS.values() for probe in limit.probes)
        return (SuiteSpec(name=SUITE, title="PyPTO's limits", cases=cases),)


def probe_case(limit: Limit, probe: Probe, expectation: Expectation) -> Case:
    """The case of one probe."""
    active = expectation.finding("sim", limit.number, probe.name).status == ACTIVE
    return Case(
        dut=NAME,
        params={"limit": limit.number, "probe": probe.name},
        name=f"{SUITE}/{limit.number:02d} {probe.name}",
        modes=("sim",),
        expect="refused: active" if active else "pass",
    )


def removal_case(removal: Removal) -> Case:
    """The case that runs a DUT without one of its workarounds."""
    return Case(dut=NAME, params={"removal": removal.name}, name=f"removals/{removal.name}", modes=("sim",))


def _without(stimulus: Stimulus, call: Call) -> Mapping[str, torch.Tensor]:
    """Takes the workaround out of the DUT in this process, then calls it."""
    load_mutant(_removal(stimulus.facts).mutant, Path.cwd())
    target = _target(stimulus.facts)
    with launch_order() if waits(target) else nullcontext():
        return target.call(stimulus, call)


def _removal(params: Mapping[str, Any]) -> Removal:
    return find_removal(str(params["removal"]))


def _target(params: Mapping[str, Any]) -> Dut:
    """The DUT that a removal changes."""
    return find_duts()[_removal(params).mutant.dut]


def _installed() -> str:
    try:
        return _pypto.installed_version()
    except _pypto.PyptoEnvironmentError:
        return ""


def _probe(params: Mapping[str, Any]) -> Probe:
    return LIMITS[int(params["limit"])].probe(str(params["probe"]))


@cache
def _kernel(number: int, name: str) -> Callable[..., None]:
    """One kernel object serves every call of a case."""
    return build(LIMITS[number].probe(name))


def _dtype(answer: torch.Tensor) -> str:
    name = str(answer.dtype).removeprefix("torch.")
    return "float32" if name == "float64" else name


def _file(probe: Probe) -> str:
    return probe.build.__code__.co_filename


DUT = PyptoLimits()
