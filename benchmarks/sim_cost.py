"""What a case costs in sim: plain PyPTO with plots, without, and this project's warm parent, side by side in one run.

All three run the same kernel (``bsa.forward``) on the same case. *Plain* is a process of its own that imports torch
and PyPTO and calls the kernel once, with the calculator library from the cache (PyPTO alone builds it anew in every
process, about 25 CPU s more). *With plots* uses PyPTO's stock configuration; its two plotting scripts need three more
packages (``pip install matplotlib pandas plotly``) and fail quickly without them: then the figure is a lower bound, and
says so. *Ours* is the forked child of a warm parent; the oracle and the judge run in the worker beside it and are
listed apart.

Figures: CPU seconds (user + system, children included) and the largest resident size of one process.

    python benchmarks/sim_cost.py
    python benchmarks/sim_cost.py --repeats 5
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from bsa import _pypto
from stimuli.suite import SuiteSpec
from verification.backends.sim import SimBackend
from verification.backends.sim.warm_parent import WarmParent
from verification.dut import Call, find_duts
from verification.engine import freeze
from verification.plan import Budget
from verification.scoreboard import judge

CASES = ("S256 Sparse50", "S512 Sparse70", "S1024 Sparse30")
PLOTTING = ("matplotlib", "pandas", "plotly")
PLAIN = """
import sys
from verification.dut import Call, find_duts
dut = find_duts()["bsa.forward"]
case = next(c for s in dut.suites() for c in s.cases if c.name == sys.argv[1])
for stimulus in dut.stimuli(case):
    out = dut.call(stimulus, Call())["out"]
assert not out.isnan().any()
"""


def main() -> int:
    """Prints one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="runs of each; the median is printed")
    repeats = parser.parse_args().repeats
    missing = [name for name in PLOTTING if find_spec(name) is None]
    if missing:
        print(f"plots cannot be drawn here ({', '.join(missing)} missing): 'with plots' is a lower bound")
    print(f"{'case':16} {'':24} {'CPU s':>7} {'ratio':>6} {'peak MiB':>9}")
    for name in CASES:
        rows = {
            "plain, with plots": [plain(name, plots=True) for _ in range(repeats)],
            "plain, without plots": [plain(name, plots=False) for _ in range(repeats)],
            "ours": ours(name, repeats),
        }
        base = statistics.median(cpu for cpu, _ in rows["ours"])
        for label, figures in rows.items():
            cpu, peak = (statistics.median(column) for column in zip(*figures, strict=True))
            print(f"{name:16} {label:24} {cpu:7.2f} {cpu / base:6.1f} {peak / 2**20:9.0f}")
        print(f"{name:16} {'oracle and judge':24} {references(name):7.2f}")
    print(f"set-up of a worker's warm parent, library cached: {set_up():.2f} CPU s")
    return 0


def plain(name: str, *, plots: bool) -> tuple[float, float]:
    """CPU seconds and peak bytes of one plain process."""
    with TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
        environment["TILE_FWK_OUTPUT_DIR"] = folder
        environment["OMP_NUM_THREADS"] = str(os.cpu_count())
        environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
        if plots:
            stock = _pypto.package_folder() / "lib" / "configs" / "tile_fwk_config.json"
            environment["TILEFWK_CONFIG_PATH"] = str(stock)
        process = subprocess.Popen([sys.executable, "-c", PLAIN, name], env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise RuntimeError(f"the plain process for {name} ended with status {status}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024.0


def ours(name: str, repeats: int) -> list[tuple[float, float]]:
    """CPU seconds and peak bytes of forked children of one warm parent."""
    dut, case = _case(name)
    backend = SimBackend()
    try:
        figures = []
        for _ in range(repeats):
            seen = backend.run(case, dut, Call(), Budget())
            backend.finish(None)
            if seen.error is not None or not seen.calls:
                raise RuntimeError(f"{name}: {seen.error}")
            figures.append((seen.measurement.cpu_s or 0.0, float(seen.measurement.peak_bytes or 0)))
        return figures
    finally:
        backend.close()


def references(name: str) -> float:
    """CPU seconds of references and judge, on one thread."""
    import torch

    torch.set_num_threads(1)
    dut, case = _case(name)
    begin = time.process_time()
    for frozen in freeze(case, dut):
        judge(frozen.references.same, frozen.references, dut.outputs(case), dtype="float16")
    return time.process_time() - begin


def set_up() -> float:
    """CPU seconds that a warm parent uses before it can serve."""
    parent = WarmParent()
    try:
        fields = Path(f"/proc/{parent.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    finally:
        parent.close()


def _case(name: str):  # noqa: ANN202 - a DUT and its case
    dut = find_duts()["bsa.forward"]
    specs: tuple[SuiteSpec, ...] = dut.suites()
    return dut, next(case for spec in specs for case in spec.cases if case.name == name)


if __name__ == "__main__":
    sys.exit(main())
