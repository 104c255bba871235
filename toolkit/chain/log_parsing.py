"""Reads the answers of eth_getLogs strictly, and what repeats in them once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, TypeVar

from toolkit.chain.logs import Log, LogScan, Topics
from toolkit.chain.quantities import parse_address_hex, parse_bytes, parse_hash32, parse_quantity
from toolkit.errors import EndpointMisbehavedError, ReadError

_MOST_TOPICS: Final = 4
_WORD_TEXT: Final = 66
"""The characters of 32 bytes in hex, with 0x."""

_FIELDS: Final = itemgetter(
    "blockNumber", "blockHash", "logIndex", "transactionHash", "address", "topics", "data"
)
_NOT_REMOVED: Final = (None, False)

T = TypeVar("T")


def matches(scan: LogScan, log: Log) -> bool:
    """Whether a log is one that the scan asks for. Source: execution-apis, "filter"."""
    return (not scan.addresses or log.address in scan.addresses) and any(
        _fits(_constraints(topics), len(topics), log) for topics in scan.filters
    )


def parse_logs(answer: Any, scan: LogScan, topics: Topics, foot: int, top: int) -> list[Log]:
    """Read the answer to one filter, or raise the error that it is.

    Errors: EndpointMisbehavedError for a malformed log, and for one that was not asked for: it
    is an error and not a row. Everything the endpoint answered instead.
    """
    if isinstance(answer, ReadError):
        raise answer
    if not isinstance(answer, list):
        raise EndpointMisbehavedError("The endpoint's logs are not a list.")
    logs = LogReading().logs(answer)
    if not _all_asked_for(logs, scan, topics, foot, top):
        raise EndpointMisbehavedError("The endpoint returned a log that was not asked for.")
    return logs


def _all_asked_for(logs: Sequence[Log], scan: LogScan, topics: Topics, foot: int, top: int) -> bool:
    """Compare what the logs have between them: far fewer values than there are logs."""
    heights = {log.block_number for log in logs}
    if not logs:
        return True
    if min(heights) < foot or max(heights) > top:
        return False
    if min([len(log.topics) for log in logs]) < len(topics):
        return False
    if scan.addresses and not {log.address for log in logs} <= set(scan.addresses):
        return False
    return all(
        {log.topics[place] for log in logs} <= set(values) for place, values in _constraints(topics)
    )


class _Known(dict[Any, T]):
    """What was read before, by the text it was read from; what is new is read now."""

    def __init__(self, read: Callable[[Any], T]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, text: Any) -> T:
        self[text] = known = self._read(text)
        return known


class LogReading:
    """Reads logs strictly. Numbers, hashes, addresses and topics that repeat are read once."""

    def __init__(self) -> None:
        self._numbers = _Known(lambda text: parse_quantity(text, 63))
        self._hashes = _Known(parse_hash32)
        self._addresses = _Known(parse_address_hex)
        self._topics = _Known(lambda text: parse_bytes(text, 32, field="topic"))

    def logs(self, items: Sequence[Any]) -> list[Log]:
        """Read logs in order. Errors: EndpointMisbehavedError naming what is malformed."""
        if not items:
            return []
        try:
            if any(item.get("removed") not in _NOT_REMOVED for item in items):
                raise EndpointMisbehavedError("The endpoint returned a log that was removed again.")
            return self._by_columns(*zip(*map(_FIELDS, items), strict=True))
        except (AttributeError, KeyError, TypeError):
            # A field is missing, or a list or an object stands where a text belongs.
            raise EndpointMisbehavedError(
                "The endpoint's log is not an object of the fields that a log has."
            ) from None

    def _by_columns(self, *columns: tuple[Any, ...]) -> list[Log]:
        """Read field by field, which takes a third of the time that log by log does."""
        numbers, hashes, indexes, transactions, addresses, topics, data = columns
        if set(map(type, topics)) != {list} or max(map(len, topics)) > _MOST_TOPICS:
            raise EndpointMisbehavedError("The endpoint's log has no list of up to four topics.")
        number_of, hash_of = self._numbers.__getitem__, self._hashes.__getitem__
        address_of, topic_of = self._addresses.__getitem__, self._topics.__getitem__
        return list(
            map(
                Log,
                map(number_of, numbers),
                map(hash_of, hashes),
                map(number_of, indexes),
                map(hash_of, transactions),
                map(address_of, addresses),
                [tuple(map(topic_of, told)) for told in topics],
                _data_of(data),
            )
        )


def _data_of(texts: Sequence[Any]) -> list[bytes]:
    """Read each log's data; where all are one word long, as of one token, in one go."""
    count = len(texts)
    if set(map(len, texts)) == {_WORD_TEXT}:
        joined = "".join(texts)
        if joined[::_WORD_TEXT] == "0" * count and joined[1::_WORD_TEXT] == "x" * count:
            words = _unhexed(joined.replace("0x", ""))
            if len(words) == 32 * count:
                return [words[at : at + 32] for at in range(0, len(words), 32)]
    return [parse_bytes(text) for text in texts]


def _unhexed(digits: str) -> bytes:
    """Turn hex digits into bytes, into none where they are anything else."""
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return b""


def _constraints(topics: Topics) -> Sequence[tuple[int, tuple[bytes, ...]]]:
    """The positions at which a filter wants something, and what will do there."""
    return [
        (place, (topic,) if isinstance(topic, bytes) else topic)
        for place, topic in enumerate(topics)
        if topic is not None
    ]


def _fits(wanted: Sequence[tuple[int, tuple[bytes, ...]]], least: int, log: Log) -> bool:
    """Compare by position; a filter with more positions than the log has never matches."""
    topics = log.topics
    if len(topics) < least:
        return False
    return all(topics[place] in values for place, values in wanted)


def filter_json(topics: Topics) -> list[str | list[str] | None]:
    """Write a filter as eth_getLogs takes it."""
    return list(_written(topics))


def _written(topics: Topics) -> Iterator[str | list[str] | None]:
    for topic in topics:
        if topic is None:
            yield None
        elif isinstance(topic, bytes):
            yield "0x" + topic.hex()
        else:
            yield ["0x" + value.hex() for value in topic]
