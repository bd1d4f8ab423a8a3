"""Types of option values, with errors that say what is legal."""

from __future__ import annotations

import argparse
import math
import re

from bsa.messages import text

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def positive_int(value: str) -> int:
    """A whole number from 1 on.

    Raises:
        argparse.ArgumentTypeError: anything else.
    """
    if not re.fullmatch(r"[0-9]+", value) or int(value) < 1:
        raise argparse.ArgumentTypeError(text("error.value.whole", value=value))
    return int(value)


def positive_float(value: str) -> float:
    """A finite number above 0.

    Raises:
        argparse.ArgumentTypeError: anything else.
    """
    number = _number(value)
    if not (math.isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError(text("error.value.positive", value=value))
    return number


def finite_float(value: str) -> float:
    """A finite number.

    Raises:
        argparse.ArgumentTypeError: anything else.
    """
    number = _number(value)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(text("error.value.finite", value=value))
    return number


def _number(value: str) -> float:
    """The number that a text says; NaN if it says none."""
    try:
        return float(value)
    except ValueError:
        return math.nan


def integers(value: str) -> tuple[int, ...]:
    """Whole numbers separated by commas; which of them are legal depends on the option.

    Raises:
        argparse.ArgumentTypeError: anything else.
    """
    if not re.fullmatch(r"-?[0-9]+(,-?[0-9]+)*", value):
        raise argparse.ArgumentTypeError(text("error.value.integers", value=value))
    return tuple(int(one) for one in value.split(","))


def byte_size(value: str) -> int:
    """A number of bytes such as ``800M`` or ``6G`` (powers of 1024).

    Raises:
        argparse.ArgumentTypeError: anything else.
    """
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMG]?)(?:i?B)?", value, re.IGNORECASE)
    if not match or float(match.group(1)) <= 0:
        raise argparse.ArgumentTypeError(text("error.value.size", value=value))
    return int(float(match.group(1)) * _UNITS[match.group(2).upper()])
