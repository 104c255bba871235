"""The words people read, in English and Japanese, and the look-up. Nothing else.

Never in here: tool names, error codes, CSV headers, JSON keys, numbers. A catalogue entry
may hold `{placeholders}`; both catalogues hold the same keys with the same placeholders.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Final

LANGUAGES: Final = ("en", "ja")

__all__ = ["LANGUAGES", "choose_language", "text"]


def choose_language(asked: str | None, locale: str | None) -> str:
    """Pick the language: what was asked for, else what the reader's locale says, else English."""
    if asked in LANGUAGES:
        return str(asked)
    spoken = (locale or "").replace("_", "-").partition("-")[0].lower()
    return spoken if spoken in LANGUAGES else "en"


def text(language: str, key: str, **params: object) -> str:
    """Look a text up and fill its placeholders.

    Errors: KeyError for a key or a placeholder that the catalogue does not have.
    Not: escaped; whoever shows it escapes the params for the place where it is shown.
    """
    return _catalogue(language)[key].format(**params)


@cache
def _catalogue(language: str) -> dict[str, str]:
    """Read one catalogue, once per process."""
    source = files(__name__).joinpath(f"{language}.json").read_text(encoding="utf-8")
    entries: dict[str, str] = json.loads(source)
    return entries
