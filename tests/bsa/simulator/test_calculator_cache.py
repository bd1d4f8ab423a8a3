"""The calculator is built once, whoever asks, and a damaged copy is built again."""

import json
import threading
import time

import pytest

from bsa._pypto import PyptoEnvironmentError, calculator, package_folder


@pytest.fixture
def builds(monkeypatch, tmp_path):
    """A cache of our own and a build that only writes a file; the list has an entry per build."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(calculator, "_key", lambda _package: "key")
    done = []

    def build(_package, entry):
        done.append(entry)
        time.sleep(0.05)
        entry.mkdir()
        (entry / calculator._LIBRARY).write_bytes(b"library")
        digest = calculator._digest(entry / calculator._LIBRARY)
        (entry / calculator._MANIFEST).write_text(json.dumps({"sha256": digest}))

    monkeypatch.setattr(calculator, "_build", build)
    return done


def test_second_call_builds_nothing(builds, tmp_path):
    first = calculator.cached_library(tmp_path)
    assert calculator.cached_library(tmp_path) == first
    assert len(builds) == 1


def test_callers_at_the_same_time_build_once(builds, tmp_path):
    callers = [threading.Thread(target=calculator.cached_library, args=(tmp_path,)) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(builds) == 1


@pytest.mark.parametrize("damage", ["truncated", "manifest missing", "manifest is no JSON"])
def test_damaged_copy_is_built_again(builds, tmp_path, damage):
    library = calculator.cached_library(tmp_path)
    manifest = library.with_name(calculator._MANIFEST)
    if damage == "truncated":
        library.write_bytes(b"lib")
    elif damage == "manifest missing":
        manifest.unlink()
    else:
        manifest.write_text("{")
    calculator.cached_library(tmp_path)
    assert len(builds) == 2
    assert library.read_bytes() == b"library"


def test_key_follows_the_versions(monkeypatch):
    before = calculator._key(package_folder())
    monkeypatch.setattr(calculator, "installed_version", lambda: "0.2.1")
    assert calculator._key(package_folder()) != before


def test_failed_build_shows_what_the_tool_said_and_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(calculator, "_key", lambda _package: "key")
    with pytest.raises(PyptoEnvironmentError, match="does not exist"):
        calculator.cached_library(tmp_path / "no-pypto-here")
    assert sorted(path.name for path in (tmp_path / "bsa-verification" / "calculator").iterdir()) == ["key.lock"]
