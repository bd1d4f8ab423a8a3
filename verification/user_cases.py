"""The user's own cases as suite ``field``."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from bsa.messages import text
from stimuli.errors import StimulusError
from stimuli.suite import SuiteSpec
from stimuli.user_cases import read_folder
from verification.errors import UsageError

FOLDER_VARIABLE = "BSA_CASES"
"""Environment variable that names the folder of the user's cases."""
FOLDER = Path("cases")
"""That folder without the variable: below the current folder, as ``out`` is."""
SUITE = "field"


def cases_folder() -> Path:
    """The folder of the user's cases; need not exist."""
    return Path(os.environ.get(FOLDER_VARIABLE) or FOLDER)


def user_suites(duts: Collection[str]) -> list[tuple[str, SuiteSpec]]:
    """(name, suite) of the user's cases, one for each of the DUTs that has any.

    Raises:
        UsageError: a file cannot be read, or a case of it cannot be made.
    """
    try:
        cases = read_folder(cases_folder())
    except StimulusError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(text("error.system", what=error.filename, why=error.strerror)) from error
    named = [dut for dut in dict.fromkeys(case.dut for case in cases) if dut in duts]
    of_dut = {dut: tuple(case for case in cases if case.dut == dut) for dut in named}
    return [(SUITE, SuiteSpec(name=SUITE, title=str(cases_folder()), cases=of_dut[dut])) for dut in named]
