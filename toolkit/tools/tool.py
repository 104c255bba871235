"""What a tool is: arguments without defaults, data, steps without I/O, and six statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from toolkit.errors import InvalidArgumentError
from toolkit.models import BlockHash, BlockHeight, BlockTag, ErrorCode, Frozen
from toolkit.tools.asks import Steps

ENDPOINT_ERRORS: Final[tuple[ErrorCode, ...]] = (
    "invalid_argument",
    "unknown_chain",
    "chain_mismatch",
    "block_not_found",
    "block_ahead_of_head",
    "state_unavailable",
    "rate_limited",
    "timeout",
    "endpoint_unreachable",
    "endpoint_misbehaved",
    "endpoints_disagree",
    "reorged",
)
"""What any read can end in, whatever the tool."""

RETRIES: Final = (
    "Retries are the toolkit's own: at most 3 attempts with backoff and jitter. "
    "Do not retry in the caller."
)
CALLS_PER_TASK: Final = 20


@dataclass(frozen=True, slots=True)
class Tool:
    """One read-only question. It does not build unless all six statements are there.

    1 `reads`: what is read and where. 2 each field of `args`: type, unit, no default.
    3 each field of `data`: unit and shape. 4 `excludes`: what it does not do.
    5 `errors`: how it fails. 6 `cost`: what it costs.
    """

    name: str
    version: str
    reads: str
    args: type[Frozen]
    data: type[Frozen]
    steps: Callable[[Any], Steps[Any]]
    excludes: tuple[str, ...]
    errors: tuple[ErrorCode, ...]
    cost: str
    block_field: str = field(default="block")

    def __post_init__(self) -> None:
        for statement in ("name", "version", "reads", "excludes", "errors", "cost"):
            if not getattr(self, statement):
                raise TypeError(f"Tool {self.name!r} does not state its {statement}.")
        for model in (self.args, self.data):
            for name, info in model.model_fields.items():
                if not info.description:
                    raise TypeError(f"{model.__name__}.{name} of {self.name!r} is not described.")
        for name, info in self.args.model_fields.items():
            if info.default is not PydanticUndefined or info.default_factory is not None:
                raise TypeError(f"Argument {name!r} of {self.name!r} has a default; none may.")

    @property
    def id(self) -> str:
        """Name and version, as provenance states them."""
        return f"{self.name}@{self.version}"

    @property
    def description(self) -> str:
        """The six statements as one text: what a model, a help page and an MCP client read."""
        takes = " ".join(f"{n}: {i.description}" for n, i in self.args.model_fields.items())
        gives = " ".join(f"{n}: {i.description}" for n, i in self.data.model_fields.items())
        return "\n".join(
            (
                self.reads,
                f"Arguments, all required, none has a default. {takes}",
                f"Returns. {gives}",
                f"Does not: {'; '.join(self.excludes)}.",
                f"Fails with: {', '.join(self.errors)}. {RETRIES}",
                f"Costs: {self.cost} At most {CALLS_PER_TASK} calls a task are advised. "
                "Compare values of one and the same block only.",
            )
        )

    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        return self.args.model_json_schema()

    def output_schema(self) -> dict[str, Any]:
        """The JSON Schema of the data."""
        return self.data.model_json_schema(mode="serialization")

    def parse(self, arguments: dict[str, Any]) -> Frozen:
        """Validate arguments into `args`.

        Errors: InvalidArgumentError, one sentence per fault, each with the way out.
        """
        try:
            # What model_validate does, less a quarter of its time.
            args: Frozen = self.args.__pydantic_validator__.validate_python(arguments)
        except ValidationError as error:
            raise InvalidArgumentError(self._faults(error)) from None
        return args

    def _faults(self, error: ValidationError) -> str:
        """Put pydantic's findings into sentences that name the argument and the remedy."""
        said: list[str] = []
        for fault in error.errors(include_url=False, include_context=False):
            name = str(fault["loc"][0]) if fault["loc"] else "arguments"
            declared = self.args.model_fields.get(name)
            about = declared.description if declared else ""
            if fault["type"] == "missing":
                said.append(f"{self.name} needs {name}, which has no default. {about}")
            elif fault["type"] == "extra_forbidden":
                known = ", ".join(self.args.model_fields)
                said.append(f"{self.name} has no argument {name!r}. It takes: {known}.")
            else:
                said.append(f"{name}: {fault['msg'].removeprefix('Value error, ').rstrip('.')}.")
        return " ".join(dict.fromkeys(said))

    def block_of(self, args: Frozen) -> BlockHeight | BlockHash | BlockTag:
        """The block that the whole call is pinned to."""
        block: BlockHeight | BlockHash | BlockTag = getattr(args, self.block_field)
        return block
