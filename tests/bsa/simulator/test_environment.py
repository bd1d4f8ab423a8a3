"""What is set before PyPTO is imported, and what is left to the user."""

import json
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from bsa._pypto import (
    OUTPUT_DIR,
    ROOM,
    PyptoEnvironmentError,
    cache_folder,
    environment,
    folders,
    prepare_environment,
    scratch_folder,
)

NAMES = ("OMP_NUM_THREADS", "TILEFWK_CONFIG_PATH", "PYPTO_HOME", OUTPUT_DIR)


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path):
    """No variable of ours set, a cache and a home of our own, nothing imported."""
    for name in NAMES:
        monkeypatch.setenv(name, "set so that it is restored")
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for module in ("torch", "pypto"):
        monkeypatch.delitem(environment.sys.modules, module, raising=False)


def test_plots_are_off_in_the_configuration_that_is_named():
    path = Path(prepare_environment().applied["TILEFWK_CONFIG_PATH"])
    assert "Model.drawPngThresholdCycle=0" in json.loads(path.read_text())["global"]["simulation"]["args"]


def test_one_thread_and_no_other_variable_in_a_usual_home():
    assert set(prepare_environment().applied) == {"OMP_NUM_THREADS", "TILEFWK_CONFIG_PATH"}


def test_second_call_changes_nothing():
    first = prepare_environment()
    second = prepare_environment()
    assert second.applied == {}
    assert second.kept == first.applied


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "TILEFWK_CONFIG_PATH", OUTPUT_DIR])
def test_value_of_the_user_is_kept(monkeypatch, name):
    monkeypatch.setenv(name, "theirs")
    found = prepare_environment(output_dir="ours")
    assert found.kept == {name: "theirs"}
    assert environment.os.environ[name] == "theirs"


def test_home_that_cannot_be_written_is_replaced(monkeypatch):
    monkeypatch.setenv("HOME", "/proc/nowhere")
    assert Path(prepare_environment().applied["PYPTO_HOME"]).is_dir()


def test_what_comes_too_late_is_named(monkeypatch):
    imported = ModuleType("pypto")
    imported.__spec__ = find_spec("pypto")
    for module in ("torch", "pypto"):
        monkeypatch.setitem(environment.sys.modules, module, imported)
    assert prepare_environment().too_late == ("OMP_NUM_THREADS", "TILEFWK_CONFIG_PATH")


def test_damaged_configuration_is_written_again():
    path = Path(prepare_environment().applied["TILEFWK_CONFIG_PATH"])
    whole = path.read_text()
    path.write_text(whole[:100])
    environment.os.environ.pop("TILEFWK_CONFIG_PATH")
    assert Path(prepare_environment().applied["TILEFWK_CONFIG_PATH"]).read_text() == whole


def test_cache_falls_back_to_a_private_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = cache_folder("here")
    assert folder.is_relative_to(tmp_path)
    assert folder.parent.stat().st_mode & 0o077 == 0


def test_no_writable_folder_at_all_names_the_variable(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    monkeypatch.setattr("tempfile.tempdir", "/proc/nowhere")
    with pytest.raises(PyptoEnvironmentError, match="XDG_CACHE_HOME"):
        cache_folder()


def test_folder_that_others_can_write_is_not_used(monkeypatch, tmp_path):
    shared = tmp_path / "cache" / "bsa-verification"
    shared.mkdir(parents=True)
    shared.chmod(0o777)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    assert not cache_folder().is_relative_to(shared)


@pytest.mark.parametrize(("free", "in_memory"), [(ROOM - 1, False), (ROOM, True)])
def test_small_memory_sends_scratch_files_to_the_disk(monkeypatch, tmp_path, free, in_memory):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(folders.shutil, "disk_usage", lambda _path: SimpleNamespace(free=free))
    made = scratch_folder()
    try:
        assert made.is_relative_to("/dev/shm") == in_memory  # noqa: S108 - the place itself is the point
        assert made.is_relative_to(tmp_path) != in_memory
    finally:
        made.rmdir()
