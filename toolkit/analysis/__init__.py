"""Analysis: answers of one block become matrices, depths and lists. Pure, exact, price-free."""

from toolkit.analysis.addresses import Comparison, comparison_calls
from toolkit.analysis.caveats import SENTENCES, Caveat
from toolkit.analysis.cell import NATIVE, Cell
from toolkit.analysis.change import Change, ChangedCell, change, check_order
from toolkit.analysis.definitions import DEFINITIONS
from toolkit.analysis.pinned import one_pin, pin_json
from toolkit.analysis.pool_reading import Move, PoolReading, Trade
from toolkit.analysis.pools import MOVES, PoolDepth, depth_calls
from toolkit.analysis.transfers import Net, TransferList

__all__ = [
    "DEFINITIONS",
    "MOVES",
    "NATIVE",
    "SENTENCES",
    "Caveat",
    "Cell",
    "Change",
    "ChangedCell",
    "Comparison",
    "Move",
    "Net",
    "PoolDepth",
    "PoolReading",
    "Trade",
    "TransferList",
    "change",
    "check_order",
    "comparison_calls",
    "depth_calls",
    "one_pin",
    "pin_json",
]
