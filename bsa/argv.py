"""Words of a command line."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NEGATIVE = re.compile(r"-(\.?\d|inf|nan)", re.IGNORECASE)


def with_negative_values(words: Sequence[str]) -> list[str]:
    """Joins a long option and a negative value with ``=``.

    argparse takes ``-1,2`` and ``-1e3`` for options, and complains that the option before has no value.

    Args:
        words: a command line.

    Returns:
        The same command line; what follows ``--`` is left alone.
    """
    joined: list[str] = []
    for at, word in enumerate(words):
        if word == "--":
            return [*joined, *words[at:]]
        if joined and joined[-1].startswith("--") and "=" not in joined[-1] and _NEGATIVE.match(word):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined
