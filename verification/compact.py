"""A record's table of what ran, shorter: by folder and name, each file as ``DIGEST LINES``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OLD = {"digest", "lines"}
"""Keys of a file in records of older versions, which have the table as it is."""


def packed(ran: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The table for JSON.

    Args:
        ran: see :attr:`verification.record.Measurement.ran`.
    """
    found: dict[str, dict[str, str]] = {}
    for file, seen in ran.items():
        folder, slash, name = file.rpartition("/")
        found.setdefault(folder + slash, {})[name] = f"{seen['digest']} {seen['lines'].replace(', ', ',')}".rstrip(" ")
    return found


def unpacked(table: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
    """The inverse of :func:`packed`; a table of an older version is given back as it is.

    Raises:
        ValueError: it is neither.
    """
    if all(set(one) == _OLD for one in table.values()):
        return table
    found: dict[str, dict[str, str]] = {}
    for folder, names in table.items():
        for name, words in names.items():
            if not isinstance(words, str):
                raise ValueError(  # noqa: TRY004 - what every damaged record raises
                    f"ran: {folder}{name}: text was expected, got {words!r}"
                )
            digest, _, lines = words.partition(" ")
            found[folder + name] = {"digest": digest, "lines": lines.replace(",", ", ")}
    return found


def with_ran(data: Mapping[str, Any], change: Any) -> dict[str, Any]:
    """A record's JSON with its table changed.

    Args:
        data: the record.
        change: :func:`packed` or :func:`unpacked`.
    """
    measurement = data.get("measurement")
    if not isinstance(measurement, Mapping) or not isinstance(measurement.get("ran"), Mapping):
        return dict(data)
    return {**data, "measurement": {**measurement, "ran": change(measurement["ran"])}}
