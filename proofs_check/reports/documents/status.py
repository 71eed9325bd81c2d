"""``largeprompt status`` says what a ledger holds: which results stand, by paper in the README and
one by one in ``docs/results.md``, and the list of false statements in ``docs/errata.md``. Nothing
in them changes from run to run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from numerics.terminal.inputs import InputError
from proofs_check.core.instead import told_instead
from proofs_check.core.ledgers.files import read_ledger
from proofs_check.core.ledgers.losses import CHANGED, LOST, STANDS, listed
from proofs_check.core.ledgers.outcomes import NOT_SETTLED, account, outcomes
from proofs_check.core.ledgers.stored import release_text
from proofs_check.core.severity import in_words
from proofs_check.papers.statements import is_own, paper, papers
from proofs_check.reports.documents.diff import changes
from proofs_check.reports.documents.repeated import difference
from proofs_check.reports.documents.second_opinion import kept

__all__ = [
    "block_of",
    "blocks",
    "cited",
    "errata",
    "headline",
    "losses",
    "marks",
    "renewed",
    "replaced",
    "status",
]

#: Verdicts of settled rows, in the order of the columns.
COLUMNS = ("PROVED", "CERTIFIED", "ARGUED", "SUPPORTED", "REFUTED")
EXPLAINED = (
    "A row is a printed statement or a step of a proof; its verdict is that of the statement **as printed**, "
    "and REFUTED as soon as anything claimed there is, else that of the weakest of its parts."
)
EVIDENCE = "The evidence of a result is the weakest verdict among it, as repaired, and all it needs."
GROUPS = {"statements": (), "assumptions and citations": ("assumption", "cited"), "experiments": ("NUM",)}


def status(document: Mapping[str, Any]) -> str:
    """The table of verdicts of a whole run, in Markdown. An InputError says that not every claim
    ran, that one is not in order, or that the random numbers are not the published ones.
    """
    from proofs_check.reports.documents.errata.markdown import paragraph

    run = document["run"]
    if run.get("partial"):
        raise InputError(
            "the ledger is of a run of some claims only; run all of them: pytest --pyargs proofs_check "
            "--ledger DIR"
        )
    if run.get("reseed"):
        again = "run all claims without it: pytest --pyargs proofs_check"
        raise InputError(f"the ledger is of --reseed {run['reseed']}; {again}")
    faulty = [*run["faults"], *(f"{c['id']}: {f}" for c in document["claims"] for f in c.get("faults", ()))]
    if faulty:
        raise InputError(f"the ledger holds claims that are not in order, the first: {faulty[0]}")
    head = ("", "rows", *COLUMNS, "of these repaired", "not settled")
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(line) + " |" for line in _lines(document)]
    shares = (
        f"The shares of statistical error of all {len(document['claims'])} claims add up to "
        f"{run['error']:.1e}."
    )
    return "\n".join(lines) + "\n\n" + paragraph(f"{EXPLAINED} {shares}")


def _lines(document: Mapping[str, Any]) -> Iterator[list[str]]:
    known = outcomes(document).values()
    for key in papers():
        for group in GROUPS:
            mine = [o for o in known if o.row.paper == key and _group(o.row.kind) == group]
            if not mine:
                continue
            found = Counter(o.verdict for o in mine)
            repaired = sum(o.repaired for o in mine if o.verdict == "REFUTED")
            name = f"our own: {group}" if is_own(key) else f"{key}: {group}"
            counts = (
                len(mine),
                *(found[v] for v in COLUMNS),
                repaired,
                sum(found[v] for v in ("OPEN", NOT_SETTLED)),
            )
            yield [name, *(str(n) if n else "." for n in counts)]


def _group(kind: str) -> str:
    return next((group for group, kinds in GROUPS.items() if kind in kinds), "statements")


def headline(document: Mapping[str, Any], *, evidence: bool = False) -> str:
    """The main results of each paper, which of its numbered results stand, and the count of what is
    false in it, in Markdown; with the weakest link of all that a result rests on, if asked for.
    """
    from proofs_check.reports.documents.errata.markdown import github, paragraph

    head = ("main result", "what it says", "stands", "what to change", "evidence")
    lines, counts = [], []
    for key in papers():
        told = account(document, key)
        for r in told.headline:
            name = f"{r.title} (ours)" if is_own(key) else f"{key}: {r.title}"
            lines.append((name, github(r.says), github(r.told), github(r.to_change), r.evidence))
        said = f"{told.losses[0].lower()}{told.losses[1:]} {told.sentence}"
        counts.append(f"{'Our own results' if is_own(key) else key}: {said}")
    shown = slice(None if evidence else -1)
    table = [
        "| " + " | ".join(cell.replace("|", r"\|") for cell in line[shown]) + " |" for line in (head, *lines)
    ]
    rule = "|" + "---|" * len(head[shown])
    below = [paragraph(text) for text in (*[EVIDENCE] * evidence, *counts)]
    return "\n\n".join(["\n".join([table[0], rule, *table[1:]]), *below])


def losses(document: Mapping[str, Any]) -> str:
    """Which of the numbered results of each paper stand, a row a paper, in Markdown."""
    lines: list[tuple[str, ...]] = [("paper", STANDS, CHANGED, LOST), ("---",) * 4]
    for key in papers():
        found = account(document, key).results
        cells = []
        for standing in (STANDS, CHANGED, LOST):
            mine = [r for r in found if r.standing == standing]
            of = (
                f"{len(mine)} of {len(found)} {'main' if is_own(key) else 'numbered'} results"
                if standing == STANDS
                else len(mine)
            )
            tried = 0 if standing == LOST else sum(not r.proved for r in mine)
            instances = f" ({tried} by instances only)" if tried else ""
            named = f": {listed(r.title for r in mine)}" if mine and standing != STANDS else ""
            cells.append(f"{of}{instances}{named}" if mine or standing == STANDS else "none")
        lines.append((cited(key), *cells))
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def cited(key: str) -> str:
    """A paper by the last names of its authors, as it is cited."""
    names = [
        author.split()[-1] for author in re.split(r"[,;&]|\band\b", paper(key)["authors"]) if author.strip()
    ]
    if is_own(key) or not names:
        return "our own results" if is_own(key) else f"{paper(key)['title']} ({key})"
    several = (
        f"{names[0]} et al."
        if len(names) > 3
        else " & ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    )
    return f"{several} ({key})"


def errata(document: Mapping[str, Any]) -> str:
    """The statements that are false as printed, in their own regime or at degenerate points, and
    gaps that make others so, a line each below a heading for each paper, in Markdown.
    """
    from proofs_check.reports.documents.errata.markdown import github

    out: list[str] = []
    for key, title in papers().items():
        told = account(document, key)
        shown = [
            o for o in told.false if {o.severity, *(c.severity for c in told.copies(o))} & {"false", "edge"}
        ]
        out += [*[""] * bool(out), f"## {key}: {github(title)}", ""] if shown else []
        for o in shown:
            error = o.errors[0]
            kind = f"an edge, at {error['at']}" if o.severity == "edge" else in_words(error)
            also = (
                f" The same error is in {', '.join(f'`{c.id}`' for c in copies)}."
                if (copies := told.copies(o))
                else ""
            )
            instead = github(told_instead(error, short=True))
            out.append(
                f"- {github(o.row.where)} (`{error['id']}`), {kind}: {github(error['why'])} *Instead:* "
                f"{instead}{also}"
            )
    return "\n".join(out) or "No statement was found to be false as printed."


def blocks(document: Mapping[str, Any]) -> dict[str, str]:
    """What is written from a ledger, by the name of the block that holds it."""
    tables = {"losses": losses(document), "headline": headline(document), "status": status(document)}
    return tables | {"errata": errata(document), "second-opinion": kept.read().table(document)}


def renewed(
    path: Path, text: str, document: Mapping[str, Any], written: Mapping[str, str]
) -> tuple[str, str]:
    """The text that a file with marked blocks, or the ledger of the release (``.json``), should
    have in place of its own, and how it differs; empty if it does not.

    In the ledger dates and seconds may differ, and what another processor changes, as far as its
    engine states (the module `repeated`). Entries that say the same are kept as they
    are: what was found on one processor is not replaced by what is found on the next. A file
    without a place for any block, or that holds no ledger, is an InputError.
    """
    if path.suffix != ".json":
        current = replaced(text, written, str(path))
        return current, "" if current == text else "a marked block is of another run"
    if not text:
        return release_text(document), "there is none"
    old = read_ledger(path, older=True)
    found = [(f"{change.kind} {change.id}", change.id.split(" (")[0]) for change in changes(old, document)]
    of = {c["id"]: c for c in old["claims"]}
    places = {c["id"]: difference(of[c["id"]], c) for c in document["claims"] if c["id"] in of}
    found += [(f"another text: {place} of {id}", id) for id, place in places.items() if place]
    if not found:
        return text, ""
    anew = {id for _, id in found}
    claims = [c if c["id"] in anew else of[c["id"]] for c in document["claims"]]
    return release_text({**document, "claims": claims}), f"{len(found)} changes, the first: {found[0][0]}"


def marks(name: str) -> tuple[str, str]:
    """The two lines between which ``largeprompt status`` writes."""
    return f"<!-- {name}:begin (written by: largeprompt status --write FILE) -->", f"<!-- {name}:end -->"


def block_of(text: str, block: str, name: str = "README.md") -> tuple[int, int] | None:
    """Where a marked block stands: the positions after its first and before its last line; None if
    the text has no such block. A mark that is missing, stands twice or comes too early is an
    InputError.
    """
    first, last = f"<!-- {block}:begin", f"<!-- {block}:end -->"
    counted = [text.count(mark) for mark in (first, last)]
    if counted == [0, 0]:
        return None
    if counted != [1, 1]:
        both = " and ".join(marks(block))
        raise InputError(
            f"{name} must hold the lines {both} once each; it has them {counted[0]} and {counted[1]} times"
        )
    begin, end = text.index("-->", text.index(first)) + len("-->"), text.index(last)
    if begin > end:
        raise InputError(f"{name} ends the {block} block before it begins it; put the begin mark first")
    return begin, end


def replaced(text: str, blocks: Mapping[str, str], name: str = "README.md") -> str:
    """The text, which errors call `name`, with each block put between its marks, where it has them.
    Marks of no block, or marks that do not match, are an InputError.
    """
    found = False
    for block, written in blocks.items():
        place = block_of(text, block, name)
        if place is not None:
            found = True
            text = f"{text[: place[0]]}\n\n{written}\n\n{text[place[1] :]}"
    if not found:
        wanted = " or ".join(" and ".join(marks(block)) for block in blocks)
        raise InputError(f"{name} has no place for the table: put the lines {wanted} into it")
    return text
