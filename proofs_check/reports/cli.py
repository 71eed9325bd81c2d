"""The console script ``largeprompt`` and all its commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

__all__ = ["main"]

#: What is printed without a command: what people do, with an example of each.
START = """\
largeprompt checks the statements of three papers on softmax attention with long prompts:
BB (Boursier & Boyer), COL (Collins et al.) and LDL (Li, Duan & Liang).

What is said of a statement, and why:
  largeprompt show "BB:Lemma C.4"
What is false in a paper, with counterexamples and what is true instead:
  largeprompt errata --paper LDL
How far attention on so many tokens is from linear attention, here or with your own matrices:
  largeprompt ask --example isotropic -L 4000
How fast it gets there, or learns (LDL), or how wide its window is (COL), beside what is printed:
  largeprompt rates --paper BB
A lemma or a paper of your own, checked in the same way:
  largeprompt new-paper mine --title "My paper" --id ME

All commands: largeprompt --help; the options of one: largeprompt ask --help"""

# What is imported here comes before `main` can end in good order after Ctrl-C: the rest is imported
# where it is used.


def _parser() -> argparse.ArgumentParser:
    from numerics.terminal.command import Parser
    from numerics.warm import add_warm
    from proofs_check.reports.documents.cli import add_commands as add_documents
    from proofs_check.reports.documents.experiments.command import add_figures
    from proofs_check.reports.documents.ledger_cli import add_ledger_commands
    from proofs_check.reports.rates.ask import add_ask
    from proofs_check.reports.rates.cli import add_rates
    from proofs_check.reports.sweep import add_sweep

    parser = Parser(
        prog="largeprompt",
        description="Verify the theory of softmax attention with long prompts: claims, witnesses, rates.",
        epilog="All claims at once: pytest --pyargs proofs_check (or pytest proofs_check/ in a checkout).",
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    _add_show(commands)
    _add_list(commands)
    for add in (add_documents, add_ledger_commands, add_figures, add_ask, add_rates, add_sweep, add_warm):
        add(commands)
    return parser


def _add_show(commands: argparse._SubParsersAction[Any]) -> None:
    from proofs_check.reports.documents.scope import scope_option, scoped

    show = commands.add_parser(
        "show",
        parents=[scope_option(ledger=True)],
        help="what is said of one statement: verdict, why, what is true instead, and the evidence",
        epilog="exit status: 0; 1 if a claim that was judged --again is faulty; 2 if the input is no good",
    )
    show.add_argument(
        "name",
        metavar="NAME",
        help="an id, as BB:CC.3.b or CC.3, its unique end, 'BB:Lemma C.4', 'eq. 16', 'Theorem A'",
    )
    show.add_argument("--latex", action="store_true", help="formulas as LaTeX, and whole")
    how = show.add_mutually_exclusive_group()
    how.add_argument("--again", action="store_true", help="judge the claims now")
    how.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="C=100",
        help="judge one claim with other numbers; repeatable",
    )
    how.add_argument(
        "--bibtex", action="store_true", help="print the BibTeX entry by which the verdict is cited"
    )
    how.add_argument(
        "--proof", action="store_true", help="check its derivation now, and print it step by step"
    )
    show.add_argument(
        "--reseed", type=int, default=0, metavar="N", help="with --again: draw random streams from family N"
    )
    show.set_defaults(run=scoped(_show))


def _add_list(commands: argparse._SubParsersAction[Any]) -> None:
    from proofs_check.reports.documents.scope import scope_option, scoped

    rows = commands.add_parser(
        "list",
        parents=[scope_option(ledger=True)],
        help="a line for each statement: verdict, place, and what is wrong",
    )
    rows.add_argument(
        "paper", nargs="?", metavar="PAPER", help="key of a paper, or part of its title (default: all)"
    )
    rows.add_argument(
        "--verdict",
        metavar="V",
        help="only rows with this verdict as printed, as REFUTED, r, or 'not settled'",
    )
    rows.add_argument(
        "--severity", metavar="S", help="only errors of this gravity: false, gap, edge, 'text and code', typo"
    )
    rows.set_defaults(run=scoped(_list))


def _show(options: argparse.Namespace) -> int:
    from proofs_check.reports.documents.names import named

    named(options.name.partition("/")[0])  # a row is known at once; its parts are, among claims only
    if options.set:
        from proofs_check.reports.documents.what_if import what_if

        return what_if(options.name, options.set)
    if options.proof:
        from numerics.terminal.progress import progress_bar

        with progress_bar(False, "loading the derivations"):
            from proofs_check.reports.documents.proof_page import show_proof

        return show_proof(options.name, latex=options.latex)
    from proofs_check.reports.documents.show import bibtex, show

    if options.bibtex:
        print(bibtex(options.name, ledger=options.ledger))
        return 0
    return show(
        options.name, ledger=options.ledger, again=options.again, reseed=options.reseed, latex=options.latex
    )


def _list(options: argparse.Namespace) -> int:
    from proofs_check.reports.documents.listing import listing

    return listing(options.paper, options.verdict, options.severity, options.ledger)


def _version() -> str:
    import json
    from importlib import metadata
    from pathlib import Path

    # The ledger of the release keeps its run in the first line, and the claims, 13 MB, after it.
    with (Path(__file__).parents[1] / "ledger.json").open(encoding="utf-8") as file:
        run = json.loads(file.readline().rstrip(",\n") + "}")["run"]
    try:
        version = metadata.version("largeprompt")
    except metadata.PackageNotFoundError:
        version = "not installed"
    # In a checkout the pages lie beside the packages; a wheel brings them into share/.
    places = (Path(__file__).parents[2], Path(sys.prefix) / "share/doc/largeprompt")
    told = next((f"\npages: {p / 'docs'}" for p in places if (p / "docs/results.md").is_file()), "")
    return f"largeprompt {version}\nledger of the release: code {run['code']}{told}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``largeprompt`` with these arguments (default: those of the process) and return the exit
    status.
    """
    try:
        from numerics.terminal.command import run_program
    except KeyboardInterrupt:
        print("largeprompt: interrupted", file=sys.stderr)
        return 130
    return run_program(_parser, _version, argv, start=START)


if __name__ == "__main__":
    sys.exit(main())
