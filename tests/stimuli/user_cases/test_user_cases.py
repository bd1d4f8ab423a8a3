"""The user's own cases: TOML in, TOML out."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stimuli.case import Case
from stimuli.errors import StimulusError
from stimuli.suites import suite
from stimuli.user_cases import PARAMETERS, append, read_file, read_folder, to_toml

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
    made = Case(dut="my.kernel", params=params, name=" ".join(name.splitlines()))
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
        ("colour = 1\n" + FIVE_LINES, "colour = 1 cannot be used: give one [[case]] or more, and nothing beside it"),
        (FIVE_LINES + "[suite]\n", "suite = {}"),
        ("n = 1" + "0" * 5000, "a TOML file"),
        (FIVE_LINES + "modes = [3, [4]]\n", "modes = (3, [4]) cannot be used: give a selection of sim, npu"),
        (FIVE_LINES + "modes = 3\n", "modes = 3"),
        (FIVE_LINES + "modes = ['sim', 'sin']\n", "modes = ('sim', 'sin')"),
        (FIVE_LINES.replace("4711", "4711\\n"), "name = 'ticket 4711\\n' cannot be used: give a string of one line"),
        (FIVE_LINES.replace("4711", "\\u2028"), "a string of one line"),
        (
            FIVE_LINES.replace("= 313", "= 'long'"),
            "seq_q = 'long' cannot be used: give an integer from 0 to 281474976710656",
        ),
        (FIVE_LINES.replace("= 313", "= 1" + "0" * 99), "give an integer from 0 to 281474976710656"),
        (FIVE_LINES.replace("[577]", "[5, [7]]"), "lengths_kv = [5, [7]] cannot be used"),
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
    assert "\n" not in str(error.value)


ANY = st.none() | JSON | st.lists(st.sampled_from(["sim", "npu", 3, [4], {}]))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(field=st.sampled_from([one.name for one in fields(Case)]), value=ANY)
def test_any_value_of_any_field_is_taken_or_refused(field: str, value: object) -> None:
    """A case, or the one error of this package: never another."""
    refused = None
    try:
        Case.from_json({"dut": "my.kernel", "params": {}, field: value})
    except StimulusError as error:
        refused = error
    assert refused is None or refused.argument.startswith(field)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(dut=st.sampled_from(sorted(PARAMETERS)), value=ANY, data=st.data())
def test_any_value_of_any_parameter_is_taken_or_refused(
    tmp_path_factory: pytest.TempPathFactory, dut: str, value: object, data: st.DataObject
) -> None:
    """The same of the parameters of our DUTs, in a file."""
    name = data.draw(st.sampled_from([one.name for one in PARAMETERS[dut]]))
    if value is None:
        value = {}
    file = tmp_path_factory.mktemp("cases") / "a.toml"
    file.write_text(to_toml(Case(dut=dut, params={name: value})), encoding="utf-8")
    refused = None
    try:
        read_file(file)
    except StimulusError as error:
        refused = error
    assert refused is None or name in refused.argument


def test_a_case_that_would_spoil_the_file_is_not_added(tmp_path: Path) -> None:
    """Cases listed as one array cannot be followed by a table; what is no Unicode cannot be written."""
    file = tmp_path / "a.toml"
    listed = 'case = [{ dut = "bsa.forward", params = {} }]\n'
    file.write_text(listed)
    with pytest.raises(StimulusError, match="would make it unreadable"):
        append(file, Case(dut="bsa.forward", params={}))
    assert file.read_text() == listed
    with pytest.raises(StimulusError, match="would make it unreadable"):
        append(tmp_path / "b.toml", Case(dut="my.kernel", params={"word": "\ud800"}))
    assert not (tmp_path / "b.toml").exists()
