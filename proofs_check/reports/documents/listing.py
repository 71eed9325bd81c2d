"""``largeprompt list`` prints a line for each row of a paper: its verdict, its place, and what is
wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from numerics.evidence import Verdict
from numerics.terminal.colours import COLOURS, LETTERS
from numerics.terminal.console import console
from numerics.terminal.inputs import InputError
from numerics.terminal.mathematics import as_unicode
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.outcomes import NOT_SETTLED, Outcome, account, outcomes
from proofs_check.core.ledgers.stored import find_ledger
from proofs_check.core.severity import SEVERITIES
from proofs_check.papers.registered import in_scope_as_told
from proofs_check.papers.statements import papers, place
from proofs_check.reports.documents.names import named_paper

__all__ = ["listing", "print_lines"]

#: The widest that the column of places becomes.
_PLACE = 16


def listing(
    paper: str | None = None,
    verdict: str | None = None,
    severity: str | None = None,
    ledger: str | None = None,
) -> int:
    """Print a line for each row of the papers with this key or part of a title, with this verdict
    as printed or gravity of error: a name of the closed list, or how it begins. Always 0; a name
    that is not known is an InputError.
    """
    keys = [named_paper(paper)] if paper is not None else list(papers())
    wanted = "" if verdict is None else _chosen(verdict, (*Verdict, NOT_SETTLED), "--verdict")
    gravity = "" if severity is None else _chosen(severity, SEVERITIES, "--severity")
    kept = find_ledger(ledger)
    screen = console()
    book = Ledger(kept.document["claims"])  # once: it remembers what every chain of needs comes to
    everything = [o for o in outcomes(book).values() if o.row.paper in keys]
    shown = [o for o in everything if wanted in ("", o.verdict) and gravity in ("", o.severity)]
    print_lines(screen, shown)
    screen.print()
    if wanted or gravity:
        heirs = sum(bool(o.follows) for o in shown) if gravity else 0
        rest = f" ({heirs} more follow{'s' if heirs == 1 else ''} from other rows)" if heirs else ""
        said = (
            f"{len(shown) - heirs} of {len(everything)} rows: "
            f"{' and '.join(filter(None, (wanted, gravity)))}{rest}."
        )
        screen.print(Text(said))
    else:
        for key in keys:
            screen.print(Text(f"{key}: {account(book, key).sentence}"))
    screen.print(_legend(shown))
    screen.print(Text(f"From {kept.says}."))
    screen.print(Text(f"One row in full: largeprompt show ID{in_scope_as_told()}"))
    return 0


def _chosen(given: str, names: Sequence[str], option: str) -> str:
    """The name that begins so."""
    text = " ".join(given.split()).casefold()
    found = [str(name) for name in names if text and name.casefold().startswith(text)]
    exact = [name for name in found if name.casefold() == text]
    if len(exact or found) != 1:
        why = "may be each of" if found else "is none of"
        raise InputError(
            f"{option} {given[:40]!r} {why} {', '.join(found or map(str, names))}; write one of them"
        )
    return (exact or found)[0]


def print_lines(screen: Console, shown: Iterable[Outcome], *, places: bool = True) -> None:
    """A line for each row, no wider than the screen; what is cut ends with an ellipsis. Without
    the column of places, a row in which nothing is wrong shows its place instead.
    """
    listed = list(shown)
    width = max((len(o.id) for o in listed), default=0)
    screen_width = screen.width  # which asks the terminal
    column = min(max((len(place(o.row)[1]) for o in listed), default=0), _PLACE)
    for o in listed:
        line = Text.assemble(
            (LETTERS[o.verdict], COLOURS[o.verdict]), " *" if o.row.main else "  ", f" {o.id:{width}}  "
        )
        if places:
            where = Text(place(o.row)[1])
            where.truncate(column, overflow="ellipsis", pad=True)
            line += where + Text("  ")
        line.append(_wrong(o) or ("" if places else as_unicode(o.row.where)))
        line.rstrip()
        line.truncate(screen_width, overflow="ellipsis")
        screen.print(line, no_wrap=True)


def _wrong(o: Outcome) -> str:
    """What is wrong with a row, in a line of words."""
    if o.verdict == NOT_SETTLED:
        return "no claim settles it"
    if o.verdict == Verdict.OPEN:
        return as_unicode(" ".join(c["open"] for c in o.claims if c["open"]))
    if not o.errors:
        return ""
    first = o.errors[0]
    kind = f"follows {o.follows}" if o.follows else o.severity + (f" ({first['at']})" if first["at"] else "")
    return f"{kind}: {as_unicode(first['why'])}".replace("\n", " ")


def _legend(shown: Iterable[Outcome]) -> Text:
    """What the letters of these rows mean."""
    listed = list(shown)
    found = [v for v in (*Verdict, NOT_SETTLED) if v in {o.verdict for o in listed}]
    parts = [Text.assemble((LETTERS[v], COLOURS[v]), f" {v}") for v in found]
    return Text(", ").join([*parts, *([Text("* main result")] if any(o.row.main for o in listed) else [])])
