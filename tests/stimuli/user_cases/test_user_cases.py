"""The user's own cases: TOML in, TOML out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.suites import suite
from stimuli.user_cases import append, read_file, read_folder, to_toml

FIVE_LINES = """[[case]]
dut = "bsa.forward"
name = "ticket 4711"
params = { seq_q = 313, seq_kv = 700, lengths_kv = [577], padding = "nan", density = 1 }
source = "support"
"""

JSON = st.recursive(
    st.booleans()
    | st.integers(-(2**31), 2**31)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def test_five_lines(tmp_path: Path) -> None:
    """A case of five lines; parameters at their default are left out, as everywhere."""
    file = tmp_path / "a.toml"
    file.write_text(FIVE_LINES)
    (case,) = read_file(file)
    assert (case.dut, case.name, case.source) == ("bsa.forward", "ticket 4711", "support")
    assert dict(case.params) == {"seq_q": 313, "seq_kv": 700, "lengths_kv": [577], "padding": "nan"}


@pytest.mark.parametrize("dut", ["bsa.forward", "bsa.backward"])
@pytest.mark.parametrize("name", ["field", "properties"])
def test_every_case_survives(tmp_path: Path, name: str, dut: str) -> None:
    """Written and read again, a case is the same in every field."""
    cases = suite(name, dut).cases
    file = tmp_path / "new" / "all.toml"
    for case in cases:
        append(file, case)
    assert read_file(file) == cases


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(params=st.dictionaries(st.text(max_size=5), JSON, max_size=4), name=st.text(max_size=9))
def test_any_json_survives(tmp_path_factory: pytest.TempPathFactory, params: dict[str, object], name: str) -> None:
    """Any parameters of a foreign DUT, any characters."""
    made = Case(dut="my.kernel", params=params, name=name.replace("\n", " "))
    file = tmp_path_factory.mktemp("cases") / "a.toml"
    file.write_text(to_toml(made), encoding="utf-8")
    assert read_file(file) == (made,)


def test_files_of_a_folder_in_order(tmp_path: Path) -> None:
    """All TOML files, by name; no folder is no case."""
    for name in ("b", "a"):
        (tmp_path / f"{name}.toml").write_text(FIVE_LINES.replace("ticket 4711", name))
    (tmp_path / "notes.txt").write_text("no case")
    assert [case.name for case in read_folder(tmp_path)] == ["a", "b"]
    assert read_folder(tmp_path / "absent") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[case]\n", "a TOML file"),
        ("x = 1\n", "one [[case]] or more"),
        ('[case]\ndut = "d"\n', "one [[case]] or more"),
        ("[[case]]\nparams = {}\n", "case 1: case.dut"),
        (FIVE_LINES + FIVE_LINES.replace("seq_q", "seqq"), "case 2: params.seqq"),
        (FIVE_LINES + "colour = 1\n", "case 1: case.colour"),
    ],
)
def test_errors_name_the_file_and_the_case(tmp_path: Path, text: str, words: str) -> None:
    """A wrong file says which case and which field."""
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    with pytest.raises(StimulusError) as error:
        read_file(file)
    assert words in str(error.value)
    assert str(file) in str(error.value)
