"""Types of option values, with errors that say what is legal."""

from __future__ import annotations

import argparse
import math
import re

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def positive_int(text: str) -> int:
    """A whole number from 1 on.

    Raises:
        argparse.ArgumentTypeError: anything else.
    """
    if not re.fullmatch(r"[0-9]+", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def positive_float(text: str) -> float:
    """A finite number above 0.

    Raises:
        argparse.ArgumentTypeError: anything else.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def byte_size(text: str) -> int:
    """A number of bytes such as ``800M`` or ``6G`` (powers of 1024).

    Raises:
        argparse.ArgumentTypeError: anything else.
    """
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMG]?)(?:i?B)?", text, re.IGNORECASE)
    if not match or float(match.group(1)) <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; write for example 800M or 6G")
    return int(float(match.group(1)) * _UNITS[match.group(2).upper()])
