"""Tools: read-only questions with every argument required and no I/O of their own."""

from toolkit.tools.answer import Observation, ToolAnswer
from toolkit.tools.asks import Ask, Coin, Steps, ask
from toolkit.tools.runner import Runner
from toolkit.tools.tool import Tool
from toolkit.tools.toolset import BUILT_IN, CallsTools, Pins, ToolCall, Toolset

__all__ = [
    "BUILT_IN",
    "Ask",
    "CallsTools",
    "Coin",
    "Observation",
    "Pins",
    "Runner",
    "Steps",
    "Tool",
    "ToolAnswer",
    "ToolCall",
    "Toolset",
    "ask",
]
