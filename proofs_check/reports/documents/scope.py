"""The parsers of commands, and the options of those that read ledgers: of which papers they speak,
and in which ledger.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["add_command", "scope_option", "scoped"]


def scope_option(*, ledger: bool = False) -> argparse.ArgumentParser:
    """A parent of the parsers of commands that have ``--papers``, and ``--ledger`` if asked for.

    >>> argparse.ArgumentParser(parents=[scope_option()]).parse_args(["--papers", "mine"]).papers
    ['mine']
    """
    parent = argparse.ArgumentParser(add_help=False)
    parent.add_argument(
        "--papers",
        action="append",
        default=[],
        metavar="DIR",
        help=(
            "speak of the papers in this folder, whose ledger is in DIR/build, not of the installed ones; "
            "repeatable"
        ),
    )
    if ledger:
        default = "(default: that of the last run in build/, else that of the release)"
        parent.add_argument(
            "--ledger", metavar="FILE", help=f"a ledger, or the folder that holds it {default}"
        )
    return parent


def scoped(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """A command that speaks of the papers that ``--papers`` names."""

    def run_it(options: argparse.Namespace) -> int:
        from proofs_check.papers.registered import limited
        from proofs_check.papers.statements import add_folder

        with limited([add_folder(Path(folder)) for folder in options.papers]):
            return run(options)

    return run_it


def add_command(
    commands: Any, run: Callable[..., int], help: str, description: str, *scope: Any, fails: str = ""
) -> Any:
    """The parser of a command, which has the options of `scope` and exits with 1 if it `fails`."""
    name = run.__name__.strip("_").replace("_", "-")
    epilog = f"exit status: 0;{f' 1 if {fails};' if fails else ''} 2 if the input is no good"
    parser = commands.add_parser(name, parents=scope, help=help, description=description, epilog=epilog)
    parser.set_defaults(run=scoped(run) if scope else run)
    return parser
