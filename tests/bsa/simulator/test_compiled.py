"""What g++ has compiled to assembly is kept and used again, and never where the result could be another."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from bsa import _pypto
from bsa._pypto import compiled

FLAGS = ("-fPIC", "-O2", "-mno-sse2", "-mno-sse")
SOURCE = '#include "sizes.h"\n// a remark\nlong twice(long number) { return number * FACTOR; }\n'
HEADER = "#define FACTOR 2\n"


class Compiler:
    """The script in front of a real g++ that counts how often it compiles."""

    def __init__(self, folder, script):
        self.folder = folder
        self.script = script

    @property
    def compiled(self):
        """How often the real compiler was called for assembly."""
        log = self.folder / "log"
        return log.read_text().count(" -S ") if log.exists() else 0

    @property
    def kept(self):
        """The results in the cache."""
        return sorted((self.folder / "cache" / "bsa-verification" / "compiled").iterdir())

    def __call__(self, *words):
        return subprocess.run([self.script, *words], cwd=self.folder, capture_output=True, text=True, check=False)

    def assembly(self, *flags, source="a.cpp"):
        """The assembly of a source."""
        done = self(*FLAGS, *flags, "-I.", "-S", source, "-o", "out.s")
        assert done.returncode == 0, done.stderr
        return (self.folder / "out.s").read_text()


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    real = shutil.which("g++")
    (tmp_path / "bin").mkdir()
    counting = tmp_path / "bin" / "g++"
    counting.write_text(f'#!/bin/sh\necho " $* " >>{tmp_path}/log\nexec {real} "$@"\n')
    counting.chmod(0o755)
    (tmp_path / "a.cpp").write_text(SOURCE)
    (tmp_path / "sizes.h").write_text(HEADER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{counting.parent}{os.pathsep}{os.environ['PATH']}")
    script = _pypto.keep_compiled()
    assert shutil.which("g++") == str(script)
    return Compiler(tmp_path, script)


def test_the_second_time_nothing_is_compiled(compiler):
    """The same text gives the same assembly, which is g++'s own, from the cache."""
    first = compiler.assembly()
    assert compiler.compiled == 1
    assert compiler.assembly() == first
    assert compiler.compiled == 1
    plain = [compiler.folder / "bin" / "g++", *FLAGS, "-S", "a.cpp", "-o", "plain.s"]
    subprocess.run(plain, cwd=compiler.folder, check=True)
    assert (compiler.folder / "plain.s").read_text() == first


def test_remarks_do_not_count(compiler):
    """PyPTO's remarks hold hashes that change from run to run: the result stays the same."""
    first = compiler.assembly()
    (compiler.folder / "b.cpp").write_text(SOURCE.replace("a remark", "#hash: 5058520841976330664"))
    assert compiler.assembly(source="b.cpp") == first
    assert compiler.compiled == 1


@pytest.mark.parametrize("change", ["source", "header", "option", "compiler"])
def test_what_counts_is_compiled_anew(compiler, change, monkeypatch):
    """A change of the text, of a header, of an option or of the compiler is never answered from the cache."""
    first = compiler.assembly()
    flags = ()
    if change == "source":
        (compiler.folder / "a.cpp").write_text(SOURCE.replace("* FACTOR", "+ FACTOR"))
    elif change == "header":
        (compiler.folder / "sizes.h").write_text("#define FACTOR 3\n")
    elif change == "option":
        flags = ("-O0",)
    else:
        monkeypatch.setenv("PATH", os.environ["PATH"].split(os.pathsep, 1)[1])
        os.utime(compiler.folder / "bin" / "g++", (0, 0))
        compiler.script = _pypto.keep_compiled()
    again = compiler.assembly(*flags)
    assert compiler.compiled == 2
    assert len(compiler.kept) == 2
    assert (again == first) == (change == "compiler")


@pytest.mark.parametrize("damage", ["truncated", "changed"])
def test_a_damaged_result_is_not_used(compiler, damage):
    """A result that its digest does not fit is compiled again."""
    first = compiler.assembly()
    [result] = compiler.kept
    text = result.read_text()
    result.write_text("" if damage == "truncated" else text.replace("twice", "thrice"))
    assert compiler.assembly() == first
    assert compiler.compiled == 2


def test_without_a_cache_it_compiles_as_ever(compiler):
    """A cache folder that is gone costs the cache and nothing else."""
    first = compiler.assembly()
    shutil.rmtree(compiler.folder / "cache" / "bsa-verification" / "compiled")
    assert compiler.assembly() == first
    assert compiler.compiled == 2


def test_errors_are_those_of_the_compiler(compiler):
    """A source with an error, or none at all, ends as g++ ends, and nothing is kept."""
    for text in ("int broken(\n", '#include "missing.h"\n'):
        (compiler.folder / "a.cpp").write_text(text)
        done = compiler(*FLAGS, "-S", "a.cpp", "-o", "out.s")
        assert done.returncode == 1
        assert "error:" in done.stderr
    assert compiler("-S", "nowhere.cpp", "-o", "out.s").returncode == 1
    assert compiler.kept == []


def test_other_calls_pass_unchanged(compiler):
    """Objects, several sources, options in two words, names with spaces: the compiler gets what was said."""
    (compiler.folder / "a b.cpp").write_text(SOURCE + 'extern "C" int main() { return twice(21) != 42; }\n')
    assert compiler("-I", ".", "a b.cpp", "-o", "a program").returncode == 0
    assert subprocess.run([compiler.folder / "a program"], check=False).returncode == 0
    assert compiler("-I", ".", "-S", "a.cpp", "-o", "out.s").returncode == 0
    assert compiler("-I.", "-c", "a.cpp", "-o", "out.o").returncode == 0
    assert compiler.kept == []
    assert compiler.assembly(source="a b.cpp")
    assert len(compiler.kept) == 1


def test_drafts_of_killed_processes_and_old_results_go(compiler, monkeypatch):
    """The cache has an upper bound, and a draft that nobody finishes is removed; a young one stays."""
    monkeypatch.setattr(compiled, "MOST", 3)
    folder = compiler.folder / "cache" / "bsa-verification" / "compiled"
    for age in range(6):
        (folder / f"result{age}").write_text("")
        os.utime(folder / f"result{age}", (time.time() - 100 * age,) * 2)
    for name, age in (("draft-old", 7200), ("draft-young", 60)):
        (folder / name).write_text("")
        os.utime(folder / name, (time.time() - age,) * 2)
    assert _pypto.keep_compiled() == compiler.script
    assert [path.name for path in compiler.kept] == ["draft-young", "result0", "result1", "result2"]


def test_no_compiler_changes_nothing(tmp_path, monkeypatch):
    """Where there is no g++ nothing is put on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _pypto.keep_compiled() is None
    assert os.environ["PATH"] == str(tmp_path)
    assert list(Path(tmp_path).iterdir()) == []
