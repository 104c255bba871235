"""Where `toolkit` and `python -m toolkit` start."""

from __future__ import annotations

import sys

from toolkit.cli.run import run


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
