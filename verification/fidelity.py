"""The fidelity ledger: what the simulator cannot see. Printed wherever a sim result is claimed.

The words are in the catalogue: ``fidelity.<key>.title`` and ``fidelity.<key>.why``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Blind:
    """One thing that a sim run cannot show."""

    key: str
    """Kebab-case name."""
    card: str = ""
    """What a card has shown about it: finding, device, date and record. Empty = nothing yet."""


LEDGER: tuple[Blind, ...] = (
    Blind(key="races-between-cores"),
    Blind(key="races-with-host"),
    Blind(key="device-compiler"),
    Blind(key="exp-log-accuracy"),
    Blind(key="matmul-accumulation"),
    Blind(key="buffer-overflow"),
    Blind(key="synchronization"),
    Blind(key="time"),
)
"""Every entry, in the order in which reports print them."""
