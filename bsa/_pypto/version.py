"""Which PyPTO this package was qualified with, and how to go on with another."""

from __future__ import annotations

import base64
import hashlib
import os
from importlib import metadata
from pathlib import Path

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


def changed_files() -> tuple[str, ...]:
    """Return PyPTO's files that are not as its wheel brought them, missing ones included (0.2 s: 23 MiB are hashed).

    Empty where the installation has no list of files.
    """
    try:
        files = metadata.files("pypto") or []
    except metadata.PackageNotFoundError:
        return ()
    return tuple(str(file) for file in files if file.hash is not None and file.hash.value != _recorded(file))


def check_files() -> None:
    """Check that the installed PyPTO is the qualified one to the last byte.

    Raises:
        PyptoVersionError: files were changed since it was installed, and nobody has allowed that expressly.
    """
    changed = changed_files()
    version = installed_version()
    if not changed or version == os.environ.get(OVERRIDE):
        return
    raise PyptoVersionError(
        f"pypto {version} is installed, but {len(changed)} of its files are not those of its wheel ({changed[0]}). "
        f"Install it anew (pip install --force-reinstall --no-deps pypto=={version}), or set {OVERRIDE}={version} to "
        "go on with the changed files at your own risk: results may be wrong without an error",
    )


def _recorded(file: metadata.PackagePath) -> str:
    """Hash a file as the wheel's list of files does; empty for one that cannot be read."""
    try:
        digest = hashlib.sha256(Path(str(file.locate())).read_bytes()).digest()
    except OSError:
        return ""
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
