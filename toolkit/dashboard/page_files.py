"""Where the pages are, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

PAGES: Final = ("start", "compare_addresses", "pool_depth", "evidence", "endpoints")
"""The pages in the order of the navigation; the first one opens."""

FRAME: Final = Path(__file__).parent / "components" / "frame.py"
"""The script that Streamlit runs.

It must not lie beside `pages/`: Streamlit would then run a page alone, without its frame,
for the first visitor whose link names one.
"""


def page_file(name: str) -> Path:
    """The script of one page."""
    return Path(__file__).parent / "pages" / f"{name}.py"
