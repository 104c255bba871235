"""Code of our own that a state override puts on the chain for the length of one eth_call."""

from toolkit.chain.injected.bytecode import AGGREGATOR_CODE

__all__ = ["AGGREGATOR_CODE"]
