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
    status = commands.add_parser(
        "status",
        help="the table of what the ledger holds, as it stands in the README",
        description="Prints the table; with --check or --write compares it with the marked block of a file, or puts it there.",
        epilog="exit status: 0; 1 if --check finds another table or --rules a broken rule; 2 if the input is no good",
    )
    status.add_argument("--ledger", default="ledger.json", metavar="FILE", help=_LEDGER)
    what = status.add_mutually_exclusive_group()
    what.add_argument("--check", metavar="FILE", help="whether this file holds the table as it is now")
    what.add_argument("--write", metavar="FILE", help="put the table into this file, between its status marks")
    rules = "also: are enough identities and inequalities of this paper decided, the others explained, few of its rows open"
    status.add_argument("--rules", metavar="KEY", help=rules)
    status.set_defaults(run=_told("status", _status))
    diff = commands.add_parser(
        "diff",
        help="what changed between two ledgers",
        description="Claims, verdicts, standing, edges of dials, slack, needs and settled rows that differ.",
        epilog="exit status: 0 if the ledgers say the same, 1 if they differ, 2 if the input is no good",
    )
    diff.add_argument("old", metavar="OLD", help="ledger.json, or the folder that holds it")
    diff.add_argument("new", metavar="NEW", help="the later one")
    diff.add_argument("--json", action="store_true", help="as JSON: a list of changes")
    diff.add_argument(
        "--rounding", type=_ratio, default=1e-6, metavar="R", help="relative difference that is none (default: %(default)g)"
    )
    diff.set_defaults(run=_told("diff", _diff))


def _ratio(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not in [0, 1)")
    return value


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
    pages = {"errata.html": as_html(errata), "errata.md": as_markdown(errata)}
    for name, text in pages.items():
        write_text(out / name, text)
    for e in errata.entries:
        if not e.script:
            print(f"largeprompt errata: {e.id} has no witness script yet", file=sys.stderr)
    print(f"{errata.counts}; written to {out / 'errata.html'} and {out / 'errata.md'}")
    return 0


def _status(options: argparse.Namespace) -> int:
    from proofs_check.coverage import coverage
    from proofs_check.files import InputError, read_ledger, write_text
    from proofs_check.status import replaced, status

    document = read_ledger(Path(options.ledger))
    table, out = status(document), 0
    if options.check or options.write:
        path = Path(options.check or options.write)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
        current = replaced(text, table, str(path))
        if options.write and current != text:
            write_text(path, current)
        elif current != text:
            again = f"largeprompt status --ledger {options.ledger} --write {path}"
            print(f"largeprompt status: the table in {path} is not that of the ledger; run: {again}", file=sys.stderr)
            out = 1
    else:
        print(table)
    if options.rules:
        try:
            reach = coverage(document["claims"], options.rules)
        except KeyError as error:
            raise InputError(error.args[0]) from error
        print(reach.line)
        for rule in reach.broken():
            print(f"largeprompt status: {rule}", file=sys.stderr)
            out = 1
    return out


def _diff(options: argparse.Namespace) -> int:
    import json

    from proofs_check.diff import as_json, changes, show
    from proofs_check.files import read_ledger

    found = changes(read_ledger(Path(options.old)), read_ledger(Path(options.new)), options.rounding)
    if options.json:
        print(json.dumps(as_json(found), indent=1, ensure_ascii=False))
    else:
        show(found)
    return 1 if found else 0
