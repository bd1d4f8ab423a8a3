"""Runs with real-looking records, for the tests of the reports."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stimuli.case import Case
from verification.known.entry import KnownFailure
from verification.plan import Budget, Plan, PlanEntry
from verification.record import (
    Check,
    Location,
    Measurement,
    OutputResult,
    Record,
    Standard,
    WorstElement,
)
from verification.runs import Run

RUN_ID = "20261130-073220-ab12cd"
STARTED = "2026-11-30T07:32:20+00:00"
FINISHED = "2026-11-30T07:33:41+00:00"
DUT = "bsa.forward"
SHAPES = (
    ("S256 Sparse50", {"heads_q": 4, "heads_kv": 2, "density": 0.5}, 1.220703125e-4, 2.4e-5),
    ("S512 Sparse70", {"heads_q": 4, "heads_kv": 4, "seq_q": 512, "seq_kv": 512, "density": 0.7}, 6.1035e-5, 2e-5),
    ("S1024 Sparse30", {"heads_q": 8, "seq_q": 1024, "seq_kv": 1024, "density": 0.3}, 6.1035e-5, 2.1e-5),
    ("S2048 Sparse30", {"heads_q": 4, "heads_kv": 2, "seq_q": 2048, "seq_kv": 2048}, 6.1035e-5, 2e-5),
    ("GQA group4", {"heads_q": 8, "heads_kv": 2, "seq_kv": 512, "density": 0.4}, 6.1035e-5, 2e-5),
    ("GQA Hq32", {"heads_q": 32, "heads_kv": 8, "density": 0.5}, 1.220703125e-4, 2.4e-5),
    ("Dense 100%", {"heads_q": 4, "heads_kv": 4}, 1.220703125e-4, 2.3e-5),
    ("B2 MHA S256", {"batch": 2, "heads_q": 4, "heads_kv": 4, "density": 0.5}, 1.220703125e-4, 2.3e-5),
    ("B2 MHA S1024", {"batch": 2, "heads_q": 4, "heads_kv": 4, "seq_q": 1024, "seq_kv": 1024}, 6.1035e-5, 2e-5),
    ("S300 NonAligned", {"seq_q": 512, "seq_kv": 512, "lengths_q": [300], "lengths_kv": [300]}, 6.1035e-5, None),
)
PUBLISHED_US = {256: 75.0, 512: 92.0, 1024: 180.0, 2048: 820.0}
STANDARDS = (
    "published (seed)",
    "PyPTO article",
    "flash-attention 2",
    "CANN 2.1 L2",
    "CANN single",
    "op-plugin v0.3",
)


def entry(case: Case, *suites: str) -> PlanEntry:
    """A plan's entry."""
    return PlanEntry(case=case, suites=suites or ("published",))


def published_entries() -> tuple[PlanEntry, ...]:
    """Ten entries like those of the published suite."""
    return tuple(
        entry(Case(dut=DUT, params=params, name=name), *(("published", "smoke") if i < 3 else ("published",)))
        for i, (name, params, _, _) in enumerate(SHAPES)
    )


def plan(entries: Sequence[PlanEntry], *, run_mode: str = "sim", backend: str = "sim") -> Plan:
    """A plan of these entries."""
    return Plan(
        run_id=RUN_ID,
        created=STARTED,
        command=("bsa-verify", "run", "--suite", "published"),
        run_mode=run_mode,
        backend=backend,
        pass_filter="none",
        budget=Budget(),
        entries=tuple(entries),
    )


def run(entries: Sequence[PlanEntry], records: Sequence[Record], **changes: Any) -> Run:
    """A run of these entries and records."""
    made = Run(path=Path("out") / RUN_ID, plan=plan(entries), records=tuple(records), manifest=manifest())
    return replace(made, **changes)


def manifest(**changes: Any) -> Mapping[str, Any]:
    """Provenance as the start event holds it."""
    return {
        "event": "start",
        "commit": "0123456789abcdef0123456789abcdef01234567",
        "dirty": False,
        "tree": "c0ffee" * 10,
        "versions": {"python": "3.11.7", "torch": "2.13.0", "pypto": "0.2.0", "numpy": "2.3.4"},
        "compiler": "g++ (Debian 12.2.0-14) 12.2.0",
        "host": {"name": "laptop", "system": "Linux-6.1", "machine": "x86_64", "cores": 2},
        "argv": ["bsa-verify", "run"],
        "started": STARTED,
        **changes,
    }


def check(rule: str, ratio: float, *, limit: float = 1e-3, detail: str = "") -> Check:
    """One check of a given error ÷ limit."""
    return Check(rule=rule, passed=ratio <= 1, value=ratio * limit, limit=limit, ratio=ratio, detail=detail)


def output(name: str, ratios: Mapping[str, float], *, location: Location | None = None, **changes: Any) -> OutputResult:
    """One judged output."""
    checks = tuple(check(rule, ratio) for rule, ratio in ratios.items())
    made = OutputResult(
        name=name,
        shape=(1, 4, 256, 128) if name == "out" else (1, 4, 256),
        dtype="float16" if name == "out" else "float32",
        passed=all(one.passed for one in checks),
        max_error=max(ratios.values(), default=0.0) * (2e-4 if name == "out" else 2e-6),
        checks=checks,
        standards=tuple(
            Standard(name=s, passed=s != "CANN single", ratio=0.3 + i / 4) for i, s in enumerate(STANDARDS)
        ),
        location=location,
        digest="d1" * 32,
    )
    return replace(made, **changes)


def location(rows: int = 8, columns: int = 4, **changes: Any) -> Location:
    """A place where everything of the last (b, h) pairs is wrong."""
    heat = tuple(
        tuple((0.2 + 0.1 * j) if i < rows - 2 else 10.0 ** (i - rows + 3) * (1 + j) for j in range(columns))
        for i in range(rows)
    )
    made = Location(
        text="b=0 h=2 query block 1 rows 44..63 (296 of 4096 elements)",
        count=296,
        total=131072,
        worst=tuple(
            WorstElement(index=(0, 2, 44 + i, 7), found=0.25 / (i + 1), expected=0.125, error=0.125) for i in range(3)
        ),
        heatmap=heat,
        heatmap_axes=("(b, h)", "query block"),
        ratio_fit=2.0,
        cause="every value is doubled",
    )
    return replace(made, **changes)


def record(of: PlanEntry, verdict: str = "PASS", reason: str = "", **changes: Any) -> Record:
    """A record of one case; passing, with numbers that look real, unless changed."""
    rng = random.Random(of.case_id)
    known = {name: (largest_o, largest_lse) for name, _, largest_o, largest_lse in SHAPES}
    largest_o, largest_lse = known.get(of.case.name, (None, None))
    size = int(of.case.params.get("seq_q", 256))
    facts: dict[str, Any] = {"multi_block": size >= 1024, "selected_blocks": [1, max(1, size // 512)]}
    if largest_o is not None:
        facts["published"] = {"max_O": largest_o} | ({"max_LSE": largest_lse} if largest_lse else {})
    if of.case.name in ("Dense 100%", "S512 Sparse70", "S1024 Sparse30", "S2048 Sparse30"):
        facts["published_us"] = PUBLISHED_US[size]
    rules = ("structure", "maximum", "row", "small")
    made = Record(
        run_id=RUN_ID,
        case_id=of.case_id,
        attempt=1,
        case=of.case.to_json(),
        suites=of.suites,
        backend="sim",
        run_mode="sim",
        verdict=verdict,
        reason=reason,
        started=STARTED,
        finished=FINISHED,
        replay=f"bsa-verify replay {of.case_id}",
        outputs=(
            output("out", {rule: 0.0 if rule == "structure" else rng.uniform(0.25, 0.85) for rule in rules}),
            output("lse", {"structure": 0.0, "lse": rng.uniform(0.05, 0.4)}),
        ),
        integrity=(check("integrity:inputs", 0.0), check("integrity:tasks", 0.0)),
        input_digests={"query": "aa" * 32},
        facts=facts,
        kernel_digest="bb" * 32,
        measurement=Measurement(
            wall_s=0.8 + size / 700,
            cpu_s=1.0 + size / 600,
            compile_s=0.3 + size / 2800,
            interpret_s=0.2 + size / 2000,
            model_s=0.1 + size / 4000,
            peak_bytes=int((0.4 + size / 1500) * 2**30),
            model_us=70 + (size / 55) ** 2,
            utilisation=0.31,
            tasks=size // 16,
            paths=("PATH0", "PATH1"),
            stages=("parse", "passes", "interpreter", "codegen", "cost-model"),
        ),
    )
    return replace(made, **changes)


def empty_record(of: PlanEntry, verdict: str, reason: str, **changes: Any) -> Record:
    """A record of a case that ended before anything could be compared."""
    bare: dict[str, Any] = {"outputs": (), "integrity": (), "facts": {}, "measurement": Measurement(wall_s=3.2)}
    return record(of, verdict, reason, **{**bare, **changes})


def passing_run() -> Run:
    """Everything passed."""
    entries = published_entries()
    return run(entries, [record(one) for one in entries])


LEDGER = (
    KnownFailure(
        reason="dK loses the last key block with six query heads per key head",
        author="Li Wei",
        date="2026-11-29",
        expires="2027-01-31",
        dut=DUT,
        signature="FAIL out value",
    ),
    KnownFailure(
        reason="times out where g++ is old", author="Ana", date="2026-11-01", expires="2027-02-01", case="0123456789ab"
    ),
    KnownFailure(reason="NaN in a tail", author="Ana", date="2026-10-01", expires="2026-11-01", case="ba9876543210"),
)
"""One that holds, one that no case needs, one that has expired."""
KNOWN_REASON = (
    "dK loses the last key block with six query heads per key head (Li Wei, 2026-11-29, until 2027-01-31); "
    "FAIL: out: maximum 9 times its limit"
)


def failing_run() -> Run:
    """One case of nearly every verdict, with the evidence that such records hold."""
    entries = published_entries()
    scale = {"outputs": (output("out", {"structure": 0.0, "maximum": 812.5, "row": 430.0}, location=location()),)}
    extra = {
        "outputs": (
            output("out", {"structure": 0.0, "maximum": 0.5}),
            output("lse", {"lse": 52.0}, location=location(1, 1, cause="a log base: ratio 1.4427", heatmap=())),
        )
    }
    records = [
        record(entries[0], "FAIL", "out: maximum 812 times its limit", **scale),
        record(entries[1], "FAIL", "out: maximum 790 times its limit", **scale),
        empty_record(
            entries[2],
            "CRASH",
            "killed by signal 6 (SIGABRT) after 3.2 s",
            signal=6,
            stderr_tail="ERROR:root:Record function bsa_forward failed: Only allow to expand one axis!\nAborted",
            artefacts="artefacts/x",
        ),
        empty_record(entries[3], "TIMEOUT", "no result after 600 s"),
        empty_record(entries[4], "MEMORY", "11.5 GiB, the budget is 8 GiB"),
        record(entries[5], "FAIL", "lse: 52 times its limit", **extra),
        record(entries[6]),
        record(
            entries[6],
            "FAIL",
            "out: maximum 3 times its limit",
            attempt=2,
            outputs=(output("out", {"structure": 0.0, "maximum": 3.1}, location=location(4, 2, cause="")),),
        ),
        record(entries[7], "KNOWN", KNOWN_REASON),
        record(entries[8]),
    ]
    return run(entries, records, manifest=manifest(dirty=True), torn=1, plan=replace(plan(entries), known=LEDGER))


def synthetic_run() -> Run:
    """Everything passed, but no kernel ran."""
    entries = published_entries()
    return run(entries, [record(one, synthetic=True, backend="fake") for one in entries])


def empty_run() -> Run:
    """A plan without cases."""
    return run((), ())


def unstarted_run() -> Run:
    """A plan of which nothing ran yet."""
    return run(published_entries(), ())


def nan_run() -> Run:
    """Records laden with NaN and infinity wherever a number can stand."""
    entries = published_entries()[:2]
    bad = output(
        "out",
        {"structure": math.inf, "maximum": math.nan, "row": 2.0},
        max_error=math.nan,
        location=location(
            heatmap=((math.nan, math.inf), (0.1, -math.inf)),
            ratio_fit=math.nan,
            worst=(WorstElement(index=(0,), found=math.nan, expected=-math.inf, error=math.inf),),
        ),
        standards=(Standard(name="flash-attention 2", passed=False, ratio=math.nan),),
    )
    measured = Measurement(wall_s=math.nan, cpu_s=math.inf, model_us=math.nan, utilisation=math.nan, compile_s=math.nan)
    facts = {"published": {"max_O": math.nan}, "published_us": math.inf}
    return run(
        entries,
        [
            record(entries[0], "FAIL", "NaN", outputs=(bad,), measurement=measured, facts=facts),
            record(entries[1]),
        ],
    )


INJECTION = "<script>window.owned=1</script>\"'`|@all</details>]]>&amp;\\ \x1b[31m\x00\u2028{{7*7}}{n}"
"""Text that would break out of HTML, XML, JSON, Markdown or a template."""


def injection_run() -> Run:
    """Hostile text in every field that holds text."""
    bad = INJECTION
    case = Case(dut=DUT, params={bad: bad}, name=bad.replace("\x00", "")[:-3])
    one = entry(case, f"suite {bad}")
    hostile = output(
        f"out{bad}",
        {f"rule{bad}": 3.0},
        dtype=bad,
        location=location(text=bad, cause=bad, heatmap_axes=(bad, bad)),
        standards=(Standard(name=bad, passed=True, ratio=1.0),),
    )
    hostile = replace(hostile, checks=tuple(replace(c, detail=bad) for c in hostile.checks))
    made = record(
        one,
        "FAIL",
        bad,
        outputs=(hostile,),
        integrity=(check(f"integrity:{bad}", 2.0, detail=bad),),
        stderr_tail=bad,
        replay=f"bsa-verify replay {bad}",
        artefacts=bad,
        facts={bad: bad, "published": {bad: bad}},
    )
    return run((one,), (made,), manifest=manifest(commit=bad, compiler=bad, host={"name": bad}))


def big_run(cases: int = 1000, *, failing: int = 40) -> Run:
    """Many cases of two DUTs, some failing with large heat-maps."""
    entries = tuple(
        entry(
            Case(
                dut=DUT if i % 3 else "bsa.backward",
                params={"seq_q": 256 << (i % 4), "heads_q": 1 + i % 8},
                seed=i,
                name=f"case {i:04d} S{256 << (i % 4)}",
            ),
            ("field", "pairwise", "perf")[i % 3],
        )
        for i in range(cases)
    )
    wrong = output("out", {"structure": 0.0, "maximum": 20.0, "row": 14.0}, location=location(64, 64))
    step = max(1, cases // failing) if failing else cases + 1
    return run(
        entries,
        [
            record(one, "FAIL", "out: maximum 20 times its limit", outputs=(wrong,)) if i % step == 1 else record(one)
            for i, one in enumerate(entries)
        ],
    )
