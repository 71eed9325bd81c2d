"""The options of commands that read ledgers: of which papers they speak, and in which ledger."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

__all__ = ["scope_option", "scoped"]


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
