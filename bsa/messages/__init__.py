"""Every sentence that the command line and the reports say, in English and zh-CN, from one catalogue."""

from bsa.messages.catalogue import LANGUAGES, Catalogue, catalogue
from bsa.messages.current import current, detect, set_language, text

__all__ = ["LANGUAGES", "Catalogue", "catalogue", "current", "detect", "set_language", "text"]
