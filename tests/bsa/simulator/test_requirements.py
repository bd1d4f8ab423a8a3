"""What is missing is said with the line that brings it, before PyPTO is imported."""

import pytest

from bsa._pypto import (
    OVERRIDE,
    PyptoEnvironmentError,
    PyptoVersionError,
    check_version,
    require_cmake,
    require_compiler,
    version,
)


def test_missing_compiler_is_said_with_its_install_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PyptoEnvironmentError, match=r"apt-get install -y g\+\+"):
        require_compiler()


def test_cmake_is_a_program_and_not_the_package_script(monkeypatch, tmp_path):
    script = tmp_path / "cmake"
    script.write_text("#!/usr/bin/env python3\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert require_cmake().read_bytes()[:4] == b"\x7fELF"


def test_no_cmake_is_said_with_its_install_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(__import__("sys").modules, "cmake", None)
    with pytest.raises(PyptoEnvironmentError, match="pip install cmake"):
        require_cmake()


def test_qualified_version_is_accepted(monkeypatch):
    monkeypatch.setattr(version, "installed_version", lambda: version.QUALIFIED[0])
    assert check_version() == version.QUALIFIED[0]


def test_other_version_is_refused_with_the_override(monkeypatch):
    monkeypatch.setattr(version, "installed_version", lambda: "0.3.0")
    monkeypatch.delenv(OVERRIDE, raising=False)
    with pytest.raises(PyptoVersionError, match=f"set {OVERRIDE}=0.3.0"):
        check_version()


def test_override_accepts_the_version_it_names_and_no_other(monkeypatch):
    monkeypatch.setattr(version, "installed_version", lambda: "0.3.0")
    monkeypatch.setenv(OVERRIDE, "0.3.0")
    assert check_version() == "0.3.0"
    monkeypatch.setenv(OVERRIDE, "0.4.0")
    with pytest.raises(PyptoVersionError):
        check_version()


def test_pypto_not_installed_is_said_with_its_install_line(monkeypatch):
    def missing(_name):
        raise version.metadata.PackageNotFoundError

    monkeypatch.setattr(version.metadata, "version", missing)
    with pytest.raises(PyptoEnvironmentError, match="pip install pypto=="):
        check_version()


def test_installed_files_are_those_of_the_wheel():
    assert version.changed_files() == ()


def test_installation_without_a_list_of_files_is_accepted(monkeypatch):
    monkeypatch.setattr(version.metadata, "files", lambda _name: None)
    version.check_files()
