"""Faults planted in our kernels, each in one statement, and what is found of them: for children that have PyPTO."""

import ast
import importlib
import json
import os
import traceback
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple

from bsa._pypto import simulate
from verification.dut import Call, find_duts
from verification.explain import explain
from verification.mutants import Edit, Mutant, load_mutant
from verification.selection import find_case
from verification.shadow import Recording, record


class Fault(NamedTuple):
    """One fault: in ``function`` of the DUT's kernel, ``find`` becomes ``replace``."""

    dut: str
    case: str
    function: str
    find: str
    replace: str
    count: int = 1

    @property
    def module(self):
        return f"bsa.kernels.{self.dut.removeprefix('bsa.')}"

    def statements(self):
        """First lines of the statements in which it is planted."""
        path = Path(importlib.util.find_spec("bsa").origin).parent / "kernels" / f"{self.dut.removeprefix('bsa.')}.py"
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        function = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == self.function)
        lines = [n for n, line in enumerate(text.splitlines(), 1) if self.find in line]
        holders = [n for n in ast.walk(function) if isinstance(n, ast.stmt) and n is not function]
        inside = [[n for n in holders if n.lineno <= line <= n.end_lineno] for line in lines]
        return {max(found, key=lambda n: n.lineno).lineno for found in inside if found}


def explain_all(runs: dict[str, tuple[Fault | None, str, str, dict]], folder: Path):
    """What :func:`explained` gives for each of several runs, each in a process of its own; None where one failed."""
    find_duts()
    found = {}
    for number, (name, run) in enumerate(runs.items()):
        place = folder / str(number)
        place.mkdir()
        pid = os.fork()
        if pid == 0:
            try:
                (place / "found.json").write_text(json.dumps(explained(*run, place)), encoding="utf-8")
            except BaseException:  # noqa: BLE001 - the fork must end here, whatever happens
                traceback.print_exc()
            os._exit(0)
        os.waitpid(pid, 0)
        answer = place / "found.json"
        found[name] = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else None
    return found


def explained(fault: Fault | None, dut: str, case: str, config: dict, folder: Path):
    """What is found of a case with a fault, one explanation per launch, as plain data."""
    if fault is not None:
        edit = Edit(function=fault.function, find=fault.find, replace=fault.replace, count=fault.count)
        mutant = Mutant(name="planted", dut=dut, module=fault.module, edits=(edit,), fault="", directed=())
        load_mutant(mutant, folder)
    bound = find_duts()[dut]
    entry = find_case({dut: bound}, case)
    stimuli = list(bound.stimuli(entry.case))
    recording = Recording()
    recording.keep = True
    with simulate(output_dir=folder), record(recording):
        for stimulus in stimuli:
            facts = {**stimulus.facts, "config": {**(stimulus.facts.get("config") or {}), **config}}
            bound.call(replace(stimulus, facts=facts), Call())
    assert not recording.problem
    pairs = zip(recording, stimuli, strict=True)
    return [asdict(explain(launched, bound.dataflow(stimulus))) for launched, stimulus in pairs]
