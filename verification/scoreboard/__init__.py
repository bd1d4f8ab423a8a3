"""The scoreboard: compares the outputs of a DUT with references and says whether, where and how they differ."""

from verification.scoreboard import integrity
from verification.scoreboard._judge import judge
from verification.scoreboard.digest import digest, digests
from verification.scoreboard.reference import ReferenceFault

__all__ = ["ReferenceFault", "digest", "digests", "integrity", "judge"]
