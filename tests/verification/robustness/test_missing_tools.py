"""What the machine lacks is said before anything is written: what it is, and the line that mends it."""

import shutil

import pytest

COMMANDS = [("run", "--dut", "toy.double", "--suite", "toy"), ("hello",), ("replay", "rows 64")]


@pytest.fixture
def empty_path(tmp_path):
    """A PATH on which there is no program."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return {"PATH": str(folder)}


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_no_compiler(place, empty_path, words):
    """Without g++ a command that simulates ends with 4 and the line that installs it."""
    done = place.bsa_verify(*words, env=empty_path)
    assert done.returncode == 4, done.stderr
    assert "apt-get install -y g++" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(place.cwd.iterdir()) == []


def test_doctor_names_the_missing_compiler_and_its_fix(place, empty_path):
    """``doctor`` lists everything, marks what is missing, and ends with 4."""
    done = place.bsa_verify("doctor", env=empty_path)
    assert done.returncode == 4
    line = next(line for line in done.stdout.splitlines() if "C++ compiler" in line)
    assert line.startswith("MISSING")
    assert "apt-get install -y g++" in line
    assert "missing: C++ compiler" in done.stdout
    assert sum(line.startswith("found") for line in done.stdout.splitlines()) >= 6


def test_doctor_finds_everything(place):
    """On a machine that can simulate, ``doctor`` ends with 0, shows versions and says what to type next."""
    done = place.bsa_verify("doctor")
    assert done.returncode == 0, done.stdout
    assert "MISSING" not in done.stdout
    assert "0.2.0" in done.stdout
    assert "bsa-verify hello" in done.stdout


def test_no_cmake(place, empty_path, tmp_path):
    """Without the package and without a program, cmake is what is missing."""
    shim = tmp_path / "shim"
    shim.mkdir()
    (shim / "cmake.py").write_text("raise ImportError('hidden by a test')\n")
    compiler = tmp_path / "bin" / "g++"
    compiler.symlink_to(shutil.which("g++"))
    confine = [("first_on_path", str(shim))]
    done = place.bsa_verify(*COMMANDS[0], env=empty_path, confine=confine)
    assert done.returncode == 4, done.stderr
    assert "pip install cmake" in done.stderr
    assert list(place.cwd.iterdir()) == []


@pytest.fixture
def other_pypto(tmp_path):
    """What makes PyPTO look like a release that nobody has qualified."""
    info = tmp_path / "shim" / "pypto-9.9.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pypto\nVersion: 9.9.9\n")
    return [("first_on_path", str(info.parent))]


def test_wrong_pypto(place, other_pypto):
    """Another PyPTO is named with the one that was qualified and the way to try it nevertheless."""
    done = place.bsa_verify(*COMMANDS[0], confine=other_pypto)
    assert done.returncode == 4, done.stderr
    assert "pypto 9.9.9 is installed" in done.stderr
    assert "pip install pypto==0.2.0" in done.stderr
    assert "BSA_ALLOW_PYPTO_VERSION=9.9.9" in done.stderr
    assert list(place.cwd.iterdir()) == []


def test_wrong_pypto_can_be_allowed(place, other_pypto):
    """Who allows it expressly is let through."""
    done = place.bsa_verify("doctor", confine=other_pypto, env={"BSA_ALLOW_PYPTO_VERSION": "9.9.9"})
    assert done.returncode == 0, done.stdout
    assert "9.9.9" in done.stdout


@pytest.fixture
def changed_pypto(tmp_path):
    """What makes PyPTO look like the qualified release of which a file was edited and another one was removed."""
    info = tmp_path / "shim" / "pypto-0.2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pypto\nVersion: 0.2.0\n")
    (info.parent / "edited.py").write_text("edited")
    (info / "RECORD").write_text("edited.py,sha256=0,1\nremoved.py,sha256=0,1\npypto-0.2.0.dist-info/RECORD,,\n")
    return [("first_on_path", str(info.parent))]


def test_changed_pypto(place, changed_pypto):
    """The right version with other files is as wrong as another version, and is said to be."""
    done = place.bsa_verify(*COMMANDS[0], confine=changed_pypto)
    assert done.returncode == 4, done.stderr
    assert "2 of its files are not those of its wheel (edited.py)" in done.stderr
    assert "pip install --force-reinstall --no-deps pypto==0.2.0" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(place.cwd.iterdir()) == []
    doctor = place.bsa_verify("doctor", confine=changed_pypto)
    assert doctor.returncode == 4
    assert "not those of its wheel" in doctor.stdout
    allowed = place.bsa_verify("doctor", confine=changed_pypto, env={"BSA_ALLOW_PYPTO_VERSION": "0.2.0"})
    assert allowed.returncode == 0, allowed.stdout


def test_wrong_command_goes_before_a_lacking_machine(place, empty_path):
    """Exit code 2 goes before 4: what is wrong with the command is said first."""
    done = place.bsa_verify("run", "--suite", "no-such-suite", env=empty_path)
    assert done.returncode == 2
    assert "no-such-suite" in done.stderr
