"""The one place that touches PyPTO's internals.

PyPTO 0.2.0 in SIM mode compiles a kernel and models its time, but by itself writes no numbers. Here is what it takes
to get them, for a plain process and for a child forked from a warm parent alike::

    from bsa._pypto import load, simulate

    pypto = load()                    # environment, version, calculator, the one patch; before fork is fine
    with simulate(passes="none") as run:
        kernel(*tensors)              # any PyPTO jit object; outputs are written in place
    run.launches[0].microseconds      # the cost model's estimate

`load` checks for g++, checks PyPTO's version, sets the environment (`prepare_environment`), imports PyPTO, loads the
calculator from the user's cache (building it the first time) and makes the one patch. `simulate` sets the options,
gives the run a folder, captures its output, raises the true error as `KernelError` and reads the artefacts
(`Launch`). A kernel that failed leaves PyPTO unusable: one process per case. Nothing here patches compiled symbols.
"""

from bsa._pypto.artefacts import CORES, CYCLES_PER_MICROSECOND, Launch, read_launch
from bsa._pypto.calculator import never_built, sweep_builds
from bsa._pypto.compiled import keep_compiled
from bsa._pypto.device import standing_in, synchronize
from bsa._pypto.environment import (
    OUTPUT_DIR,
    Environment,
    configuration_without_plots,
    package_folder,
    prepare_environment,
)
from bsa._pypto.errors import KernelError, PyptoEnvironmentError, PyptoVersionError
from bsa._pypto.folders import ROOM, cache_folder, memory_or_disk, scratch_folder
from bsa._pypto.host import device_on_cpu
from bsa._pypto.loading import load
from bsa._pypto.passes import PassComparison, compare_passes
from bsa._pypto.simulation import Passes, Run, simulate
from bsa._pypto.tasks import Tasks, read_tasks
from bsa._pypto.toolchain import INSTALL_COMPILER, require_cmake, require_compiler
from bsa._pypto.tracing import trace_only
from bsa._pypto.version import OVERRIDE, QUALIFIED, check_files, check_version, installed_version

__all__ = [
    "CORES",
    "CYCLES_PER_MICROSECOND",
    "INSTALL_COMPILER",
    "OUTPUT_DIR",
    "OVERRIDE",
    "QUALIFIED",
    "ROOM",
    "Environment",
    "KernelError",
    "Launch",
    "PassComparison",
    "Passes",
    "PyptoEnvironmentError",
    "PyptoVersionError",
    "Run",
    "Tasks",
    "cache_folder",
    "check_files",
    "check_version",
    "compare_passes",
    "configuration_without_plots",
    "device_on_cpu",
    "installed_version",
    "keep_compiled",
    "load",
    "memory_or_disk",
    "never_built",
    "package_folder",
    "prepare_environment",
    "read_launch",
    "read_tasks",
    "require_cmake",
    "require_compiler",
    "scratch_folder",
    "simulate",
    "standing_in",
    "sweep_builds",
    "synchronize",
    "trace_only",
]
