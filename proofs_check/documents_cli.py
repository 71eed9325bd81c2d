"""The commands that read ledgers: ``errata``, ``status`` and ``diff``. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["add_commands"]

_LEDGER = "what pytest proofs_check/ --ledger DIR wrote (default: %(default)s)"
Run = Callable[[argparse.Namespace], int]


def add_commands(commands: Any) -> None:
    """Add the commands to a parser.

    Parameters
    ----------
    commands : the object that ``ArgumentParser.add_subparsers`` returns
        Each command sets ``run``, a function of the parsed arguments that returns the exit status.

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> add_commands(parser.add_subparsers())
    >>> parser.parse_args(["diff", "a", "b"]).new
    'b'
    """
    errata = commands.add_parser(
        "errata",
        help="what is false as printed, with counterexamples and repairs, as a document for the authors",
        description="Writes errata.html and errata.md from a ledger; the witness scripts are run once more for it.",
    )
    errata.add_argument("--ledger", default="ledger.json", metavar="FILE", help=_LEDGER)
    errata.add_argument("--out", default="errata", metavar="DIR", help="folder to write into (default: %(default)s)")
    errata.add_argument("--paper", default="BB", metavar="KEY", help="key of the paper (default: %(default)s)")
    errata.set_defaults(run=_told("errata", _errata))


def _told(name: str, run: Run) -> Run:
    """Errors in the input become one line and exit status 2."""

    def told(options: argparse.Namespace) -> int:
        from proofs_check.files import InputError

        try:
            return run(options)
        except InputError as error:
            print(f"largeprompt {name}: {error}", file=sys.stderr)
            return 2

    return told


def _errata(options: argparse.Namespace) -> int:
    from proofs_check.errata import as_html, as_markdown, errata_of
    from proofs_check.files import read_ledger, write_text

    errata = errata_of(read_ledger(Path(options.ledger)), options.paper)
    out = Path(options.out)
    write_text(out / "errata.html", as_html(errata))
    write_text(out / "errata.md", as_markdown(errata))
    for e in errata.entries:
        if not e.script:
            print(f"largeprompt errata: {e.id} has no witness script yet", file=sys.stderr)
    print(f"{errata.counts}; written to {out / 'errata.html'} and {out / 'errata.md'}")
    return 0
