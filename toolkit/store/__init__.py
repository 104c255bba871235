"""What was read, kept: facts in DuckDB."""

from toolkit.store.blocks import Blocks
from toolkit.store.cached_reader import CachedReader, ProvingReader
from toolkit.store.capabilities import CapabilityMemory
from toolkit.store.database import Database
from toolkit.store.facts import Facts, StoreCounts, StoredFact, count
from toolkit.store.labels import Label, Labels, parse_labels

__all__ = [
    "Blocks",
    "CachedReader",
    "CapabilityMemory",
    "Database",
    "Facts",
    "Label",
    "Labels",
    "ProvingReader",
    "StoreCounts",
    "StoredFact",
    "count",
    "parse_labels",
]
