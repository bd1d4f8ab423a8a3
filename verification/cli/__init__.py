"""The command line ``bsa-verify``: a composition root, one subcommand a module."""

from verification.cli.main import build_parser, main

__all__ = ["build_parser", "main"]
