"""One function executes: :func:`run_case` turns a case and a backend into a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from stimuli.case import Case
from stimuli.properties import relation_of
from verification import record as r
from verification.backends import Backend
from verification.backends.execute import shared_storage
from verification.backends.observation import (
    CRASHED,
    INTERRUPTED,
    OUT_OF_MEMORY,
    RAISED,
    TIMED_OUT,
    Observation,
)
from verification.changes.host_lines import Lines, host_lines
from verification.changes.ran import loaded_since, ran, together
from verification.changes.texts import keep_texts
from verification.dut import Call, Dut, References
from verification.kernel_digest import kernel_digest
from verification.one_line import one_line
from verification.plan import Budget, Plan, PlanEntry
from verification.properties import judge_relation
from verification.sanitizer import Finding
from verification.scoreboard import digests, integrity, judge
from verification.scoreboard.cause_calls import not_finite, with_causes
from verification.suspects import with_suspects
from verification.watchdog import ReferenceTimeError, referring


@dataclass(frozen=True, kw_only=True)
class Frozen:
    """References of one call, computed and hashed before the DUT runs."""

    references: References
    input_digests: dict[str, str]
    digests: dict[str, str]
    facts: dict[str, Any]
    made: Mapping[str, Any]
    """What the maker knows of the stimulus."""
    poisoned: bool
    """Whether the inputs hold NaN or Inf."""


def run_case(entry: PlanEntry, backend: Backend, *, dut: Dut, plan: Plan, attempt: int, folder: Path) -> r.Record:
    """Runs one attempt at one case and judges it.

    The references are computed in this process and frozen before the backend runs the DUT in another one.

    Args:
        entry: the case with its suites and gates.
        backend: what executes it.
        dut: its DUT.
        plan: the run it belongs to.
        attempt: 1 for the first.
        folder: the run's folder; a failing attempt leaves its artefacts below it.

    Raises:
        BackendError: the environment cannot run anything.
    """
    started = _now()
    case = entry.case
    call = Call(run_mode=plan.run_mode, pass_filter=plan.pass_filter, fault=plan.fault, explain=plan.explain)
    refusal = _capacity_refusal(case, dut, plan)
    if refusal:
        verdict, reason = _judge_refusal(case, "capacity", refusal)
        return _record(entry, plan, backend, dut, attempt=attempt, started=started, verdict=verdict, reason=reason)
    host: Lines = {}
    try:
        with referring(case.id, plan.budget.seconds), host_lines(host):
            frozen = [] if case.expect.startswith("refused:") else freeze(case, dut)
    except (Exception, ReferenceTimeError) as error:  # noqa: BLE001 - a reference that fails is a verdict of its own
        reason = f"the reference failed: {type(error).__name__}: {error}"
        if isinstance(error, ReferenceTimeError):
            reason = f"the reference took longer than a case may: {plan.budget.seconds:.0f} s (--timeout)"
        return _record(
            entry, plan, backend, dut, attempt=attempt, started=started, verdict=r.NO_REFERENCE, reason=reason
        )
    observation = backend.run(case, dut, call, plan.budget)
    outputs, checks, unfit = _judged_safely(observation, frozen, dut, entry)
    verdict, reason = (r.FAIL, unfit) if unfit else decide(case, observation, outputs, checks, plan.budget)
    keep = f"artefacts/{case.id}-{attempt}" if verdict not in (r.PASS, r.INFRA) else ""
    try:
        backend.finish(folder / keep if keep else None)
    except OSError:
        keep = ""
    return _record(
        entry,
        plan,
        backend,
        dut,
        attempt=attempt,
        started=started,
        verdict=verdict,
        reason=reason,
        outputs=outputs,
        integrity=checks,
        input_digests=_numbered([one.input_digests for one in frozen]),
        facts=frozen[0].facts if frozen else {},
        measurement=replace(observation.measurement, ran=_ran(observation, host, folder)),
        signal=observation.signal,
        exit_code=observation.exit_code,
        stderr_tail=observation.stderr_tail if verdict != r.PASS else "",
        artefacts=keep,
    )


def freeze(case: Case, dut: Dut) -> list[Frozen]:
    """References of every call of the case, each hashed at once.

    Raises:
        Exception: whatever the reference raises.
    """
    frozen = []
    for stimulus in dut.stimuli(case):
        before = digests(stimulus.tensors)
        references = dut.references(stimulus)
        frozen.append(
            Frozen(
                references=references,
                input_digests=before,
                digests=digests(references.gold),
                facts=dict(dut.facts(case, stimulus)),
                made=stimulus.facts,
                poisoned=not_finite(stimulus.tensors),
            )
        )
    return frozen


def _ran(observation: Observation, host: Lines, folder: Path) -> Mapping[str, Mapping[str, str]]:
    """What the DUT ran and what its references did; where nobody saw the DUT's, nothing is known."""
    if not observation.measurement.ran:
        return {}
    found = together(observation.measurement.ran, ran(host, {}, since=loaded_since(), loaded=False))
    keep_texts(folder, found)
    return found


def _capacity_refusal(case: Case, dut: Dut, plan: Plan) -> str:
    need = dut.capacity(case, plan.run_mode)
    if need.bytes > plan.budget.bytes:
        return (
            f"estimated memory {need.bytes / 2**30:.1f} GiB is over the budget of {plan.budget.bytes / 2**30:.1f} GiB "
            "(--memory)"
        )
    if need.seconds > plan.budget.seconds:
        return f"estimated time {need.seconds:.0f} s is over the budget of {plan.budget.seconds:.0f} s (--timeout)"
    return ""


def _judge_refusal(case: Case, rule: str, text: str) -> tuple[str, str]:
    if case.expect == f"refused: {rule}":
        return r.PASS, ""
    return r.NOT_RUN, text


def _judged_safely(
    observation: Observation, frozen: Sequence[Frozen], dut: Dut, entry: PlanEntry
) -> tuple[tuple[r.OutputResult, ...], tuple[r.Check, ...], str]:
    """What :func:`_judged` gives, and why nothing could be judged if an output is no tensor that can be."""
    try:
        return (*_judged(observation, frozen, dut, entry), "")
    except Exception as error:  # noqa: BLE001 - whatever a foreign output makes of it, nothing passes by default
        return (), (), f"the outputs cannot be judged: {type(error).__name__}: {error}"


def _judged(
    observation: Observation, frozen: Sequence[Frozen], dut: Dut, entry: PlanEntry
) -> tuple[tuple[r.OutputResult, ...], tuple[r.Check, ...]]:
    """Every output of every call compared, and the checks on the run itself."""
    outputs: list[r.OutputResult] = []
    checks: list[r.Check] = []
    dtype = str(entry.case.params.get("dtype", "float16"))
    for number, (seen, reference) in enumerate(zip(observation.calls, frozen, strict=False), start=1):
        suffix = f"@{number}" if number > 1 else ""
        results = judge(seen.outputs, reference.references, dut.outputs(entry.case), dtype=dtype, gates=entry.gates)
        golds = [one.references.gold for one in frozen[:number]]
        results = with_causes(results, seen.outputs, golds, poisoned=reference.poisoned)
        outputs += [replace(result, name=result.name + suffix) for result in results]
        shared = (*seen.shared, *shared_storage(seen.outputs, reference.references.gold))
        checks += [
            integrity.inputs_unchanged(seen.digests_before, seen.digests_after),
            integrity.same_inputs(reference.input_digests, seen.digests_before),
            integrity.no_shared_storage(shared),
            integrity.references_unchanged(reference.digests, digests(reference.references.gold)),
        ]
    outputs += _related(observation, frozen, dut, entry.case)
    if observation.calls:
        expected = any(seen.tasks_expected for seen in observation.calls)
        checks.append(integrity.tasks_ran(observation.measurement.tasks, expected=expected))
        checks.append(integrity.log_found(observation.log_found, expected=expected))
        if observation.replay_differs is not None:
            checks.append(integrity.replay_agrees(observation.replay_differs))
            checks.append(integrity.sanitized([Finding.from_json(one) for one in observation.measurement.findings]))
        if observation.measurement.pass_filter != "none":
            checks.append(integrity.passes_agree(observation.measurement.passes, expected=expected))
    return with_suspects(outputs, dut.kernel_sources()), tuple(checks)


def _related(observation: Observation, frozen: Sequence[Frozen], dut: Dut, case: Case) -> tuple[r.OutputResult, ...]:
    """What the relation of a property says of all calls together; nothing for other cases."""
    relation = relation_of(case)
    if relation is None or len(observation.calls) != len(frozen):
        return ()
    return judge_relation(
        relation,
        [seen.outputs for seen in observation.calls],
        [one.made for one in frozen],
        dut.outputs(case),
        dtype=str(case.params.get("dtype", "float16")),
        blocks=(frozen[0].references.row_block, frozen[0].references.kv_block),
    )


def decide(
    case: Case,
    observation: Observation,
    outputs: Sequence[r.OutputResult],
    checks: Sequence[r.Check],
    budget: Budget,
) -> tuple[str, str]:
    """Verdict and reason of one attempt, the case's expectation taken into account."""
    if observation.ended in _ENDED:
        verdict, text = _ENDED[observation.ended]
        return verdict, _ending_text(text, observation, budget)
    if case.expect.startswith("refused:"):
        return _decide_refusal(case, observation)
    if observation.ended == RAISED and observation.error is not None:
        raised = f"raised {observation.error.kind}: {observation.error.message}"
        found = integrity.sanitized([Finding.from_json(one) for one in observation.measurement.findings])
        return r.FAIL, raised if found.passed else f"{found.rule}: {found.detail} ({raised})"
    failed = [
        f"{one.name}: {check.rule}: {check.detail}" for one in outputs for check in one.checks if not check.passed
    ]
    failed += [f"{check.rule}: {check.detail}" for check in checks if not check.passed]
    if case.expect.startswith("fails:"):
        wanted = case.expect.removeprefix("fails:").strip()
        caught = any(check.rule == wanted for one in outputs for check in one.checks if not check.passed)
        caught = caught or any(check.rule == wanted for check in checks if not check.passed)
        return (r.PASS, "") if caught else (r.FAIL, f"expected to fail by {wanted!r}, but: {failed or 'passed'}")
    if not outputs:
        return r.FAIL, "the DUT returned nothing to judge"
    return (r.FAIL, failed[0]) if failed else (r.PASS, "")


def _decide_refusal(case: Case, observation: Observation) -> tuple[str, str]:
    wanted = case.expect.removeprefix("refused:").strip()
    error = observation.error
    if error is not None and error.rule == wanted:
        return r.PASS, ""
    found = f"{error.kind} (rule {error.rule or 'none'}): {error.message}" if error else "it was accepted"
    return r.FAIL, f"expected a refusal by rule {wanted!r}, but {found}"


_ENDED = {
    CRASHED: (r.CRASH, "the child died"),
    TIMED_OUT: (r.TIMEOUT, "the time budget was used up"),
    OUT_OF_MEMORY: (r.MEMORY, "out of memory"),
    INTERRUPTED: (r.INFRA, "the attempt was ended from outside"),
}


def _ending_text(text: str, observation: Observation, budget: Budget) -> str:
    if observation.why:
        return f"{text}: {observation.why}"
    if observation.ended == TIMED_OUT:
        return f"{text}: {budget.seconds:.0f} s (--timeout)"
    if observation.ended == OUT_OF_MEMORY:
        return f"{text}: the budget of {budget.bytes / 2**30:.1f} GiB was used up (--memory)"
    how = f"signal {observation.signal}" if observation.signal else f"exit code {observation.exit_code}"
    last = observation.stderr_tail.strip().splitlines()
    return f"{text} ({how})" + (f": {last[-1]}" if last else "")


def _numbered(digests: Sequence[dict[str, str]]) -> dict[str, str]:
    return {
        name + (f"@{number}" if number > 1 else ""): value
        for number, one in enumerate(digests, start=1)
        for name, value in one.items()
    }


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def _record(
    entry: PlanEntry, plan: Plan, backend: Backend, dut: Dut, *, attempt: int, started: str, reason: str, **fields: Any
) -> r.Record:
    return r.Record(
        run_id=plan.run_id,
        case_id=entry.case_id,
        attempt=attempt,
        case=entry.case.to_json(),
        suites=entry.suites,
        backend=backend.name,
        run_mode=plan.run_mode,
        reason=one_line(reason),
        started=started,
        finished=_now(),
        replay=f"bsa-verify replay {entry.case_id} --run {plan.run_id}",
        synthetic=backend.synthetic or bool(plan.fault),
        kernel_digest=kernel_digest(dut),
        **fields,
    )
