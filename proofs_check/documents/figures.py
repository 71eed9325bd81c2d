"""The command ``figures`` trains what Figures 1 to 8 of Boursier & Boyer show, draws them, and
judges the paper's sentences about them.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proofs_check.core.ledger import Ledger

__all__ = ["add_figures"]

#: The numbers of the figures; they stand here too, so that ``--help`` need not load NumPy.
FIGURES = range(1, 9)
#: How the title of our page begins, by which it is told from a page of somebody else.
TITLE = b"<title>Training of softmax and linear attention"


def add_figures(commands: Any) -> None:
    """Add the command to a parser.

    Parameters
    ----------
    commands : the object that ``ArgumentParser.add_subparsers`` returns

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> add_figures(parser.add_subparsers())
    >>> parser.parse_args(["figures", "--only", "2,6", "--seeds", "3"]).only
    [2, 6]
    """
    figures = commands.add_parser(
        "figures",
        help="train what Figures 1 to 8 show, draw them, and judge what the paper says about them",
        description="Trains softmax and linear attention as in Appendix A.1 ('as written') and as in the authors' code ('as coded')"
        ", and writes DIR/index.html with all figures, their numbers, and DIR/ledger/ledger.json with a verdict on every sentence."
        " A run of one architecture ends once its risk has settled at its exact limit. About six minutes on two processors."
        " DIR/measured keeps every finished run: the same command goes on after a kill, and a second process may help.",
        epilog="exit status: 0; 1 if a sentence came out otherwise than declared; 2 if the input is no good; 130 if interrupted",
    )
    figures.add_argument("--out", default="figures", metavar="DIR", help="where everything goes (default: %(default)s)")
    figures.add_argument(
        "--seeds",
        type=_positive,
        default=1,
        metavar="N",
        help="runs at every length (default: 1, of a chosen seed, and 3 at L = 10 and 100)",
    )
    size = figures.add_mutually_exclusive_group()
    size.add_argument(
        "--full", action="store_true", help="every run to its last step, and 5 seeds at L = 10 and 100: twelve minutes"
    )
    size.add_argument(
        "--quick",
        action="store_true",
        help="a minute and a half: one seed, five lengths, a fifth of the steps; no sentence is judged, and the rest is named",
    )
    figures.add_argument(
        "--threads", type=_positive, metavar="N", help="default: one per processor; the numbers do not depend on it"
    )
    figures.add_argument("--only", type=_figures, metavar="LIST", help="some figures, such as 2,6; their sentences are not judged")
    figures.add_argument("--quiet", action="store_true", help="print errors and sentences that came out otherwise only")
    figures.set_defaults(
        run=_measure_and_judge, interrupted="interrupted; every finished run is kept; give the same command again to go on"
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 1 to 1000")
    return int(text)


def _figures(text: str) -> list[int]:
    found = [int(part) if part.strip().isdecimal() else 0 for part in text.split(",")]
    if not set(found) <= set(FIGURES):
        raise argparse.ArgumentTypeError(f"{text} is no list of figures from 1 to 8, such as 2,6")
    return sorted(set(found))


def _check_no_other_page(page: Path) -> None:
    """Refuse, before anything is trained, to overwrite a page that is not ours."""
    from numerics.terminal.inputs import InputError

    if page.exists() and TITLE not in page.read_bytes()[:2000]:
        raise InputError(f"{page} is no page of this command, and would be overwritten; choose another --out")


def _measure_and_judge(arguments: argparse.Namespace) -> int:
    from numerics.figures.captions import left_out
    from numerics.figures.page import write_page
    from numerics.figures.plan import Plan
    from numerics.figures.run_plan import measure
    from numerics.terminal.inputs import InputError, writable_folder, writing_into
    from numerics.terminal.progress import duration, progress_bar
    from proofs_check.core.experiments import judge, sentences
    from proofs_check.core.ledger import write_json

    if arguments.quick and arguments.seeds > 1:
        raise InputError(f"--quick has one seed; leave out --seeds {arguments.seeds}, or --quick")
    out = writable_folder(Path(arguments.out))
    _check_no_other_page(out / "index.html")
    plan = Plan.quick() if arguments.quick else Plan.full(arguments.seeds) if arguments.full else Plan.usual(arguments.seeds)
    if arguments.only:
        plan = plan.only(*arguments.only)
    with writing_into(out), progress_bar(arguments.quiet, "timing a step") as advance:
        show = lambda state: state.show(advance)
        measured = measure(plan, folder=out / "measured", threads=arguments.threads, progress=show)
    say = (lambda line: None) if arguments.quiet else print
    say(f"measured in {duration(measured.seconds)} ({duration(measured.work_seconds)} of processor time, earlier runs included)")
    if missing := left_out(plan):
        say(f"left out, against --full: {'; '.join(missing + ['every verdict'] * arguments.quick)}")
    if arguments.only or arguments.quick:
        with writing_into(out):
            page = write_page(measured, [], out)
        say(f"figures in {page}; the sentences are judged when all figures are measured{' without --quick' * arguments.quick}")
        return 0
    ledger = judge(measured)
    write_json(ledger.to_json(), out / "ledger" / "ledger.json")
    with writing_into(out):
        page = write_page(measured, sentences(ledger), out, words=_as_html)
    wrong = _tell(ledger, say)
    say(f"figures in {page}, ledger in {out / 'ledger' / 'ledger.json'}")
    return 1 if wrong else 0


def _as_html(text: str) -> str:
    """A sentence of the ledger as HTML: formulas between dollars are typeset, or shown as they are
    written where they cannot be read.

    Examples
    --------
    >>> _as_html("`by` 1e-3 for $L$")
    '<code>by</code> 10<sup>−3</sup> for <math><mi>L</mi></math>'
    """
    from html import escape

    from numerics.pages.text import marked
    from proofs_check.documents import latex

    html = ""
    for i, part in enumerate(re.split(r"\$([^$]+)\$", text)):
        try:
            html += latex.inline(part) if i % 2 else re.sub("`([^`]+)`", r"<code>\1</code>", marked(part))
        except latex.LatexError:
            html += f"<code>{escape(part)}</code>"
    return html


def _tell(ledger: Ledger, say: Callable[[str], None]) -> list[str]:
    """Print a line for each sentence; return those that came out otherwise than declared, which go
    to stderr.
    """
    from numerics.terminal.mathematics import as_unicode

    width = max((len(id) for id in ledger.entries), default=0)
    for id, e in ledger.entries.items():
        repaired = f" -> {e['repair']['verdict']} as repaired" if e["repair"] else ""
        say(f"{id:<{width}}  {e['verdict']}{repaired}: {as_unicode(e['says'])}")
    wrong = [f"{id}: {fault}" for id, e in ledger.entries.items() for fault in e["faults"]] + ledger.faults()
    for line in wrong:
        print(f"largeprompt figures: {line}", file=sys.stderr)
    return wrong
