"""The console script ``largeprompt``: ``show``, the documents made from a ledger, and the commands of numerics."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

__all__ = ["main"]


def _show(options: argparse.Namespace) -> int:
    from proofs_check.show import show

    return show(options.id, options.reseed)


def _blueprint(options: argparse.Namespace) -> int:
    from pathlib import Path

    from proofs_check.blueprint import write_blueprint
    from proofs_check.files import InputError

    try:
        made = write_blueprint(Path(options.ledger), Path(options.out))
    except InputError as error:
        print(f"largeprompt blueprint: {error}", file=sys.stderr)
        return 2
    for formula, reason in made.failures:
        print(f"largeprompt blueprint: not typeset, because {reason}: {formula}", file=sys.stderr)
    print(f"{len(made.site.claims)} claims on {len(made.site.rows)} rows; written to {options.out}")
    return 1 if made.failures else 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``largeprompt`` with these arguments (default: those of the process) and return the exit status.

    Examples
    --------
    >>> main(["show", "BB:nothing"])
    2
    """
    from numerics.cli import add_commands
    from proofs_check.documents_cli import add_commands as add_documents

    parser = argparse.ArgumentParser(
        prog="largeprompt",
        description="Verify the theory of softmax attention with long prompts: claims, witnesses, rates.",
        epilog="All claims at once: pytest --pyargs proofs_check (or pytest proofs_check/ in a checkout).",
    )
    commands = parser.add_subparsers(dest="command", metavar="command", required=True)
    show = commands.add_parser("show", help="judge one claim now and show what is printed, checked, refuted and repaired")
    show.add_argument("id", help="an id such as BB:CC.3.b")
    show.add_argument("--reseed", type=int, default=0, metavar="N", help="draw random streams from family N")
    show.set_defaults(run=_show)
    blueprint = commands.add_parser(
        "blueprint",
        help="the ledger as one HTML file: the graph of what needs what, and a page a statement",
        description="Writes one self-contained HTML file, with search; open it in a browser.",
        epilog="exit status: 0; 1 if a formula could not be typeset (its source is shown); 2 if the input is no good",
    )
    blueprint.add_argument(
        "--ledger",
        default="ledger.json",
        metavar="FILE",
        help="what pytest proofs_check/ --ledger DIR wrote (default: %(default)s)",
    )
    blueprint.add_argument("--out", default="blueprint.html", metavar="FILE", help="file to write (default: %(default)s)")
    blueprint.set_defaults(run=_blueprint)
    add_documents(commands)
    add_commands(commands)
    options = parser.parse_args(argv)
    status: int = options.run(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
