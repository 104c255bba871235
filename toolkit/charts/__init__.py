"""Charts: shape for the eye, exact strings in every tooltip, the pin in every title."""

from toolkit.charts.addresses import balance_panel
from toolkit.charts.frame import as_svg
from toolkit.charts.pools import amount_out_chart, impact_chart, impact_charts, product_curve
from toolkit.charts.transfers import block_chart, net_chart
from toolkit.charts.words import ENGLISH, Words

__all__ = [
    "ENGLISH",
    "Words",
    "amount_out_chart",
    "as_svg",
    "balance_panel",
    "block_chart",
    "impact_chart",
    "impact_charts",
    "net_chart",
    "product_curve",
]
