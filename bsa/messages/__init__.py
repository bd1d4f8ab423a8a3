"""Every sentence that the command line and the reports say, in English and zh-CN, from one catalogue."""

from bsa.messages.catalogue import LANGUAGES, Catalogue, catalogue
from bsa.messages.current import current, detect, retell, set_language, text
from bsa.messages.phrases import translate

__all__ = ["LANGUAGES", "Catalogue", "catalogue", "current", "detect", "retell", "set_language", "text", "translate"]
