"""Which PyPTO this package was qualified with, and how to go on with another."""

from __future__ import annotations

import os
from importlib import metadata

from bsa._pypto.errors import PyptoEnvironmentError, PyptoVersionError

QUALIFIED = ("0.2.0",)
"""Releases whose simulator was measured (docs/pypto.md)."""

OVERRIDE = "BSA_ALLOW_PYPTO_VERSION"
"""Environment variable that names one further release to accept, unqualified."""


def installed_version() -> str:
    """Return the version of the installed PyPTO without importing it.

    Raises:
        PyptoEnvironmentError: PyPTO is not installed.
    """
    try:
        return metadata.version("pypto")
    except metadata.PackageNotFoundError:
        raise PyptoEnvironmentError(
            f"PyPTO is not installed; install it with: pip install pypto=={QUALIFIED[-1]} "
            "(wheels exist for Linux and Python 3.9 to 3.12)",
        ) from None


def check_version() -> str:
    """Return the installed version if it is qualified or expressly allowed.

    Raises:
        PyptoVersionError: neither holds.
        PyptoEnvironmentError: PyPTO is not installed.
    """
    version = installed_version()
    if version in QUALIFIED or version == os.environ.get(OVERRIDE):
        return version
    raise PyptoVersionError(
        f"pypto {version} is installed, but this package reaches into PyPTO and was qualified with "
        f"{', '.join(QUALIFIED)} only. Install that (pip install pypto=={QUALIFIED[-1]}), or set {OVERRIDE}={version} "
        "to try this one at your own risk: results may be wrong without an error",
    )
