"""``shrink`` and ``add-case``: from a failure to a case of the user's own that suite ``field`` runs."""

import json

import pytest

from stimuli.user_cases import read_file
from verification.cli import add_case_command
from verification.cli.main import main
from verification.dut import find_duts
from verification.keeping import require_keepable

SOME = 200
"""Cases of a suite that are looked at: some suites are drawn as they are asked for."""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A current folder of its own, where every kernel writes zeros."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BSA_CASES", raising=False)
    (tmp_path / "zeros.json").write_text('{"default": "zeros"}')
    (tmp_path / "right.json").write_text('{"default": "run"}')
    return tmp_path


def fake(behaviours):
    """Options of a run with declared behaviours."""
    return ["--backend", "fake", "--behaviours", behaviours]


def test_shrink_add_run(here, capsys):
    """A failing case is shrunk, kept, listed and run."""
    assert main(["shrink", "bsa.forward:smoke/tails", *fake("zeros.json"), "--out", "small.json", "--add"]) == 0
    small = json.loads((here / "small.json").read_text())
    assert small["params"]["seq_q"] == small["params"]["seq_kv"] == 1
    (kept,) = read_file(here / "cases" / "field.toml")
    assert kept.id == small["id"]
    printed = capsys.readouterr().out
    assert "bsa-verify replay small.json" in printed
    assert small["id"] in printed
    assert main(["list", "--suite", "field", "--dut", "bsa.forward"]) == 0
    assert small["id"] in capsys.readouterr().out


def test_nothing_to_shrink(here, capsys):
    """A case that passes is not shrunk: exit code 1, and no file."""
    assert main(["shrink", "bsa.forward:smoke/one token", *fake("right.json")]) == 1
    assert "no failure to shrink" in capsys.readouterr().out
    assert not list(here.glob("*[0-9a-f].json"))


@pytest.mark.parametrize("out", ["none/small.json", "right.json/small.json", "."])
def test_a_wrong_out_is_found_before_the_search(here, capsys, out):
    """No attempt is made: one line names the option and the path."""
    assert main(["shrink", "bsa.forward:smoke/tails", *fake("zeros.json"), "--out", out]) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.startswith(f"bsa-verify: --out: cannot write {out}: ")
    assert error.count("\n") == 1


def test_the_commands_that_are_printed_fit_a_shell(here, capsys, monkeypatch):
    """A path with a space is quoted in every command."""
    monkeypatch.setattr("sys.stdin", None)
    (here / "a b").mkdir()
    assert main(["shrink", "bsa.forward:smoke/tails", *fake("zeros.json"), "--out", "a b/small.json"]) == 0
    printed = capsys.readouterr().out
    assert "run it with: bsa-verify replay 'a b/small.json'" in printed
    assert "bsa-verify add-case 'a b/small.json' --name NAME" in printed
    assert main(["limits", "--card-script", "a b/card.py"]) == 0
    assert "python3 'a b/card.py'" in capsys.readouterr().out
    words = ["run", "--cases", "bsa.forward:smoke/one token", *fake("right.json"), "-n", "1", "--out", "a b/run"]
    assert main(words) == 0
    assert main(words) == 2
    assert "bsa-verify run --resume 'a b/run'" in capsys.readouterr().err


def test_add_from_toml_and_run(here, capsys):
    """A case in a few lines of TOML is added once, and what runs it is said."""
    (here / "mine.toml").write_text('[[case]]\ndut = "bsa.forward"\nname = "mine"\nparams = { seq_q = 7 }\n')
    assert main(["add-case", "mine.toml"]) == 0
    first = capsys.readouterr().out
    assert "bsa-verify run --cases" in first
    assert main(["add-case", "mine.toml"]) == 0
    assert "already" in capsys.readouterr().out
    assert [case.name for case in read_file(here / "cases" / "field.toml")] == ["mine"]
    identity = first.split("--cases ")[1].strip()
    assert main(["run", "--cases", identity, "--backend", "fake", "--out", "run", "-n", "1"]) == 0


def test_folder_of_cases(here, capsys, monkeypatch):
    """BSA_CASES names another folder; --name and --file are heeded."""
    monkeypatch.setenv("BSA_CASES", "elsewhere")
    assert main(["add-case", "bsa.forward:smoke/tails", "--name", "renamed"]) == 0
    assert read_file(here / "elsewhere" / "field.toml")[0].name == "renamed"
    assert "elsewhere" in capsys.readouterr().out
    assert main(["add-case", "bsa.forward:smoke/tails", "--name", "x", "--file", "one.toml"]) == 0
    assert read_file(here / "one.toml")[0].name == "x"


HEAD = '[[case]]\ndut = "bsa.forward"\nname = "mine"\n'
REFUSED = {
    "head_dim = 96": ("head-dim", "96"),
    "heads_q = 3, heads_kv = 2": ("heads-ratio", "(3, 2)"),
    "lengths_kv = [5, 6, 7]": ("lengths-count", "(5, 6, 7)"),
    'layout = "TND", lengths_kv = [999999999]': ("lengths-range", "999999999"),
    "lengths_q = [-1]": ("lengths-range", "-1"),
    "block_shape = [10, 16]": ("block-shape", "10"),
    'dtype = "float32"': ("dtype", "float32"),
    'layout = "BSND"': ("layout", "BSND"),
    "scale = 1e39": ("scale-finite", "1e+39"),
    "seq_q = 0": ("empty-tensor", "0"),
    'seq_q = 20000000, mask = "none"': ("element-count", "2560000000"),
}
"""Parameters that the contract refuses: the rule, and the value that the line names."""
IMPOSSIBLE = [
    ("params = { seqq = 7 }", "params.seqq = 7"),
    ('params = { padding = "x" }', "padding = 'x'"),
    ("params = { config = { tiles = 3 } }", "config.tiles = 3 cannot be used: give one of the fields scores_m"),
    ('params = { config = { l1_reuse = "x" } }', "config.l1_reuse = 'x' cannot be used: give an integer from 0"),
    ("params = { config = { scores_m = 64 } }", "config.scores_m = 64 cannot be used: give two integers from 1"),
    ("params = { seq_q = 100000000000 }", "a mask of 1 x 1 x 390625000 x 1 is 390625000 blocks; give at most 67108864"),
    ("params = { seq_q = 999999999999 }", "blocks; give at most 67108864"),
    ("params = { seq_q = 1e9 }", "seq_q = 1000000000.0 cannot be used: give an integer from 0 to 281474976710656"),
    ("params = { seq_q = 1000000000000000000000 }", "seq_q = 1000000000000000000000 cannot be used: give an integer"),
    (
        "params = { head_dim = 1000000000000, heads_kv = 1000000000000 }",
        "batch, heads_kv, seq_kv, head_dim = (1, 1000000000000, 256, 1000000000000) cannot be used",
    ),
    ("params = {}\nmodes = [3, [4]]", "modes = (3, [4]) cannot be used"),
    ('params = {}\nprogram = { kind = "twice" }', "program.kind = 'twice'"),
]


def add(here, content):
    """Adds the cases of a file with this content; returns the exit code."""
    (here / "wrong.toml").write_text(content)
    return main(["add-case", "wrong.toml"])


def one_line(here, capsys):
    """The one line on standard error; nothing was printed or written beside it."""
    out, error = capsys.readouterr()
    assert (out, len(error.splitlines()), (here / "cases").exists()) == ("", 1, False)
    return error


@pytest.mark.parametrize(("content", "words"), IMPOSSIBLE)
def test_what_cannot_be_made_is_not_added(here, capsys, content, words):
    """A wrong case is a usage error of one line, and nothing is written, a right case before it included."""
    assert add(here, f"{HEAD}params = {{ seq_q = 7 }}\n{HEAD}{content}\n") == 2
    assert words in one_line(here, capsys)


@pytest.mark.parametrize("dut", ["bsa.forward", "bsa.backward", "bsa.autograd"])
@pytest.mark.parametrize("params", REFUSED)
def test_a_refusal_is_to_be_declared(here, capsys, params, dut):
    """A case that the contract refuses is kept if it says so, and else refused in the contract's own words."""
    rule, value = REFUSED[params]
    content = f"{HEAD.replace('bsa.forward', dut)}params = {{ {params} }}\n"
    assert add(here, content) == 2
    error = one_line(here, capsys)
    assert f"breaks rule '{rule}'" in error
    assert value in error
    assert f'declare expect = "refused: {rule}"' in error
    assert add(here, content + 'expect = "refused: selected-blocks"\n') == 2
    assert f"breaks rule '{rule}'" in one_line(here, capsys)
    assert add(here, content + f'expect = "refused: {rule}"\n') == 0
    (kept,) = read_file(here / "cases" / "field.toml")
    assert kept.expect == f"refused: {rule}"


@pytest.mark.parametrize("dut", ["bsa.forward", "bsa.backward", "bsa.autograd"])
def test_no_case_of_ours_is_refused(dut):
    """What our suites run is within the contract, or declared not to be: each suite's cases but the endless ones."""
    duts = find_duts()
    for spec in duts[dut].suites():
        for case in spec.cases[:SOME]:
            assert require_keepable(case, duts, room=0).startswith(case.label)


def test_what_is_too_large_here_is_kept_unmade(here, capsys, monkeypatch):
    """Its contract is checked, its tensors are not made, and this is said."""
    monkeypatch.setattr(add_case_command, "default_memory", lambda: 1 << 30)
    assert add(here, f"{HEAD}params = {{ seq_q = 9000, seq_kv = 9000 }}\n") == 0
    assert "its tensors were not made" in capsys.readouterr().out
    assert len(read_file(here / "cases" / "field.toml")) == 1


def test_the_same_case_twice_in_one_file_is_added_once(here, capsys):
    """The second is there already."""
    assert add(here, f"{HEAD}params = {{ seq_q = 7 }}\n" * 2) == 0
    assert capsys.readouterr().out.count("already") == 1
    assert len(read_file(here / "cases" / "field.toml")) == 1


@pytest.mark.parametrize("name", ["two\nlines", "end\n", "a\rb", "\udcff"])
def test_a_name_is_one_line(here, capsys, name):
    """--name is refused by name, not with a traceback."""
    assert main(["add-case", "bsa.forward:smoke/tails", "--name", name]) == 2
    assert "--name: name = " in one_line(here, capsys)


@pytest.mark.parametrize("file", ["none.toml", "folder.toml", "no_text.toml", "none.json"])
def test_a_file_that_cannot_be_read_is_a_usage_error(here, capsys, file):
    """Missing, a folder, not text."""
    (here / "folder.toml").mkdir()
    (here / "no_text.toml").write_bytes(b"\xff\xfe")
    assert main(["add-case", file]) == 2
    assert file in one_line(here, capsys)


@pytest.mark.parametrize(("root", "words"), [(None, "BSA_ROOT names no checkout"), ("nowhere", "BSA_ROOT=nowhere")])
def test_a_case_of_a_checkout_that_is_not_there(here, capsys, monkeypatch, root, words):
    """It cannot be made: the environment lacks it, as `run --dut` says."""
    monkeypatch.delenv("BSA_ROOT", raising=False)
    if root:
        monkeypatch.setenv("BSA_ROOT", root)
    for dut in ("published.forward", "published.backward"):
        assert add(here, f"{HEAD.replace('bsa.forward', dut)}params = {{}}\n") == 4
        assert words in one_line(here, capsys)


def test_a_dut_that_is_not_installed(here, capsys):
    """It is named, with the nearest name."""
    assert add(here, f"{HEAD.replace('bsa.forward', 'bsa.foward')}params = {{}}\n") == 2
    assert "no DUT 'bsa.foward' is installed (did you mean 'bsa.forward'?)" in one_line(here, capsys)


def test_damaged_own_cases_are_a_usage_error(here, capsys):
    """A file that is no TOML stops every selection, by name."""
    (here / "cases").mkdir()
    (here / "cases" / "bad.toml").write_text("[[case]\n")
    assert main(["list", "--suite", "field"]) == 2
    assert "bad.toml" in capsys.readouterr().err
