"""Lint of PyPTO kernels: forms that hit one of PyPTO's limits, found without running anything."""

from verification.lint.finding import ERROR, WARNING, Finding
from verification.lint.linter import lint_file, lint_source

__all__ = ["ERROR", "WARNING", "Finding", "lint_file", "lint_source"]
