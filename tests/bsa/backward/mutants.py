"""Backward kernels with parts of their source taken out, for the child process that runs them."""

from __future__ import annotations

import importlib.util
import re
import tempfile
from pathlib import Path

import bsa.backward
import bsa.kernels.backward

_VALID = re.compile(r", valid_shape=\[.*\]\)$")


def install(source: str) -> None:
    """Make ``bsa.block_sparse_attention_grad`` build its kernels from ``source`` in this process."""
    folder = Path(tempfile.mkdtemp())
    path = folder / "mutant.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("mutant", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bsa.backward.build_backward = module.build_backward


def source_of_kernel() -> str:
    """Return the source of the backward kernel's module."""
    return Path(bsa.kernels.backward.__file__).read_text()


def without_valid_shape(function: str, names: tuple[str, ...]) -> str:
    """Return the kernel's source where the views of ``function`` called ``names`` no longer say which rows exist.

    Args:
        function: name of one of the kernel's helpers.
        names: variables that the views are assigned to; every one of them must lose at least one valid_shape.
    """
    lines, inside, found = [], False, set()
    for line in source_of_kernel().splitlines():
        if line.strip().startswith("def "):
            inside = line.strip().startswith(f"def {function}(")
        name = line.split("=")[0].strip()
        if inside and name in names and "valid_shape" in line:
            line = _VALID.sub(")", line)  # noqa: PLW2901  # the line as the mutant has it
            found.add(name)
        lines.append(line)
    assert found == set(names), f"{set(names) - found} not found in {function}: update the mutants"
    return "\n".join(lines)
