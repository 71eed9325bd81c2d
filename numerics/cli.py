"""The commands of the package `numerics`, for ``largeprompt`` and ``python -m numerics``. Nothing
heavy is imported before a command runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import metadata
from typing import Any

from numerics.rates.ask import add_ask
from numerics.rates.cli import add_rates
from numerics.sweep.cli import add_sweep
from numerics.terminal.command import Parser, run_program
from numerics.warm import add_warm

__all__ = ["add_commands", "main", "version"]


def add_commands(commands: Any) -> None:
    """Add the commands of this floor to what ``add_subparsers`` returned; each sets ``run``, a
    function of the parsed arguments that returns the exit status.

    >>> parser = argparse.ArgumentParser()
    >>> add_commands(parser.add_subparsers())
    >>> parser.parse_args(["rates", "--seed", "3"]).seed
    3
    >>> parser.parse_args(["sweep", "grid.toml"]).grid
    'grid.toml'
    """
    add_ask(commands)
    add_rates(commands)
    add_sweep(commands)
    add_warm(commands)


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of ``python -m numerics``."""

    def parser() -> argparse.ArgumentParser:
        made = Parser(
            prog="python -m numerics",
            description="Numerical experiments on softmax attention with long prompts.",
        )
        add_commands(made.add_subparsers(dest="command", metavar="COMMAND"))
        return made

    return run_program(parser, version, argv)


def version() -> str:
    """Name and version of the distribution.

    >>> version().split()[0]
    'largeprompt'
    """
    try:
        return f"largeprompt {metadata.version('largeprompt')}"
    except metadata.PackageNotFoundError:
        return "largeprompt, not installed"
