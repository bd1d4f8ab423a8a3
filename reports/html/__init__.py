"""The page: one self-contained HTML file that needs no network."""

from reports.html.page import render

__all__ = ["render"]
