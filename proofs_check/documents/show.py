"""``largeprompt show NAME`` prints what a ledger says of one row, or of the rows of a numbered
statement.
"""

from __future__ import annotations

from rich.text import Text

from numerics.terminal.console import console
from numerics.terminal.inputs import InputError
from numerics.terminal.progress import counted, progress_bar
from proofs_check.core.kept import find_ledger
from proofs_check.core.ledger import Ledger
from proofs_check.core.outcomes import outcomes
from proofs_check.documents.names import named
from proofs_check.documents.row_page import Page

__all__ = ["show"]


def show(name: str, *, ledger: str | None = None, again: bool = False, reseed: int = 0, latex: bool = False) -> int:
    """Print what a ledger says.

    Parameters
    ----------
    name : str
        What `proofs_check.documents.names.named` understands.
    ledger : str, optional
        See `proofs_check.core.kept.find_ledger`.
    again : bool
        Judge the claims now instead of reading their verdicts.
    reseed : int
        With `again`: the family of random streams.
    latex : bool
        Print formulas as LaTeX, whole.

    Returns
    -------
    int
        0; 1 if a claim that was judged again is faulty.

    Raises
    ------
    InputError
        If the name is not known or means several things, or there is no such ledger.

    Examples
    --------
    >>> try:
    ...     show("nowhere")
    ... except InputError as error:
    ...     print(str(error).split(";")[0])
    no statement is called 'nowhere'
    """
    if reseed and not again:
        raise InputError("--reseed draws other random numbers, which a ledger cannot do; add --again")
    kept = find_ledger(ledger)
    entries = {e["id"]: e for e in kept.document["claims"]}
    meant = named(name, entries)
    faulty = False
    if again:
        from proofs_check.core.judging import load_claims, run_claim

        ids = {r.id for r in meant.rows}
        with progress_bar(False, "loading the claims") as advance:
            chosen = [id for id, c in load_claims().items() if (id == meant.claim if meant.claim else c.row in ids)]
            judged = [run_claim(id, reseed) for id in counted(advance, chosen, "judging")]
        entries |= {e["id"]: e for e in judged}
        faulty = any(e["faults"] for e in judged)
    book = Ledger(list(entries.values()))
    found = outcomes(book)
    page = Page(console(), book, latex)
    rows = [found[r.id] for r in meant.rows]
    if len(rows) > 1:
        page.group(meant.title, rows)
    else:
        page.row(rows[0], meant.claim)
    page.screen.print()
    page.paragraph(Text(f"{'Judged now; other rows from' if again else 'From'} {kept.says}."))
    return int(faulty)
