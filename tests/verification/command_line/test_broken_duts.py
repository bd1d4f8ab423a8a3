"""A DUT that cannot be loaded costs one clear line and nothing else: the others stay usable."""

import pytest

from tests.support import runs

KINDS = {
    "raises": ("import torch\n\n1 / 0\n", "broken_dut:DUT", "ZeroDivisionError: division by zero ({file}:3)"),
    "syntax": ("x = 1\nDUT = (\n", "broken_dut:DUT", "SyntaxError: '(' was never closed ({file}:2)"),
    "deeper": (
        "import helper\n\nDUT = helper.made()\n",
        "broken_dut:DUT",
        "ValueError: no kernel ({folder}/helper.py:2)",
    ),
    "leaves": ("import sys\nsys.exit('no licence')\n", "broken_dut:DUT", "SystemExit: no licence ({file}:2)"),
    "no-module": ("", "absent_module:DUT", "ModuleNotFoundError: No module named 'absent_module'"),
    "no-attribute": ("", "broken_dut:DUT", "AttributeError: module 'broken_dut' has no attribute 'DUT'"),
    "no-dut": ("DUT = object()\n", "broken_dut:DUT", "is no DUT: it lacks members"),
    "other-name": ("from toy_dut import Toy\n\nDUT = Toy()\n", "broken_dut:DUT", "calls itself 'toy.double'"),
    "no-suites": (
        "from toy_dut import Toy\n\nDUT = Toy()\nDUT.name = 'my.kernel'\nDUT.suites = lambda: {}['s']\n",
        "broken_dut:DUT",
        "KeyError: 's' ({file}:5)",
    ),
}


@pytest.fixture
def broken(request, tmp_path):
    """A folder with a distribution whose DUT ``my.kernel`` is broken, and what must be said of it."""
    source, value, said = KINDS[request.param]
    folder = tmp_path / "site"
    info = folder / "broken_dut-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "broken_dut.py").write_text(source, encoding="utf-8")
    (folder / "helper.py").write_text("def made():\n    raise ValueError('no kernel')\n", encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-dut\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[verification.duts]\nmy.kernel = {value}\n", encoding="utf-8")
    return folder, said.format(file=folder / "broken_dut.py", folder=folder)


def _one_line(text, said):
    assert text.count("\n") == 1, text
    assert text.startswith("bsa-verify: DUT 'my.kernel' "), text
    assert said in text, text


def _run(*arguments, broken, cwd):
    return runs.bsa_verify(*arguments, cwd=cwd, confine=(("first_on_path", str(broken[0])),))


@pytest.mark.parametrize("broken", KINDS, indirect=True)
def test_it_is_named_with_the_place_of_its_error(broken, tmp_path):
    """``list`` shows the cases of the others and says in one line which DUT is broken, why, and at which line."""
    done = _run("list", broken=broken, cwd=tmp_path)
    assert done.returncode == 0
    assert "\ttoy.double\t" in done.stdout
    assert "my.kernel" not in done.stdout
    _one_line(done.stderr, broken[1])


@pytest.mark.parametrize("broken", ["raises", "no-suites"], indirect=True)
def test_naming_it_ends_with_4(broken, tmp_path):
    """Commands that ask for it cannot do their work: one line, exit code 4, nothing written."""
    for words in (
        ("list", "--dut", "my.kernel"),
        ("run", "--dut", "my.kernel", "toy.double"),
        ("replay", "my.kernel:a case"),
        ("replay", "a case", "--dut", "my.kernel"),
        ("replay", "no case of any other"),
    ):
        done = _run(*words, broken=broken, cwd=tmp_path)
        assert done.returncode == 4, words
        assert done.stdout == ""
        assert broken[1] in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("broken", ["raises", "no-suites"], indirect=True)
def test_the_others_run(broken, tmp_path):
    """Named alone, another DUT runs as if the broken one were not there; a run of all DUTs runs and ends with 4."""
    fake = ("--backend", "fake", "--suite", "toy", "-n", 1)
    alone = _run("run", *fake, "--dut", "toy.double", broken=broken, cwd=tmp_path)
    assert (alone.returncode, alone.stderr) == (0, "")
    named = _run("run", *fake, "--cases", "rows 64", broken=broken, cwd=tmp_path)
    assert (named.returncode, named.stderr) == (0, "")
    every = _run("run", *fake, broken=broken, cwd=tmp_path)
    assert every.returncode == 4
    assert "3 passed, 0 failed" in every.stdout
    _one_line(every.stderr, broken[1])
    assert _run("replay", "nothing here", "--dut", "toy.double", broken=broken, cwd=tmp_path).returncode == 2


def test_two_distributions_with_one_name(tmp_path):
    """Neither is chosen silently."""
    for number in (1, 2):
        info = tmp_path / "site" / f"copy_{number}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: copy-{number}\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text("[verification.duts]\nmy.kernel = toy_dut:DUT\n", encoding="utf-8")
    done = _run("list", "--dut", "my.kernel", broken=(tmp_path / "site", ""), cwd=tmp_path)
    assert done.returncode == 4
    assert "declared by two distributions" in done.stderr


@pytest.mark.parametrize("broken", KINDS, indirect=True)
def test_doctor_names_it_in_the_words_of_a_run(broken, tmp_path):
    """A line that says MISSING and what ``run`` says, and exit code 4, as a run of everything would have."""
    said = _run("run", "--dut", "my.kernel", broken=broken, cwd=tmp_path)
    done = _run("doctor", broken=broken, cwd=tmp_path)
    assert (said.returncode, done.returncode) == (4, 4)
    line = next(line for line in done.stdout.splitlines() if "my.kernel" in line)
    assert line.startswith("MISSING")
    assert said.stderr.removeprefix("bsa-verify: ").strip() in line
    assert "toy.double" in done.stdout


def test_doctor_names_a_wrong_checkout(tmp_path):
    """BSA_ROOT that names something else: a line for each DUT that needs it, in the words of a run; none if unset."""
    wrong = {"BSA_ROOT": str(tmp_path / "nowhere")}
    said = runs.bsa_verify("run", "--dut", "published.forward", cwd=tmp_path, env=wrong)
    done = runs.bsa_verify("doctor", cwd=tmp_path, env=wrong)
    assert (said.returncode, done.returncode) == (4, 4)
    lines = [line for line in done.stdout.splitlines() if "BSA_ROOT=" in line]
    assert len(lines) == 2
    assert all(line.startswith("MISSING") for line in lines)
    assert any(said.stderr.removeprefix("bsa-verify: ").strip() in line for line in lines)
    unset = runs.bsa_verify("doctor", cwd=tmp_path, env={"BSA_ROOT": ""})
    assert unset.returncode == 0
    assert "BSA_ROOT" not in unset.stdout


def test_doctor_names_own_cases_that_cannot_be_read(tmp_path):
    """What every selection would refuse."""
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "bad.toml").write_text("[[case]", encoding="utf-8")
    done = runs.bsa_verify("doctor", cwd=tmp_path, env={"BSA_CASES": ""})
    assert done.returncode == 4
    assert any(line.startswith("MISSING") and "bad.toml" in line for line in done.stdout.splitlines())
