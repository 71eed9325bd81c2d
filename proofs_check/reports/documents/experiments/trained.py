"""The command ``figures`` for Li, Duan & Liang (Figures 1 to 4) and Collins et al. (Figures 1 to 5,
7 and 9).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["measure_and_judge"]


class _Paper(NamedTuple):
    """Where the figures of a paper are made."""

    #: Its folder among the experiments, and among the figures.
    folder: str
    #: How the title of our page begins, by which it is told from a page of somebody else.
    title: bytes
    #: How the ids of the rows about experiments begin.
    experiments: tuple[str, ...]
    #: Figures of one training: claims about each are judged where any of them is drawn.
    together: frozenset[int]
    #: Whether the verdicts are those of the curves that were trained; else claims compute or train
    #: what they need, and the choices do not matter to them.
    judged_on_these: bool
    #: What --quick chooses.
    quick: Mapping[str, int]


_PAPERS = {
    # The maps of Figures 2 and 3 are those of the runs behind Figure 1.
    "LDL": _Paper(
        "li_duan_liang",
        b"<title>In-context regression over features",
        ("LDL:Sec6", "LDL:A."),
        frozenset({1, 2, 3}),
        True,
        {"runs": 3},
    ),
    "COL": _Paper(
        "collins",
        b"<title>The attention window",
        ("COL:Fig", "COL:3.2.beyond", "COL:J.setup"),
        frozenset(),
        False,
        {"steps": 1000, "trials": 2},
    ),
}


def measure_and_judge(arguments: argparse.Namespace, given: Mapping[str, Any]) -> int:
    """Train with the choices that differ from those of the paper's `Choices`, judge the sentences
    about the figures that were trained, write the page: 1 if a sentence came out otherwise than
    declared, which says something with our choices only where verdicts are those of the curves;
    else 0.
    """
    from numerics.terminal.inputs import InputError, writable_folder, writing_into
    from numerics.terminal.progress import duration, progress_bar
    from proofs_check.reports.documents.experiments.pages import as_html, check_no_other_page, tell

    paper = _PAPERS[arguments.paper]
    out = writable_folder(Path(arguments.out))
    check_no_other_page(out / "index.html", paper.title)
    from proofs_check.core.experiments import judge, sentences
    from proofs_check.core.ledgers.ledger import write_json
    from proofs_check.papers.statements import rows
    from proofs_check.reports.figures.trained.page import write_page

    training = import_module(f"numerics.experiments.{paper.folder}.training")
    page_of = import_module(f"proofs_check.reports.figures.{paper.folder}.page").PAGE
    figures = arguments.only or list(training.FIGURES)
    choices = training.Choices(**{**(paper.quick if arguments.quick else {}), **given})
    with writing_into(out), progress_bar(arguments.quiet, "training") as advance:
        show = lambda state: state.show(advance)
        try:
            found = training.measure(
                choices, figures, folder=out / "measured", threads=arguments.threads, progress=show
            )
        except ValueError as error:
            raise InputError(str(error)) from error
    say = (lambda line: None) if arguments.quiet else print
    say(
        f"measured in {duration(found.seconds)} ({duration(found.work_seconds)} of processor time, "
        "earlier runs included)"
    )
    if arguments.quick:
        with writing_into(out), progress_bar(arguments.quiet, "drawing the figures"):
            page = write_page(page_of, found, [], out, formats=arguments.format)
        say(f"figures in {page}; the sentences are judged without --quick")
        return 0
    drawn = set(figures) | (paper.together if paper.together & set(figures) else set())
    concerns = lambda id: id.startswith(paper.experiments) and page_of.figure_of(id) in {None, *drawn}
    with progress_bar(arguments.quiet, "judging the sentences"):
        ledger = judge(found, concerns=concerns)
    write_json(ledger.to_json(), out / "ledger" / "ledger.json")
    places = {id: place for place, id in enumerate(rows())}
    with writing_into(out), progress_bar(arguments.quiet, "drawing the figures"):
        # In the order of the paper, each row before its further checks.
        said = sorted(
            sentences(ledger), key=lambda sentence: (places[sentence[0].split("/")[0]], sentence[0])
        )
        page = write_page(page_of, found, said, out, words=as_html, formats=arguments.format)
    wrong = tell(ledger, arguments.quiet)
    say(f"figures in {page}, ledger in {out / 'ledger' / 'ledger.json'}")
    usual = choices == training.Choices()
    if not usual and paper.judged_on_these:
        say(
            "verdicts on trained curves are those of these choices; the ledger declares those of the "
            "usual ones"
        )
    return 1 if wrong and (usual or not paper.judged_on_these) else 0
