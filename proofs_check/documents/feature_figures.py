"""The command ``figures --paper LDL``: Figures 1 to 4 of Li, Duan & Liang."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["measure_and_judge"]

#: How the title of our page begins, by which it is told from a page of somebody else.
TITLE = b"<title>In-context regression over features"
#: The rows about the experiments.
EXPERIMENTS = ("LDL:Sec6", "LDL:A.")


def measure_and_judge(arguments: argparse.Namespace, given: Mapping[str, Any]) -> int:
    """Train, judge the sentences about the figures that were trained, write the page.

    Parameters
    ----------
    arguments : argparse.Namespace
    given : mapping
        The choices that differ from those of `Choices`.

    Returns
    -------
    int
        1 if a sentence came out otherwise than declared, which says something with our choices
        only; else 0.
    """
    from numerics.figures.features.page import figure_of, write_page
    from numerics.figures.features.training import FIGURES, Choices, measure
    from numerics.terminal.inputs import writable_folder, writing_into
    from numerics.terminal.progress import duration, progress_bar
    from proofs_check.core.experiments import judge, sentences
    from proofs_check.core.ledger import write_json
    from proofs_check.core.statements import rows
    from proofs_check.documents.experiment_pages import as_html, check_no_other_page, tell

    out = writable_folder(Path(arguments.out))
    check_no_other_page(out / "index.html", TITLE)
    figures, choices = arguments.only or list(FIGURES), Choices(**given)
    with writing_into(out), progress_bar(arguments.quiet, "training") as advance:
        show = lambda state: state.show(advance)
        found = measure(choices, figures, folder=out / "measured", threads=arguments.threads, progress=show)
    say = (lambda line: None) if arguments.quiet else print
    say(f"measured in {duration(found.seconds)} ({duration(found.work_seconds)} of processor time, earlier runs included)")
    # The maps of Figures 2 and 3 are those of the runs behind Figure 1.
    drawn = set(figures) | ({1, 2, 3} if min(figures) < 4 else set())
    ledger = judge(found, concerns=lambda id: id.startswith(EXPERIMENTS) and figure_of(id) in {None, *drawn})
    write_json(ledger.to_json(), out / "ledger" / "ledger.json")
    places = {id: place for place, id in enumerate(rows())}
    with writing_into(out):
        # In the order of the paper, each row before its further checks.
        said = sorted(sentences(ledger), key=lambda sentence: (places[sentence[0].split("/")[0]], sentence[0]))
        page = write_page(found, said, out, words=as_html)
    wrong = tell(ledger, say)
    say(f"figures in {page}, ledger in {out / 'ledger' / 'ledger.json'}")
    if choices != Choices():
        say("verdicts on the block are those of these choices; the ledger declares those of the usual ones")
    return 1 if wrong and choices == Choices() else 0
