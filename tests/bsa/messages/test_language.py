"""The language of a process: chosen, or found in the environment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bsa.messages import current, detect, set_language, text


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    set_language(None)


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "ZH_cn"}, "zh"),
        ({"LC_ALL": "en_GB.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LC_MESSAGES": "zh_TW.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
    ],
)
def test_detection(environment: dict[str, str], language: str) -> None:
    """LC_ALL, LC_MESSAGES, LANG: the first that is set decides."""
    assert detect(environment) == language


def test_choice_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """--lang beats LANG, and can be taken back."""
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    set_language("en")
    assert text("report.copy") == "Copy"
    set_language(None)
    assert text("report.copy") == "复制"


def test_environment_is_read_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing the package fixes nothing."""
    monkeypatch.setenv("LC_ALL", "C")
    before = current().language
    monkeypatch.setenv("LC_ALL", "zh_CN")
    assert (before, current().language) == ("en", "zh")


def test_unknown_choice_is_refused() -> None:
    """A language that is not there does not become the choice."""
    set_language("en")
    with pytest.raises(ValueError, match="language: 'xx'"):
        set_language("xx")
    assert current().language == "en"
