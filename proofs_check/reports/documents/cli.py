"""The commands that make documents of a ledger: ``blueprint``, ``errata`` and ``status``. Each
imports what it needs only when it runs, so that ``--help`` stays fast.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.terminal.inputs import (
    InputError,
    check_folder_around,
    read_bytes,
    writable_folder,
    writing_into,
)
from numerics.terminal.progress import progress_bar
from proofs_check.reports.documents.scope import add_command, scope_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from proofs_check.core.ledgers.stored import Kept
    from proofs_check.reports.documents.errata import Errata

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands to a parser; each sets ``run``, a function of the parsed arguments that
    returns the exit status.

    >>> parser = argparse.ArgumentParser()
    >>> add_commands(parser.add_subparsers())
    >>> parser.parse_args(["errata", "--paper", "BB"]).paper
    'BB'
    """
    command = partial(add_command, commands)
    add = command(
        _blueprint,
        "the ledger as one HTML file: the graph of what needs what, and a page a statement",
        "Writes one self-contained HTML file, with search; open it in a browser.",
        scope_option(ledger=True),
        fails="a formula could not be typeset (its source is shown)",
    ).add_argument
    add("--out", default="blueprint.html", metavar="FILE", help="file to write (default: %(default)s)")
    add(
        "--proofs",
        action="store_true",
        help="check the derivations now, and show each with its claim (half a minute)",
    )
    add = command(
        _errata,
        "what is false as printed, with counterexamples and repairs, as a document for the authors",
        "Writes errata.html and errata.md from a ledger; the witness scripts are run once more for it."
        " The first two printed pages of errata.html hold what a reader in a hurry needs. Several "
        "papers have a folder each.",
        scope_option(ledger=True),
    ).add_argument
    add("--out", default="errata", metavar="DIR", help="folder to write into (default: %(default)s)")
    add("--paper", metavar="KEY", help="key of one paper (default: each in which something is false)")
    add("--latex", action="store_true", help="also write errata.tex, a list to paste into a referee's report")
    status = command(
        _status,
        "which results stand, counts of rows and what is false; keeps files, and the ledger of the "
        "release, in step",
        "Prints them; with --check or --write compares them with the marked blocks of files, or puts them "
        "there. A file that ends in .json is the ledger of the release, proofs_check/ledger.json.",
        scope_option(ledger=True),
        fails=(
            "--check finds another table, --rules a broken rule, or --github or --badge a claim that is "
            "not in order"
        ),
    )
    what = status.add_mutually_exclusive_group()
    what.add_argument(
        "--check", nargs="+", default=[], metavar="FILE", help="whether these files hold what the ledger says"
    )
    what.add_argument(
        "--write", nargs="+", default=[], metavar="FILE", help="put it into these files, between their marks"
    )
    add = status.add_argument
    rules = (
        "also: are enough identities and inequalities of these papers decided, the others explained, few "
        "of their rows open"
    )
    add("--rules", nargs="+", default=[], metavar="KEY", help=rules)
    add("--github", action="store_true", help="print what is false or not in order as annotations of GitHub")
    add("--badge", metavar="FILE", help="write how many statements hold, as the JSON that shields.io draws")


def _blueprint(options: argparse.Namespace) -> int:
    from proofs_check.core.ledgers.stored import find_ledger

    kept, out = find_ledger(options.ledger), Path(options.out)
    with writing_into(out):  # before all claims are loaded, which takes longer
        check_folder_around(out)
    from proofs_check.reports.documents.blueprint import write_blueprint

    proofs = None
    if options.proofs:
        from proofs_check.reports.documents.proof_page import all_proofs

        proofs = all_proofs()
    with progress_bar(False, "drawing the pages") as advance:
        made = write_blueprint(kept.document, out, proofs, advance)
    for formula, reason in made.failures:
        print(f"largeprompt blueprint: not typeset, because {reason}: {formula}", file=sys.stderr)
    print(f"{len(made.site.claims)} claims on {len(made.site.rows)} rows, from {kept.says}; written to {out}")
    return 1 if made.failures else 0


def _errata(options: argparse.Namespace) -> int:
    from proofs_check.core.ledgers.outcomes import account
    from proofs_check.core.ledgers.stored import find_ledger
    from proofs_check.papers.statements import is_own, papers
    from proofs_check.reports.documents.errata import all_errata
    from proofs_check.reports.documents.names import named_paper

    kept, out = find_ledger(options.ledger), Path(options.out)
    wrong = (k for k in papers() if not is_own(k) and account(kept.document, k).false)
    keys = [named_paper(options.paper)] if options.paper else list(wrong)
    if not keys:
        raise InputError(
            f"nothing was found to be false as printed, so there are no errata; this is {kept.says}"
        )
    writable_folder(out)
    with progress_bar(False, "running the witness scripts") as advance:
        made = all_errata(kept.document, keys, advance)
    for key, errata in made.items():
        _write_errata(kept, errata, out if len(keys) == 1 else out / key, options.latex)
    return 0


def _write_errata(kept: Kept, errata: Errata, folder: Path, latex: bool) -> None:
    from proofs_check.core.ledgers.files import write_text
    from proofs_check.reports.documents.errata import as_html, as_latex, as_markdown

    out = writable_folder(folder)
    pages = {"errata.html": as_html(errata), "errata.md": as_markdown(errata)}
    if latex:
        pages["errata.tex"] = as_latex(errata)
    for name, text in pages.items():
        write_text(out / name, text)
    for e in (error for entry in errata.entries for error in entry.errors):
        if not e.script:
            print(f"largeprompt errata: {e.id} has no witness script yet", file=sys.stderr)
    print(f"{errata.count}\nWritten to {', '.join(str(out / name) for name in pages)}, from {kept.says}.")


def _status(options: argparse.Namespace) -> int:
    from proofs_check.core.ledgers.coverage import coverage
    from proofs_check.core.ledgers.files import write_text
    from proofs_check.core.ledgers.stored import find_ledger
    from proofs_check.reports.documents.status import blocks, headline, renewed

    kept, out = find_ledger(options.ledger), 0
    if options.github or options.badge:
        return _annotate(kept.document, options.github, options.badge)
    written = blocks(kept.document)
    try:
        reaches = [coverage(kept.document["claims"], key) for key in options.rules]
    except KeyError as error:
        raise InputError(error.args[0]) from error
    for given in (*options.check, *options.write):
        path = Path(given)
        try:
            text = read_bytes(path).decode("utf-8") if path.is_file() or path.suffix != ".json" else ""
        except (InputError, OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(
                f"cannot read {path}: {why}; name a text file such as README.md, or a ledger.json"
            ) from error
        current, differs = renewed(path, text, kept.document, written)
        if options.write and current != text:
            write_text(path, current)
        elif options.check and differs:
            again = f"largeprompt status --ledger {options.ledger or kept.path} --write {path}"
            print(
                f"largeprompt status: {path} does not hold what the ledger says ({differs}); run: {again}",
                file=sys.stderr,
            )
            out = 1
    if not (options.check or options.write):
        printed = {**written, "headline": headline(kept.document, evidence=True)}
        print("\n\n".join((*printed.values(), f"This is {kept.says}.")))
    for reach in reaches:
        print(reach.line)
        for rule in reach.broken():
            print(f"largeprompt status: {rule}", file=sys.stderr)
            out = 1
    return out


def _annotate(document: Mapping[str, Any], github: bool, badge_file: str | None) -> int:
    import json

    from proofs_check.core.ledgers.files import write_text
    from proofs_check.reports.documents.github import as_annotations, badge

    if github:
        print(*as_annotations(document), sep="\n")
    if badge_file:
        write_text(Path(badge_file), json.dumps(badge(document)) + "\n")
    return 1 if document["run"]["faults"] or any(c["faults"] for c in document["claims"]) else 0
