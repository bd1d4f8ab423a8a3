"""Reads a page: its elements, their attributes and the text between them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "input", "br", "hr", "img"}


@dataclass
class Element:
    """One start tag."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """A parsed page; raises AssertionError if its tags are not balanced."""

    source: str
    elements: list[Element] = field(default_factory=list)
    _open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.source)
        self.close()
        assert not self._open, f"left open: {[one.tag for one in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Elements of a tag with these attributes."""
        return [
            one
            for one in self.elements
            if one.tag == tag and all(one.attributes.get(name) == value for name, value in attributes.items())
        ]

    def json(self, name: str) -> Any:
        """The data of a script element."""
        (element,) = self.all("script", id=name)
        return json.loads(element.text)
