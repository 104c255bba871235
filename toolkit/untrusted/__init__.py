"""Text that anybody could have written on a chain: kept as bytes, shown only through a view."""

from toolkit.untrusted.text import Encoding, UntrustedText
from toolkit.untrusted.traits import MAX_SHOWN, TRAITS

__all__ = ["MAX_SHOWN", "TRAITS", "Encoding", "UntrustedText"]
