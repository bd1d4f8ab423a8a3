"""What records say in English is said again in Chinese, with the same values; what nobody foresaw stays as it is."""

from __future__ import annotations

import re
import string

import pytest
import torch

from bsa.messages import catalogue, retell, set_language, translate
from bsa.messages.phrases import AREA, SHAPES, _patterns
from verification.engine import _ENDED
from verification.scoreboard import judge
from verification.scoreboard.selftest import FAULTS, INPUTS, OUTPUTS, references

ENGLISH, CHINESE = catalogue("en"), catalogue("zh")
KEYS = [key for key in ENGLISH.messages if key.startswith(AREA)]
KEPT = {
    "row",
    "kv",
    "nan",
    "inf",
    "query",
    "head",
    "batch",
    "token",
    "sqrt",
    "out",
    "lse",
    "expected",
    "logits",
    "logit",
}
"""Words of a Chinese sentence that are names: of axes, of numbers, of outputs."""


def _sample(name: str) -> str:
    shape = SHAPES.get(name, "")
    if name == "verdict":
        return "FAIL"
    return "7" if "\\d" in shape and name != "group" else "b=0 h=1 " if name == "group" else f"<{name}>"


@pytest.mark.parametrize("key", KEYS)
def test_every_template_is_reached(key: str) -> None:
    """A sentence made from a template is recognised by that one, not by one before it, and said in Chinese."""
    names = {name for _, name, _, _ in string.Formatter().parse(ENGLISH.messages[key]) if name}
    values = {name: _sample(name) for name in names}
    said = ENGLISH.text(key, **values)
    assert next(name for name, pattern in _patterns() if pattern.fullmatch(said)) == key
    assert re.search("[\u4e00-\u9fff]", translate(said, CHINESE))
    assert translate(said, ENGLISH) == said


def _foreign(said: str) -> list[str]:
    """English words of a Chinese sentence, names and code aside."""
    words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\w+=|[\w.]*\d[\w.]*|'[^']*'", " ", said))
    return [word for word in words if word.lower() not in KEPT and not word.isupper()]


def test_what_the_scoreboard_says_of_every_fault() -> None:
    """Each detail, location and cause of every fault, on inputs with lengths, has its Chinese."""
    left = set()
    heard = 0
    problem = INPUTS["lengths"](0, dtype=torch.float16)
    right = references(problem)
    for fault in FAULTS.values():
        for output in judge(fault.run(problem), right, OUTPUTS, dtype=problem.dtype):
            said = [check.detail for check in output.checks if not check.passed]
            said += [output.location.text, output.location.cause] if output.location else []
            heard += len(said)
            left |= {(one, word) for one in said for word in _foreign(translate(one, CHINESE))}
    assert heard > 80
    assert not left


@pytest.mark.parametrize("words", [text for _, text in _ENDED.values()])
def test_how_children_end(words: str) -> None:
    """Every way in which a child ends, with what the engine adds to it."""
    for more in ("", " (signal 9)", " (exit code 7): leaving without a word"):
        assert not _foreign(translate(words + more, CHINESE).replace("leaving without a word", "")), words + more


def test_what_nobody_foresaw_stays() -> None:
    """A foreign error's message is not touched; what surrounds it is."""
    assert translate("raised OSError: no such device", CHINESE) == "抛出 OSError: no such device"
    assert translate("lost in space", CHINESE) == "lost in space"
    assert translate("", CHINESE) == ""


def test_the_language_of_the_process_decides() -> None:
    """``retell`` speaks as ``text`` does."""
    try:
        set_language("zh")
        assert retell("everything is wrong") == "全部出错"
        set_language("en")
        assert retell("everything is wrong") == "everything is wrong"
    finally:
        set_language(None)
