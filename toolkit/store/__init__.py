"""What was read, kept: facts in DuckDB."""

from toolkit.store.blocks import Blocks
from toolkit.store.cached_reader import CachedReader, ProvingReader
from toolkit.store.capabilities import CapabilityMemory
from toolkit.store.compacting import Compacted, compact
from toolkit.store.database import Database
from toolkit.store.facts import Facts, StoredFact
from toolkit.store.holdings import StoreCounts, StoredBlock, blocks_at, count
from toolkit.store.labels import Label, Labels, parse_labels

__all__ = [
    "Blocks",
    "CachedReader",
    "CapabilityMemory",
    "Compacted",
    "Database",
    "Facts",
    "Label",
    "Labels",
    "ProvingReader",
    "StoreCounts",
    "StoredBlock",
    "StoredFact",
    "blocks_at",
    "compact",
    "count",
    "parse_labels",
]
