"""``largeprompt show NAME`` prints what a ledger says of one row, or of the rows of a numbered
statement; with ``--bibtex`` the entry by which a verdict is cited.
"""

from __future__ import annotations

import shlex
from importlib import metadata

from rich.text import Text

from numerics.terminal.console import console
from numerics.terminal.inputs import InputError
from numerics.terminal.progress import counted, progress_bar
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.outcomes import outcomes
from proofs_check.core.ledgers.stored import find_ledger
from proofs_check.papers.registered import in_scope, limited
from proofs_check.papers.statements import PACKAGE, paper
from proofs_check.papers.witnesses import slug
from proofs_check.reports.documents.errata.referee import prose
from proofs_check.reports.documents.names import named
from proofs_check.reports.documents.row_page import Page, verdict_of_claim, verdict_of_row

__all__ = ["bibtex", "show"]


def show(
    name: str, *, ledger: str | None = None, again: bool = False, reseed: int = 0, latex: bool = False
) -> int:
    """Print what a ledger says of a row, or judge its claims now: 0, or 1 if a claim that was
    judged again, with that family of random streams, is faulty. A name that is not known or means
    several things is an InputError.
    """
    if reseed and not again:
        raise InputError("--reseed draws other random numbers, which a ledger cannot do; add --again")
    kept = find_ledger(ledger)
    entries = {e["id"]: e for e in kept.document["claims"]}
    meant = named(name, entries)
    faulty = False
    if again:
        ids = {r.id for r in meant.rows}
        with progress_bar(False, "loading the claims") as advance:
            from proofs_check.core.judging import load_claims, run_claim

            chosen = [
                id for id, c in load_claims().items() if (id == meant.claim if meant.claim else c.row in ids)
            ]
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


def bibtex(name: str, *, ledger: str | None = None) -> str:
    """The entry, only ASCII, by which the verdict on one row, or on one of its claims, is cited:
    with the day and the digest of the code, since a later version may judge otherwise. It names no
    author where the claims are none of this distribution.
    """
    meant = named(name, [e["id"] for e in find_ledger(ledger).document["claims"]])
    if len(meant.rows) > 1:
        raise InputError(
            f"{meant.title} has {len(meant.rows)} rows; name one, see: largeprompt show {shlex.quote(name)}"
        )
    row, id = meant.rows[0], meant.claim or meant.rows[0].id
    home = next(c for c in in_scope() if row.paper in c.keys)
    with limited((home,)):  # several ledgers, read as one, have several days
        kept = find_ledger(ledger)
        book = Ledger(kept.document["claims"])
        verdict = verdict_of_claim(book.entries[id]) if meant.claim else verdict_of_row(outcomes(book)[id])
    about, run = paper(row.paper), kept.document["run"]
    of = ", ".join(filter(None, (about["authors"], about["title"], row.version)))
    fields = {
        "author": f"{{{metadata.metadata('largeprompt')['Author']}}}" if home.root == PACKAGE else "",
        "title": f"{{{prose(f'{id}: {verdict.plain}')}}}",
        "year": run["date"][:4],
        "howpublished": prose(kept.made[0].upper() + kept.made[1:]),
        "note": prose(f"{row.where}; of: {of}"),
    }
    lines = [f"  {field} = {{{text}}}," for field, text in fields.items() if text]
    return "\n".join([f"@misc{{largeprompt-{slug(id).replace('_', '-')},", *lines, "}"])
