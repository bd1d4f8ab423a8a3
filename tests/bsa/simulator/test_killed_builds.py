"""A build that is killed leaves no process; the next one removes what is left of it and gives a whole library."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

from bsa._pypto import calculator, package_folder, sweep_builds

CMAKE = """#!/bin/sh
# Stands in for cmake: the build writes half a library and, where told so, never gets further.
library="$(dirname "$2")/install/lib/libtile_fwk_calculator.so"
if [ "$1" = --build ]; then
    mkdir -p "$(dirname "$library")"
    printf half > "$library"
    if [ -n "$HANGING" ]; then sleep 1000 & echo $! > "$HANGING"; wait; fi
    printf whole > "$library"
fi
"""
BUILD = """
import sys
from pathlib import Path
from bsa._pypto import calculator
calculator._key = lambda _package: "key"
calculator.require_cmake = lambda: Path(sys.argv[1])
calculator.cached_library(Path(sys.argv[1]).parent)
"""


@pytest.fixture
def cmake(monkeypatch, tmp_path):
    """A stand-in for cmake and a cache of our own; the real compiler is not needed."""
    program = tmp_path / "cmake"
    program.write_text(CMAKE)
    program.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(calculator, "_key", lambda _package: "key")
    monkeypatch.setattr(calculator, "require_cmake", lambda: program)
    return program


def wait_until(happened, seconds=120):
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def runs(pid):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def entries():
    return sorted(path.name for path in (calculator.cache_folder("calculator")).iterdir())


def test_killed_build_is_made_good_by_the_next(cmake, tmp_path):
    noted = tmp_path / "pid"
    builder = subprocess.Popen([sys.executable, "-c", BUILD, cmake], env={**os.environ, "HANGING": str(noted)})
    wait_until(lambda: noted.exists() and noted.read_text().strip())
    builder.send_signal(signal.SIGKILL)
    builder.wait()
    wait_until(lambda: not runs(int(noted.read_text())))
    assert [name.startswith("build-key-") for name in entries()] == [True, False]
    assert calculator.cached_library(tmp_path).read_bytes() == b"whole"
    assert entries() == ["key", "key.lock"]


def test_sweep_spares_a_build_that_goes_on(cmake):
    root = calculator.cache_folder("calculator")
    for name in ("build-going-x1", "build-killed-x2", "build-killed-x3"):
        (root / name).mkdir()
    with FileLock(root / "going.lock"):
        assert [folder.name for folder in sweep_builds()] == ["build-killed-x2", "build-killed-x3"]
    assert "build-going-x1" in entries()
    assert [folder.name for folder in sweep_builds()] == ["build-going-x1"]


@pytest.mark.nightly
def test_real_build_that_is_killed_and_a_library_that_is_cut_short(monkeypatch, tmp_path):
    """With the real compiler: killed in its midst, built again, loaded; cut short, built again, loaded."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("BSA_TEST_BUILD", str(tmp_path))
    load = [sys.executable, "-c", "from bsa._pypto import load; load()"]
    builder = subprocess.Popen(load)
    root = tmp_path / "bsa-verification" / "calculator"
    wait_until(lambda: list(root.glob("build-*/build/CMakeFiles/*/*.o*")) or compilers(tmp_path))
    builder.send_signal(signal.SIGKILL)
    builder.wait()
    wait_until(lambda: not compilers(tmp_path))
    assert list(root.glob("build-*"))
    subprocess.run(load, check=True)
    (library,) = root.glob("*/*.so")
    assert not list(root.glob("build-*"))
    os.truncate(library, library.stat().st_size // 2)
    subprocess.run(load, check=True)
    assert calculator.cached_library(package_folder()) == library
    assert calculator._is_whole(library.parent)


def compilers(mark):
    """Processes of the C++ compiler that were started below this test."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                ours = f"BSA_TEST_BUILD={mark}".encode() in (entry / "environ").read_bytes().split(b"\0")
                if ours and (entry / "comm").read_text().strip() == "cc1plus":
                    found.append(int(entry.name))
            except OSError:
                continue
    return found
