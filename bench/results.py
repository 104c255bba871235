"""What each section measured, kept beside each other, and the page that is made of all."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.report import ratio, table

HERE = Path(__file__).parent
FOLDER = HERE / "results"
PAGE = HERE / "RESULTS.md"
WHY = HERE / "floors.toml"
"""Why a promise is not met and what the floor is: `key = "sentence"`, written by a person."""

ABOUT = """# Measured

Written by `make bench` on local chains: every value is compared with a closed form, every cold
round asks for what was never asked before, peers take turns. Each peer has an interpreter of its
own and is warmed up before its clock runs; requests are counted through a proxy, times are taken
without it, and once more with a proxy that holds each request for 50 ms. Where overrides are
refused, the toolkit's own transport refuses them while times are taken, and the proxy does
elsewhere. In brackets stands how the toolkit's reads travelled.

The toolkit's times hold all it owes beside the value: validated arguments, the pin, the look-up
in the store, the header check and provenance. Every value is decoded within them; the data model
and the envelope around it are built when they are looked at. Facts are written to DuckDB after
the answer, or sooner where somebody asks for the file; rows that say so wait for that too. A byte
floor posts the very bytes that the toolkit posted and reads the answers, without a codec, one
request after another on one connection. The leanest reference pins, looks up, reads by one
aggregate, keeps on disk and re-checks, written by hand without models or provenance. The other
peers give values only, unless their row says more.

Ratios are of minima, and the machine is shared: read ratios, not milliseconds."""


@dataclass(frozen=True, slots=True)
class Owed:
    """One promise of the performance table, and what became of it. None: it has no measure."""

    key: str
    work: str
    owed: str
    measured: str
    met: bool | None


@dataclass(slots=True)
class Section:
    """What one section found."""

    tables: list[str] = field(default_factory=list)
    owed: list[Owed] = field(default_factory=list)
    versions: set[str] = field(default_factory=set)

    def at_most(
        self, key: str, work: str, text: str, pair: tuple[float | None, float | None], most: float
    ) -> None:
        """Note a promise of the form: mine is at most so many times the other's."""
        mine, other = pair
        met = None if mine is None or not other else mine <= most * other
        told = "not measured" if met is None else f"{ratio(mine, other)}x"
        self.owed.append(Owed(key, work, text, told, met))

    def promise(self, key: str, work: str, text: str, measured: str, *, met: bool | None) -> None:
        """Note any other promise."""
        self.owed.append(Owed(key, work, text, measured, met))


def keep(name: str, section: Section) -> None:
    """Put one section's findings in the place of its last ones."""
    FOLDER.mkdir(exist_ok=True)
    kept = {
        "tables": section.tables,
        "owed": [asdict(one) for one in section.owed],
        "versions": sorted(section.versions, key=str.lower),
    }
    (FOLDER / f"{name}.json").write_text(
        json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )


def assemble(names: Iterable[str]) -> None:
    """Write RESULTS.md from every section that was ever measured, in this order."""
    files = [FOLDER / f"{name}.json" for name in names]
    kept = [json.loads(file.read_text("utf-8")) for file in files if file.exists()]
    owed = [Owed(**one) for section in kept for one in section["owed"]]
    why = tomllib.loads(WHY.read_text("utf-8")) if WHY.exists() else {}
    parts = [ABOUT, "## What is owed and what was measured", *_promises(owed, why)]
    for section in kept:
        parts += section["tables"]
    versions = {version for section in kept for version in section["versions"]}
    parts.append(f"Versions: {', '.join(sorted(versions, key=str.lower))}.")
    PAGE.write_text("\n\n".join(parts) + "\n", "utf-8")


def _promises(owed: list[Owed], why: dict[str, str]) -> Iterable[str]:
    """The table of promises, and below it a line for each that is not met."""
    said = {True: "yes", False: "no", None: "-"}
    rows = [[one.work, one.owed, one.measured, said[one.met]] for one in owed]
    yield table(["work", "owed", "measured", "met"], rows)
    missed = [one for one in owed if one.met is False]
    if missed:
        reasons = [
            f"- {one.work}: {one.owed}. {why.get(one.key, f'Not explained yet: {one.key}.')}"
            for one in missed
        ]
        yield "Not met, and the floor:\n\n" + "\n".join(reasons)
