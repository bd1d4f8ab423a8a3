"""Loading a mutated module into this process in place of the original."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from verification.mutants.mutant import Mutant, MutantError, mutate


def load_mutant(mutant: Mutant, folder: Path) -> ModuleType:
    """Replaces the mutant's module in this process, for good: call it in a child that ends with its case.

    The mutated source is written to a file, since PyPTO reads the source of a kernel. Names that other loaded modules
    have imported from the original are pointed at the mutated ones.

    Args:
        mutant: the fault.
        folder: where the mutated source goes.

    Raises:
        MutantError: the mutant does not fit the source.
    """
    original = importlib.import_module(mutant.module)
    if original.__file__ is None:
        raise MutantError(f"{mutant.name}: {mutant.module} has no source file")
    path = folder / f"{mutant.module}.{mutant.name}.py"
    path.write_text(mutate(Path(original.__file__).read_text(encoding="utf-8"), mutant), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(mutant.module, path)
    if spec is None or spec.loader is None:
        raise MutantError(f"{mutant.name}: {path} cannot be loaded")
    mutated = importlib.util.module_from_spec(spec)
    sys.modules[mutant.module] = mutated
    spec.loader.exec_module(mutated)
    _repoint(original, mutated)
    return mutated


def _repoint(original: ModuleType, mutated: ModuleType) -> None:
    """Points every name that still means an object of the original at its namesake."""
    pairs = {
        id(value): getattr(mutated, name)
        for name, value in vars(original).items()
        if getattr(value, "__module__", None) == original.__name__ and hasattr(mutated, name)
    }
    pairs[id(original)] = mutated
    for module in list(sys.modules.values()):
        if module in (original, mutated) or not isinstance(module, ModuleType):
            continue
        for name, value in list(vars(module).items()):
            if id(value) in pairs:
                setattr(module, name, pairs[id(value)])
