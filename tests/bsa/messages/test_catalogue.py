"""Both languages say the same things, and text is found and filled by key."""

from __future__ import annotations

import re
import string

import pytest

from bsa.messages import LANGUAGES, catalogue
from verification.fidelity import LEDGER
from verification.record import VERDICTS

ENGLISH, CHINESE = catalogue("en"), catalogue("zh")


def _placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def test_languages_have_the_same_keys() -> None:
    """No message is missing in a language, and none is left over."""
    assert set(ENGLISH.messages) == set(CHINESE.messages)


@pytest.mark.parametrize("key", sorted(ENGLISH.messages))
def test_languages_have_the_same_placeholders(key: str) -> None:
    """A message takes the same values in every language."""
    assert _placeholders(ENGLISH.messages[key]) == _placeholders(CHINESE.messages[key])


@pytest.mark.parametrize("language", LANGUAGES)
def test_placeholders_have_names(language: str) -> None:
    """No placeholder depends on the order of words, and none is formatted here."""
    for key, template in catalogue(language).messages.items():
        fields = [field for field in string.Formatter().parse(template) if field[1] is not None]
        assert all(name and name.isidentifier() and not spec for _, name, spec, _ in fields), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_have_both_forms(language: str) -> None:
    """Where there is .one there is .other, and the other way round."""
    keys = set(catalogue(language).messages)
    one = {key.removesuffix(".one") for key in keys if key.endswith(".one")}
    other = {key.removesuffix(".other") for key in keys if key.endswith(".other")}
    assert one == other - {"report.speed.part"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_data_name_has_words(language: str) -> None:
    """Every verdict and every entry of the fidelity ledger has its words."""
    keys = catalogue(language).messages
    wanted = [f"verdict.{verdict}" for verdict in VERDICTS]
    wanted += [f"fidelity.{blind.key}.{part}" for blind in LEDGER for part in ("title", "why")]
    assert [key for key in wanted if not keys.get(key)] == []


def test_text_fills_placeholders() -> None:
    """A message is filled with values, whatever these contain."""
    assert "{n}" in ENGLISH.text("report.failures.example", name="{n}")


def test_count_chooses_the_form() -> None:
    """One case, two cases."""
    assert ENGLISH.count("report.failures.cases", 1) == "1 case"
    assert ENGLISH.count("report.failures.cases", 2) == "2 cases"


def test_unknown_key_is_an_error() -> None:
    """A key that does not exist is a fault of ours and is not hidden."""
    with pytest.raises(KeyError, match=r"no\.such\.key"):
        ENGLISH.text("no.such.key")


def test_missing_value_is_an_error() -> None:
    """So is a placeholder without its value."""
    with pytest.raises(KeyError, match="name"):
        ENGLISH.text("report.failures.example")


def test_find_gives_the_default() -> None:
    """Keys that data make may be unknown."""
    assert ENGLISH.find("rule.of-another-distribution", "fallback") == "fallback"


def test_unknown_language_is_refused() -> None:
    """The error names the argument, the value and what is legal."""
    with pytest.raises(ValueError, match="language: 'de' is not one of en, zh"):
        catalogue("de")


@pytest.mark.parametrize("language", LANGUAGES)
def test_commands_have_no_bare_path(language: str) -> None:
    """What follows a command is fit for a shell: a path is given quoted, under another name than the path in words."""
    for key, template in catalogue(language).messages.items():
        for command in re.findall(r"(?:bsa-verify|python3?) [a-z].*", template):
            assert not _placeholders(command) & {"path", "file", "folder", "out", "run"}, key
