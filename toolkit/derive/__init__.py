"""Exact formulas by id: every derived number is recomputed from these."""

from toolkit.derive.arithmetic import (
    Ratio,
    ceil_div,
    difference,
    ratio,
    scaled_ratio,
    share,
    total,
)
from toolkit.derive.constant_product import (
    FEE_UNIT,
    SIDES,
    PoolMove,
    Side,
    amount_out,
    impact,
    move,
    parse_move,
    with_fee,
)
from toolkit.derive.derived import Derived, Input
from toolkit.derive.formulas import (
    FORMULAS,
    Formula,
    Result,
    compute,
    formula_text,
    parse_formula,
)
from toolkit.derive.row_ids import call_row_id, derived_row_id, read_row_id

__all__ = [
    "FEE_UNIT",
    "FORMULAS",
    "SIDES",
    "Derived",
    "Formula",
    "Input",
    "PoolMove",
    "Ratio",
    "Result",
    "Side",
    "amount_out",
    "call_row_id",
    "ceil_div",
    "compute",
    "derived_row_id",
    "difference",
    "formula_text",
    "impact",
    "move",
    "parse_formula",
    "parse_move",
    "ratio",
    "read_row_id",
    "scaled_ratio",
    "share",
    "total",
    "with_fee",
]
