"""The commands of the package `numerics`, for ``largeprompt`` and ``python -m numerics``. Nothing
heavy is imported before a command runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from numerics.rates.ask import add_ask
from numerics.rates.cli import add_rates
from numerics.sweep.cli import add_sweep
from numerics.terminal.command import run_command

__all__ = ["add_commands", "main"]


def add_commands(commands: Any) -> None:
    """Add the commands of this floor to a parser.

    Parameters
    ----------
    commands : the object that ``ArgumentParser.add_subparsers`` returns
        Each command sets ``run``, a function of the parsed arguments that returns the exit status.

    Examples
    --------
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


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of ``python -m numerics``.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.

    Returns
    -------
    int
        The exit status.
    """
    parser = argparse.ArgumentParser(
        prog="python -m numerics", description="Numerical experiments on softmax attention with long prompts."
    )
    add_commands(parser.add_subparsers(dest="command", metavar="COMMAND", required=True))
    return run_command(parser.parse_args(argv))
