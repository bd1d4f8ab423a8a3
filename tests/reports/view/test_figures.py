"""Figures of the view: ratios, published maxima, distributions, other standards, times."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from reports import view
from reports.environment import environment
from reports.numbers import memory, microseconds, moment, percent, seconds, short
from reports.row import Row
from reports.speed import longest, model_error, parts, slowest
from reports.standards import panels
from tests.reports import samples
from verification.record import Measurement, worst


def _rows(name: str) -> tuple[Row, ...]:
    return view(getattr(samples, f"{name}_run")()).rows


def test_nan_is_worse_than_anything() -> None:
    """A NaN is never hidden by a larger number, wherever it stands."""
    assert math.isnan(worst([1.0, math.nan, 5.0]))
    assert math.isnan(worst([math.nan, 5.0]))
    assert worst([]) == 0.0


def test_nan_ratio_reaches_the_row() -> None:
    """The row's ratio is NaN if one check's is, and the worst check is that one."""
    row = _rows("nan")[0]
    assert math.isnan(row.ratio or 0.0)
    assert row.worst_check is not None
    assert row.worst_check[1].rule == "maximum"


def test_nothing_compared_has_no_ratio() -> None:
    """A crash has no ratio, which is not the ratio zero."""
    crashed = next(row for row in _rows("failing") if row.verdict == "CRASH")
    assert (crashed.ratio, crashed.worst_check) == (None, None)


@pytest.mark.parametrize(("output", "maximum"), [("out", 1.220703125e-4), ("lse", 2.4e-5), ("dq", None)])
def test_published_maxima_find_their_output(output: str, maximum: float | None) -> None:
    """max_O belongs to out, max_LSE to lse, and nothing to an output that was not published."""
    assert _rows("passing")[0].published_maximum(output) == maximum


def test_distribution_counts_every_output_once() -> None:
    """The bins hold all outputs; NaN and infinity stand in the last one."""
    for one in (*view(samples.failing_run()).distributions, *view(samples.nan_run()).distributions):
        assert sum(found.count for found in one.bins) == one.total
    assert view(samples.nan_run()).distributions[0].bins[-1].count == 1


def test_exactly_at_the_limit_is_within() -> None:
    """Error = limit passes, so it stands left of the line."""
    (one,) = samples.published_entries()[:1]
    at_limit = samples.record(one, outputs=(samples.output("out", {"maximum": 1.0}),))
    (found,) = view(samples.run((one,), [at_limit])).distributions
    assert [(b.low, b.high, b.within) for b in found.bins if b.count] == [(0.9, 1.0, True)]


def test_other_standards_are_held_against_ours() -> None:
    """A standard is laxer where it accepts what we reject, stricter where it rejects what we accept."""
    opinions = {(o.output, o.standard): o for o in view(samples.failing_run()).opinions}
    assert [row.name for row in opinions["out", "flash-attention 2"].laxer][:2] == ["S256 Sparse50", "S512 Sparse70"]
    assert {row.name for row in opinions["lse", "CANN single"].stricter} == {"B2 MHA S256", "B2 MHA S1024"}


def test_standards_are_panels_over_all_outputs() -> None:
    """A case stands once beneath a standard, however many of its outputs are meant; the worst ratio is of all."""
    (seed, *_) = panels(view(samples.failing_run()).opinions)
    assert list(seed.opinions) == [("bsa.forward", "out"), ("bsa.forward", "lse")]
    assert [row.name for row in seed.laxer] == ["S256 Sparse50", "S512 Sparse70", "Dense 100%", "GQA Hq32"]
    assert seed.stricter == ()
    assert seed.worst.ratio == 0.3


def test_model_error_over_published_times() -> None:
    """Estimate ÷ published, over the cases that have both."""
    error = model_error(_rows("passing"))
    assert error is not None
    assert error.cases == 4
    assert error.lowest <= error.typical <= error.highest


@pytest.mark.parametrize("name", ["empty", "unstarted"])
def test_no_model_error_without_both_times(name: str) -> None:
    """Missing times say nothing about the model."""
    assert model_error(_rows(name)) is None


@pytest.mark.parametrize(("estimate", "published"), [(math.nan, 75.0), (70.0, math.inf), (70.0, 0.0), (0.0, 75.0)])
def test_no_model_error_from_odd_times(estimate: float, published: float) -> None:
    """Neither do NaN, infinity and zero."""
    (one,) = samples.published_entries()[:1]
    record = samples.record(one, measurement=Measurement(model_us=estimate), facts={"published_us": published})
    assert model_error(view(samples.run((one,), [record])).rows) is None


def test_slowest_cases_come_first() -> None:
    """At most ten, by CPU time."""
    found = slowest(view(samples.big_run(30, failing=0)).rows)
    times = [row.measurement.cpu_s or 0.0 for row in found]
    assert (len(found), times) == (10, sorted(times, reverse=True))


def test_parts_of_the_wall_time_add_up() -> None:
    """Compile, interpret, model and the rest make the wall time."""
    row = _rows("passing")[0]
    assert math.isclose(sum(value for _, value in parts(row)), row.measurement.wall_s or 0.0)


def test_parts_without_measurement_are_empty() -> None:
    """A backend that observes nothing draws nothing."""
    (one,) = samples.published_entries()[:1]
    (row,) = view(samples.run((one,), [samples.record(one, measurement=Measurement(wall_s=1.0))])).rows
    assert parts(row) == ()


def test_longest_is_never_zero_or_nan() -> None:
    """Widths are divided by it."""
    assert longest(()) == 1.0
    assert longest(_rows("nan")) > 0
    assert longest(_rows("passing")) == max(row.measurement.wall_s or 0.0 for row in _rows("passing"))


def test_environment_is_flat_and_complete() -> None:
    """Versions, host and the plan's settings are pairs of text."""
    found = dict(environment(samples.passing_run()))
    assert found["versions.torch"] == "2.13.0"
    assert found["host.cores"] == "2"
    assert found["command"] == "bsa-verify run --suite published"
    assert found["finished"] == samples.FINISHED


def test_tree_hash_stands_in_for_the_commit() -> None:
    """Where there is no git, the report names the tree."""
    run = replace(samples.passing_run(), manifest=samples.manifest(commit=None, dirty=None))
    shown = view(run)
    assert (shown.commit, shown.dirty) == ("c0ffee" * 10, False)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (short(None), "–"),
        (short(0.0), "0"),
        (short(math.nan), "NaN"),
        (short(-math.inf), "−∞"),
        (short(6.103515625e-5), "6.10e−5"),
        (short(0.12345), "0.123"),
        (short(-1234.5), "−1,234"),
        (short(812.46), "812"),
        (short(2.5e7), "2.50e7"),
        (seconds(3.14159), "3.14 s"),
        (seconds(605.2), "10 min 05 s"),
        (seconds(math.nan), "NaN"),
        (memory(3 * 2**29), "1.50 GiB"),
        (memory(5 * 2**20), "5 MiB"),
        (memory(None), "–"),
        (microseconds(71.77), "71.8 µs"),
        (percent(0.314), "31 %"),
        (moment("2026-11-30T07:32:20+00:00"), "2026-11-30 07:32 UTC"),
        (moment("yesterday"), "yesterday"),
    ],
)
def test_numbers_as_text(shown: str, text: str) -> None:
    """Short, with units, and honest about what is missing."""
    assert shown == text
