"""What is added to a space renames nothing that exists."""

from __future__ import annotations

import json
from dataclasses import replace

from stimuli.space import FORWARD_SPACE, Axis, Bin, Space
from stimuli.space.frozen import assignments, extended, parse, render
from stimuli.space.soak import soak, soak_cases
from tests.stimuli.space.small import of_axes, small

OLD = small([3, 3, 2], [{0: 1, 1: 2}])


def _grown() -> Space:
    """The old space with a value more on its first axis, and an axis more."""
    first = OLD.axes[0]
    wider = replace(first, bins=(*first.bins, Bin(name="3", params={"a": 3}, since=2)))
    new = Axis(name="z", text="z", bins=tuple(Bin(name=str(n), params={"z": n}) for n in range(3)), since=2)
    return of_axes((wider, *OLD.axes[1:], new), [{"a": ("1",), "b": ("2",)}, {"a": ("3",), "z": ("2",)}])


def _kept(space: Space, rows: list[dict[str, str]]) -> list[dict[str, str]]:
    held = json.loads(render(OLD, rows))
    return parse(space, held["axes"], held["rows"])


def test_ids_of_kept_cases_survive_an_added_axis_and_an_added_value() -> None:
    """The extended array begins with the cases that were there, by the same ids, and adds the new pairs."""
    rows = extended(replace(OLD, name="forward"), 2, [])
    grown = _grown()
    more = extended(replace(grown, name="forward"), 2, _kept(grown, rows))
    before = [OLD.case("dut", row).id for row in rows]
    after = [grown.case("dut", row).id for row in more]
    assert after[: len(before)] == before
    assert any(row["z"] == "1" for row in more)
    assert any(row["a"] == "3" for row in more)


def test_ids_of_soak_cases_survive_an_added_axis_and_an_added_value() -> None:
    """A soak of the old edition draws the same cases from the grown space; the new edition draws the new bins."""
    grown = _grown()
    old_tables, old = soak(OLD, 200)
    tables, rows = soak(grown, 200)
    assert [grown.case("dut", tables.assignment(row)).id for row in rows] == [
        OLD.case("dut", old_tables.assignment(row)).id for row in old
    ]
    tables, rows = soak(grown, 200, edition=2)
    drawn = [tables.assignment(row) for row in rows]
    assert {row["z"] for row in drawn} == {"0", "1", "2"}
    assert "3" in {row["a"] for row in drawn}


def test_a_longer_soak_begins_with_the_shorter() -> None:
    """Case n does not depend on how many are drawn."""
    few, many = soak_cases(FORWARD_SPACE, "dut", 30), soak_cases(FORWARD_SPACE, "dut", 90)
    assert many[: len(few)] == few


def test_a_hundred_thousand_draws_keep_every_rule() -> None:
    """Soak fills every row, and no row breaks a rule."""
    tables, rows = soak(FORWARD_SPACE, 100_000)
    assert rows.shape == (100_000, len(FORWARD_SPACE.axes))
    assert tables.holds(rows).all()


def test_names_of_pairwise_cases_are_their_rows() -> None:
    """The name says which row of the file a case is, whatever the order of running."""
    cases = {case.name: case.id for case in _pairwise()}
    for number, row in enumerate(assignments(FORWARD_SPACE, 2)):
        assert cases[f"pairwise/{number}"] == FORWARD_SPACE.case("bsa.forward", row).id


def _pairwise():
    from stimuli.space.cases import covering_cases

    return covering_cases(FORWARD_SPACE, "bsa.forward", 2)
