"""Judging properties: what the calls of one case returned, compared with each other as a relation says."""

from verification.properties._judge import judge_relation
from verification.properties._rule import PREFIX

__all__ = ["PREFIX", "judge_relation"]
