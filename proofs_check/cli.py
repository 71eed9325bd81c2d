"""The console script ``largeprompt``: ``show``, the documents made from a ledger, ``figures``, and
the commands of numerics.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

__all__ = ["main"]


def _show(options: argparse.Namespace) -> int:
    from proofs_check.documents.show import show

    return show(options.id, options.reseed)


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``largeprompt`` with these arguments (default: those of the process) and return the exit
    status.

    Examples
    --------
    >>> main(["show", "BB:nothing"])
    2
    """
    from numerics.cli import add_commands
    from numerics.terminal.command import run_command
    from proofs_check.documents.cli import add_commands as add_documents
    from proofs_check.documents.figures import add_figures

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
    add_documents(commands)
    add_figures(commands)
    add_commands(commands)
    return run_command(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
