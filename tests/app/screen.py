"""What a person sees on a page that Streamlit's test runner has drawn."""

from __future__ import annotations

from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from toolkit.dashboard.components.amounts import ungrouped
from toolkit.workspace import Demo


def words_on(app: AppTest) -> str:
    """All plain text, captions, messages and headings of a page, and the pin strip."""
    elements: list[Any] = [*app.text, *app.caption, *app.info, *app.markdown, *app.title]
    elements += [*app.warning, *app.error, *app.subheader, *app.code]
    html = [str(element.proto.body) for element in app.get("html")]
    return "\n".join([*(str(element.value) for element in elements), *html])


def table(app: AppTest, key: str) -> pd.DataFrame:
    """The table with this key, whose cells can be clicked."""
    found = [one.value for one in app.dataframe if one.proto.id.endswith(f"-{key}")]
    assert len(found) == 1, f"{len(found)} tables are called {key}"
    return found[0]


def plain_table(app: AppTest, column: str) -> pd.DataFrame:
    """The first table with this column."""
    return next(one.value for one in app.dataframe if column in one.value.columns)


def exact(frame: pd.DataFrame, column: str) -> list[str]:
    """The cells of the column whose heading starts so, without the grouping."""
    heading = next(name for name in frame.columns if name.startswith(column))
    return [ungrouped(cell) for cell in frame[heading]]


def comparison_link(demo: Demo, **more: str) -> dict[str, str]:
    """The link of the demo's first comparison."""
    selection = demo.compare
    return {
        "chain": str(demo.chain_id),
        "block": str(selection.block),
        "coin": "true",
        "addresses": "\n".join(selection.addresses),
        "tokens": "\n".join(selection.tokens),
        **more,
    }


def click(app: AppTest, key: str, row: int, column: str) -> AppTest:
    """Click a cell, as the browser reports it."""
    selection = {"rows": [], "columns": [], "cells": [(row, column)]}
    app.session_state[key] = {"selection": selection}
    return app.run()
