"""An answer's envelope: as JSON, or as pin, fields and caveats for a person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolkit.cli.session import Session
from toolkit.tools import ToolAnswer
from toolkit.workspace.finality import finality_words


def envelope_json(answer: ToolAnswer) -> dict[str, Any]:
    """The public result, every chain integer as decimal text."""
    return answer.envelope().model_dump(mode="json", by_alias=True)


def show_answer(session: Session, answer: ToolAnswer) -> None:
    """Write one answer. An error goes to stderr too, as the sentence that a person reads."""
    envelope = envelope_json(answer)
    error, provenance = envelope["error"], envelope["provenance"]
    if provenance["store_note"]:
        session.screen.say(provenance["store_note"])
    if session.as_json:
        session.screen.document(envelope)
    elif envelope["data"] is not None:
        _show_provenance(session, answer, provenance)
        _show_data(session, envelope["data"])
        _show_caveats(session, answer, provenance)
    if error is not None:
        session.screen.say(f"{error['message']} {error['remedy']}".strip())


def _show_provenance(session: Session, answer: ToolAnswer, provenance: dict[str, Any]) -> None:
    """The pin line and the hash, in the words of the pin strip."""
    observed = answer.pinned.finality if answer.pinned else None
    finality = "" if observed is None else finality_words(observed, session.language)
    endpoint = f"{session.word('strip.endpoint')} {provenance['endpoint_id']}"
    parts = [
        f"{session.word('strip.chain')} {provenance['chain_id']}",
        f"{session.word('strip.block')} {provenance['block_number']}",
        provenance["block_timestamp"],
        finality,
        endpoint,
        session.word("strip.price_free"),
    ]
    if provenance["source"] == "recording":
        parts.insert(0, session.word("strip.demo"))
    session.screen.line(" \u00b7 ".join(parts), strong=True)
    session.screen.line(f"{session.word('strip.hash')} {provenance['block_hash']}")
    session.screen.line()


def _show_data(session: Session, data: dict[str, Any]) -> None:
    """Every field; a list of rows becomes a table of its own."""
    lists = {name: value for name, value in data.items() if isinstance(value, list)}
    fields = [(name, _shown(session, value)) for name, value in data.items() if name not in lists]
    session.screen.table((session.word("cli.field"), session.word("compare.value")), fields)
    for name, rows in lists.items():
        session.screen.line()
        session.screen.line(f"{name} ({len(rows)})", strong=True)
        if rows:
            cells = [[_shown(session, value) for value in row.values()] for row in rows]
            session.screen.table(list(rows[0]), cells)


def _shown(session: Session, value: Any) -> str:
    """One value as text: untrusted text marked as such, what is unknown with its reason."""
    if isinstance(value, dict) and "untrusted_text" in value:
        odd = [session.word(f"trait.{trait}") for trait in value["traits"]]
        marks = [session.word("cli.untrusted"), value["encoding"], *odd]
        return f"{value['untrusted_text']}  [{', '.join(marks)}]"
    if isinstance(value, dict) and "code" in value:
        return session.word("cli.unknown", code=value["code"], message=value["message"])
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(session, each)}" for name, each in value.items())
    if value is None:
        return session.word("words.none")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _show_caveats(session: Session, answer: ToolAnswer, provenance: dict[str, Any]) -> None:
    session.screen.line()
    session.screen.line(session.word("caveats.title"), strong=True)
    for line in _caveats(session, answer, provenance):
        session.screen.line(f"- {line}")


def _caveats(session: Session, answer: ToolAnswer, provenance: dict[str, Any]) -> Iterator[str]:
    """What any answer may need said, then what this tool does not do, in its own words."""
    yield session.word("caveat.value_not_queried")
    if provenance["assurance"] == "single":
        yield session.word("caveat.single_endpoint")
    if provenance["finality"] == "orphaned":
        yield session.word("caveat.orphaned")
    elif provenance["finality"] != "finalized":
        yield session.word("caveat.not_final")
    for negation in answer.tool.excludes:
        yield session.word("cli.does_not", tool=answer.tool.name, negation=negation)
