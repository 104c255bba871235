"""The analyst's own address book, on the page: import a CSV, see what is in it."""

from __future__ import annotations

import streamlit as st

from toolkit.dashboard import session
from toolkit.dashboard.components.foreign_words import refuse
from toolkit.dashboard.words import say, t
from toolkit.errors import ToolkitError, UnreadableFileError
from toolkit.store.labels import parse_labels


def show_label_book(labels: dict[str, str]) -> None:
    """Offer the import of labels, and list those of the chain on the page."""
    with st.expander(say("labels.title")):
        st.markdown(say("labels.text"))
        file = st.file_uploader(say("labels.upload"), type=["csv"], key="labels_file")
        if file is not None and st.session_state.get("_labels_taken") != file.file_id:
            st.session_state["_labels_taken"] = file.file_id
            try:
                count = import_labels(file.getvalue(), file.name)
            except ToolkitError as error:
                refuse(error)
            else:
                st.toast(say("labels.imported", count=count))
                st.rerun()
        if not labels:
            st.caption(say("labels.none"))
            return
        st.dataframe(
            {t("compare.address"): list(labels), t("compare.label"): list(labels.values())},
            hide_index=True,
            height=220,
        )


def import_labels(content: bytes, name: str) -> int:
    """Keep the labels of a CSV, all or none.

    Errors: UnreadableFileError, StoreError.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFileError(
            f"{name} is not text in UTF-8.", remedy="Save it as CSV (UTF-8)."
        ) from None
    return session.workspace().labels.keep(parse_labels(text, name))
