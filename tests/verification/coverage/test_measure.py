"""Coverage is a function of the records that count, and of nothing else."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from stimuli.case import Case
from stimuli.space import BACKWARD_SPACE, FORWARD_SPACE
from stimuli.space.frozen import assignments
from tests.support.runs import bsa_verify
from verification.cli.coverage_command import unmeasured
from verification.coverage import measure
from verification.coverage.measure import COVERED, FAILING, share, totals
from verification.coverage.text import capacity_lines, summary
from verification.journal import Journal
from verification.plan import Budget, Plan, PlanEntry, write_plan
from verification.record import Measurement, Record
from verification.runs import Run

DUT = "bsa.forward"
BAND = FORWARD_SPACE.case(DUT, {**FORWARD_SPACE.defaults(), "mask": "band", "dtype": "bfloat16"}, name="band")
RAN = Measurement(stages=("parse", "passes", "interpreter"), tasks=3)


def _record(of, verdict="PASS", **changes) -> Record:
    made = Record(
        run_id="r",
        case_id=of.id,
        attempt=1,
        case=of.to_json(),
        suites=("pairwise",),
        backend="sim",
        run_mode="sim",
        verdict=verdict,
        reason="" if verdict == "PASS" else "why",
        started="",
        finished="",
        replay="",
        facts={"selected_blocks": [1, 1], "empty_query_blocks": 0},
        measurement=RAN,
    )
    return replace(made, **changes)


def _run(*records: Record, cases=(BAND,), run_mode="sim") -> Run:
    plan = Plan(
        run_id="r",
        created="",
        command=(),
        run_mode=run_mode,
        backend="sim",
        pass_filter="none",
        budget=Budget(),
        entries=tuple(PlanEntry(case=case, suites=("pairwise",)) for case in cases),
    )
    return Run(path=Path("out/r"), plan=plan, records=records, manifest={})


def _measured(*runs: Run):
    return measure(FORWARD_SPACE, DUT, "sim", runs)


def _band_pair(found) -> str:
    return found.pairs[("mask", "band"), ("dtype", "bfloat16")]


def test_a_passed_case_covers_its_bins_and_pairs_and_no_others() -> None:
    """One case has one bin of every axis, and each pair of these."""
    found = _measured(_run(_record(BAND)))
    axes = len(FORWARD_SPACE.axes)
    assert [one for one, state in found.bins.items() if state == COVERED] == list(
        ({**FORWARD_SPACE.defaults(), "mask": "band", "dtype": "bfloat16"}).items()
    )
    assert share(totals(found.pairs.values()))[0] == axes * (axes - 1) // 2
    assert found.derived["tails", "none"] == COVERED
    assert _band_pair(found) == COVERED


@pytest.mark.parametrize(
    "record",
    [
        _record(BAND, synthetic=True),
        _record(BAND, "INFRA"),
        _record(BAND, "NO_REFERENCE"),
        _record(BAND, measurement=Measurement(stages=("parse", "passes"))),
        _record(BAND, case={**BAND.to_json(), "dut": "another"}),
        _record(BAND, case={**BAND.to_json(), "expect": "refused: capacity"}),
    ],
    ids=["synthetic", "ended from outside", "no reference", "kernel not run", "another DUT", "refusal expected"],
)
def test_what_does_not_count(record: Record) -> None:
    """Such a record covers nothing."""
    found = _measured(_run(record))
    assert found.cases == 0
    assert COVERED not in found.pairs.values()


def test_sim_and_npu_never_mix() -> None:
    """A run on a card covers nothing in sim."""
    assert _measured(_run(_record(BAND), run_mode="npu")).cases == 0


def test_a_failing_case_leaves_a_hole_that_shows() -> None:
    """Met but never passed is a state of its own; a pass elsewhere covers it."""
    failing = _run(_record(BAND, "FAIL"))
    assert _band_pair(_measured(failing)) == FAILING
    assert (("mask", "band"), ("dtype", "bfloat16")) in _measured(failing).holes()
    assert _band_pair(_measured(failing, _run(_record(BAND)))) == COVERED


def test_flaky_covers_nothing() -> None:
    """Attempts do not launder: one pass and one failure are no pass."""
    assert _band_pair(_measured(_run(_record(BAND), replace(_record(BAND, "FAIL"), attempt=2)))) == FAILING


def test_order_of_runs_and_records_does_not_matter() -> None:
    """Any order of the same runs gives the same coverage."""
    packed = {**FORWARD_SPACE.defaults(), "layout": "TND", "lengths_q": "full", "lengths_kv": "full"}
    other = FORWARD_SPACE.case(DUT, packed)
    runs = [_run(_record(BAND, "FAIL")), _run(_record(BAND)), _run(_record(other), cases=(other,))]
    found = [_measured(*order) for order in itertools.permutations(runs)]
    assert all(one == found[0] for one in found)


def test_the_pairwise_suite_covers_every_pair_if_all_of_it_passes() -> None:
    """Records of the whole suite leave no hole, and what rules leave out stays out."""
    cases = [FORWARD_SPACE.case(DUT, row) for row in assignments(FORWARD_SPACE, 2)]
    found = _measured(_run(*map(_record, cases), cases=cases))
    counted = totals(found.pairs.values())
    assert found.holes() == ()
    assert min(counted["unreachable"], counted["ignored"], counted["budget"]) > 0
    assert sum(counted.values()) == len(found.pairs)


def test_the_commands_print_it_and_plan_the_closing_run(tmp_path: Path) -> None:
    """Coverage counts, holes lists and plans a run that can be resumed."""
    run = _run(_record(BAND))
    folder = tmp_path / "out" / "r"
    folder.mkdir(parents=True)
    write_plan(folder, run.plan)
    with Journal(folder, "start", {}) as journal:
        journal.append(_record(BAND))
    done = bsa_verify("coverage", "latest", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "bsa.forward in sim: 1 cases in which the kernel ran" in done.stdout
    assert "pairs  231/5125 (4.5 %)" in done.stdout
    assert all(f" pairs: {one.text}" in done.stdout for one in FORWARD_SPACE.budgets["sim"])
    listed = bsa_verify("holes", "latest", "--close", "--out", "more", cwd=tmp_path)
    assert listed.returncode == 0
    assert "bsa.forward\tsim\topen\tmask=dense\tlayout=TND" in listed.stdout
    assert all(f" pairs: {one.text}" in listed.stdout for one in FORWARD_SPACE.budgets["sim"])
    assert "bsa-verify run --resume more" in listed.stdout.splitlines()[-1]
    assert (tmp_path / "more" / "plan.json").exists()
    again = bsa_verify("holes", "latest", "--close", "--out", "out/once more", cwd=tmp_path)
    assert again.stdout.splitlines()[-1].endswith("run them: bsa-verify run --resume 'out/once more'")
    third = bsa_verify("holes", "latest", "--close", "--out", "third", cwd=tmp_path)
    assert third.stderr.startswith("latest is r: 1 newer without any record passed over")
    assert third.stdout.replace("third", "'out/once more'") == again.stdout


def test_out_without_close_is_refused(tmp_path: Path) -> None:
    """It would be ignored: one line names both."""
    done = bsa_verify("holes", "latest", "--out", "more", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "bsa-verify: --out more names the folder of the run that --close plans; give --close too\n"


@pytest.mark.parametrize("space", [FORWARD_SPACE, BACKWARD_SPACE], ids=lambda space: space.name)
def test_every_capacity_rule_is_counted(space) -> None:
    """Each pair over budget is under a rule that alone leaves it out, or under none; the commands say how many."""
    found = measure(space, "bsa.any", "sim", [])
    over = {pair for pair, state in found.pairs.items() if state == "budget"}
    assert list(found.capacity) == [*(one.text for one in space.budgets["sim"]), ""]
    assert max(found.capacity.values()) <= len(over) <= sum(found.capacity.values())
    for rule in space.budgets["sim"]:
        inside = [pair for pair in over if set(rule.axes) >= {axis for axis, _ in pair}]
        direct = [pair for pair in inside if not _fits(space, rule, dict(pair))]
        assert len(direct) <= found.capacity[rule.text]
    for line in (f"{count} pairs: {rule}" for rule, count in found.capacity.items() if rule):
        assert line in summary(found)
        assert line in capacity_lines(found)


def _fits(space, rule, pinned) -> bool:
    """Whether some assignment of the rule's own axes meets the pair within its limit."""
    free = [[pinned[axis]] if axis in pinned else space.axis(axis).names for axis in rule.axes]
    return any(not rule.excludes(dict(zip(rule.axes, one, strict=True))) for one in itertools.product(*free))


def test_a_dut_without_a_space_is_named_with_the_reason() -> None:
    """What is not measured is said to be so, and not left out in silence."""
    chained = Case(dut="bsa.autograd", params={}, name="chain")
    run = _run(cases=(BAND, chained))
    (line,) = unmeasured([run])
    assert line.startswith("bsa.autograd: not measured")
    assert "the two kernels fit together" in line
    assert list(unmeasured([_run(cases=(BAND,))])) == []
