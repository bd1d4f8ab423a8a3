"""constraints.txt pins exactly what pyproject.toml allows, and everything that an installation brings."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CUDA_ONLY = ("cuda-", "nvidia-", "triton")
"""What only the CUDA build of torch brings: torch pins these itself."""

PYTHONS = ("3.10", "3.11", "3.12")


@pytest.fixture
def pins(root: Path) -> list[Requirement]:
    """The lines of constraints.txt."""
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


@pytest.fixture
def project(root: Path) -> dict[str, list[str]]:
    """The requirements of pyproject.toml, by extra; the empty name has the ordinary ones."""
    table = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"": table["dependencies"], **table["optional-dependencies"]}


def _pinned(pins: list[Requirement], name: str, python: str) -> list[str]:
    """The versions that apply to a package under a Python version."""
    return [
        specifier.version
        for pin in pins
        if canonicalize_name(pin.name) == canonicalize_name(name)
        and (pin.marker is None or pin.marker.evaluate({"python_version": python}))
        for specifier in pin.specifier
    ]


def test_every_line_pins_one_version(pins: list[Requirement]) -> None:
    """A line is name==version, without ranges, wildcards or a local version."""
    loose = [
        str(pin)
        for pin in pins
        if [one.operator for one in pin.specifier] != ["=="] or any(mark in str(pin.specifier) for mark in "*+")
    ]
    assert not loose


@pytest.mark.parametrize("python", PYTHONS)
def test_each_package_has_one_pin_per_python(pins: list[Requirement], python: str) -> None:
    """Markers select at most one version of a package for each supported Python."""
    names = {canonicalize_name(pin.name) for pin in pins}
    assert not {name for name in names if len(_pinned(pins, name, python)) > 1}


@pytest.mark.parametrize("python", PYTHONS)
def test_pins_are_within_the_ranges(pins: list[Requirement], project: dict[str, list[str]], python: str) -> None:
    """Every requirement of pyproject.toml is pinned to a version that it allows."""
    wanted = [Requirement(line) for lines in project.values() for line in lines]
    wrong = []
    for requirement in wanted:
        if requirement.marker is not None and not requirement.marker.evaluate({"python_version": python}):
            continue
        versions = _pinned(pins, requirement.name, python)
        if not versions or not requirement.specifier.contains(Version(versions[0])):
            wrong.append(f"{requirement}: pinned {versions}")
    assert not wrong


def test_a_local_build_meets_a_pin(pins: list[Requirement]) -> None:
    """A CPU wheel, torch 2.13.0+cpu, satisfies torch==2.13.0."""
    (torch,) = (pin for pin in pins if pin.name == "torch")
    assert torch.specifier.contains(Version("2.13.0+cpu"))


def test_everything_an_installation_brings_is_pinned(pins: list[Requirement], project: dict[str, list[str]]) -> None:
    """The requirements of the requirements, as installed here, are all pinned."""
    known = {canonicalize_name(pin.name) for pin in pins}
    todo = [Requirement(line) for lines in project.values() for line in lines]
    seen: set[str] = set()
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        extras = requirement.extras or {""}
        if requirement.marker is not None and not any(
            requirement.marker.evaluate({"extra": extra}) for extra in extras
        ):
            continue
        if name in seen or name.startswith(CUDA_ONLY):
            continue
        seen.add(name)
        try:
            requires = distribution(name).requires or []
        except PackageNotFoundError:  # an extra that this environment does not have
            continue
        parsed = [Requirement(line) for line in requires]
        todo += [
            one
            for one in parsed
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras)
        ]
    assert len(seen) > 20
    assert seen - known == set()
