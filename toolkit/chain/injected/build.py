"""Compiles aggregator.yul with solc and writes bytecode.py beside it.

Needs Node and the npm package solc: `npm install solc@0.8.37`, its folder in
TOOLKIT_NODE_MODULES. A test compiles again and compares.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
SOURCE: Final = HERE / "aggregator.yul"
EVM_VERSION: Final = "byzantium"

_COMPILE: Final = (
    "const solc = require('solc');"
    "process.stdin.on('data', (part) => (globalThis.text = (globalThis.text ?? '') + part));"
    "process.stdin.on('end', () => process.stdout.write(JSON.stringify("
    "{version: solc.version(), output: JSON.parse(solc.compile(globalThis.text))})));"
)


def compiled(node_modules: Path) -> tuple[str, str]:
    """Compile the source, and return the code as hex and the compiler's version.

    Errors: RuntimeError with the compiler's own words.
    """
    wanted = {
        "language": "Yul",
        "sources": {"aggregator": {"content": SOURCE.read_text("utf-8")}},
        "settings": {
            "evmVersion": EVM_VERSION,
            "optimizer": {"enabled": True, "runs": 10_000, "details": {"yul": True}},
            "outputSelection": {"*": {"*": ["evm.bytecode.object"]}},
        },
    }
    done = subprocess.run(  # noqa: S603  # a fixed command
        ["node", "-e", _COMPILE],  # noqa: S607  # whichever Node the developer has
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        env=os.environ | {"NODE_PATH": str(node_modules)},
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"solc did not run: {done.stderr[-400:]}")
    answer = json.loads(done.stdout)
    problems = [e for e in answer["output"].get("errors", ()) if e["severity"] == "error"]
    if problems:
        raise RuntimeError("\n".join(e["formattedMessage"] for e in problems))
    code = answer["output"]["contracts"]["aggregator"]["Aggregator"]["evm"]["bytecode"]["object"]
    return code, answer["version"].partition("+")[0]


def module_text(code: str, version: str) -> str:
    """Write the Python module that carries the code."""
    lines = [f'    "{code[at : at + 80]}"' for at in range(0, len(code), 80)]
    return "\n".join(
        [
            '"""The compiled aggregator. Written by build.py; do not edit."""',
            "",
            "from typing import Final",
            "",
            "AGGREGATOR_CODE: Final = (",
            '    "0x"',
            *lines,
            ")",
            f'"""aggregator.yul by solc {version} for {EVM_VERSION}."""',
            "",
        ]
    )


if __name__ == "__main__":
    text = module_text(*compiled(Path(os.environ["TOOLKIT_NODE_MODULES"])))
    (HERE / "bytecode.py").write_text(text, "utf-8")
