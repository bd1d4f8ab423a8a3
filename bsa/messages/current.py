"""The language that this process speaks."""

from __future__ import annotations

import os
from collections.abc import Mapping

from bsa.messages.catalogue import Catalogue, catalogue
from bsa.messages.phrases import translate

VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Environment variables that name the language; the first that is set decides, as POSIX says."""


def detect(environ: Mapping[str, str] = os.environ) -> str:
    """The language of an environment: ``zh`` if its locale is Chinese, else ``en``."""
    locale = next((environ[name] for name in VARIABLES if environ.get(name)), "")
    return "zh" if locale.lower().startswith("zh") else "en"


class _Speaker:
    """Holds the choice of this process; detected when first asked for."""

    def __init__(self) -> None:
        self.chosen: Catalogue | None = None


_SPEAKER = _Speaker()


def set_language(language: str | None) -> None:
    """Chooses the language of this process; None goes back to what the environment says.

    Raises:
        ValueError: not one of ``LANGUAGES``.
    """
    _SPEAKER.chosen = None if language is None else catalogue(language)


def current() -> Catalogue:
    """The catalogue of the chosen language, or of the environment's."""
    return _SPEAKER.chosen or catalogue(detect())


def text(key: str, /, **values: object) -> str:
    """One message in the language of this process.

    Raises:
        KeyError: no such key, or a placeholder that ``values`` lacks.
    """
    return current().text(key, **values)


def retell(said: str) -> str:
    """What a record says, in the language of this process (:func:`bsa.messages.phrases.translate`)."""
    return translate(said, current())
