"""``largeprompt status`` says what a ledger holds: the table in the README, and the list of false
statements in ``docs/errata.md``. Nothing in them changes from run to run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from numerics.evidence import Verdict
from numerics.terminal.inputs import InputError
from proofs_check.core.coverage import stated
from proofs_check.core.ledger import Ledger
from proofs_check.core.severity import by_severity
from proofs_check.core.statements import papers, rows

__all__ = ["block_of", "errata", "marks", "replaced", "row_verdict", "status"]

#: Verdicts of settled rows, in the order of the columns.
COLUMNS = ("PROVED", "CERTIFIED", "ARGUED", "SUPPORTED", "REFUTED")
EXPLAINED = (
    "A row is a printed statement or a step of a proof; its verdict is that of the statement **as printed**, and REFUTED as soon "
    "as anything claimed there is. Repaired: the nearest true statement passed the same check. The chain of a claim is the weakest "
    "verdict among it, as repaired, and all that it needs; if it is `unproved`, at most SUPPORTED."
)
GROUPS = {"statements": "", "assumptions and citations": ("assumption", "cited"), "experiments": ("NUM",)}


def row_verdict(claims: list[Mapping[str, Any]]) -> str:
    """The verdict of a row from its claims as printed.

    REFUTED if the claim named like the row is; OPEN, which settles nothing, if any is; REFUTED if
    any is, what the proof infers included; else that of the claim that states the row.

    Examples
    --------
    >>> row_verdict([{"id": "BB:X", "covers": "BB:X", "verdict": "PROVED"}])
    'PROVED'
    """
    if any(c["id"] == c["covers"] and c["verdict"] == "REFUTED" for c in claims):
        return "REFUTED"
    found = [Verdict(c["verdict"]) for c in claims]
    for whole in (Verdict.OPEN, Verdict.REFUTED):
        if whole in found:
            return str(whole)
    return str(min((Verdict(c["verdict"]) for c in stated(claims) or claims), key=lambda v: v.strength))


def status(document: Mapping[str, Any]) -> str:
    """The table of verdicts, in Markdown.

    Parameters
    ----------
    document : Mapping
        A ledger as `proofs_check.core.files.read_ledger` returns it, of a whole run.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If not every claim ran, or a claim is not in order.
    """
    from proofs_check.documents.errata.markdown import paragraph

    run = document["run"]
    if run.get("partial"):
        raise InputError("the ledger is of a run of some claims only; run all of them: pytest proofs_check/ --ledger DIR")
    faulty = [*run["faults"], *(f"{c['id']}: {f}" for c in document["claims"] for f in c.get("faults", ()))]
    if faulty:
        raise InputError(f"the ledger holds claims that are not in order, the first: {faulty[0]}")
    head = ("", "rows", *COLUMNS, "of these repaired", "not settled")
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(line) + " |" for line in _lines(document)]
    shares = f"The shares of statistical error of all {len(document['claims'])} claims add up to {run['error']:.1e}."
    return "\n".join(lines) + "\n\n" + paragraph(f"{EXPLAINED} {shares}")


def _lines(document: Mapping[str, Any]) -> Iterator[list[str]]:
    of_row: dict[str, list[Mapping[str, Any]]] = {id: [] for id in rows()}
    for c in document["claims"]:
        of_row.setdefault(c["covers"], []).append(c)
    for paper in papers():
        ids = [id for id, r in rows().items() if r.paper == paper]
        for group, kinds in GROUPS.items():
            mine = [
                id for id in ids if (rows()[id].kind in kinds if kinds else rows()[id].kind not in ("assumption", "cited", "NUM"))
            ]
            if not mine:
                continue
            verdicts = {id: row_verdict(of_row[id]) for id in mine if of_row[id]}
            found = Counter(v for v in verdicts.values() if v != "OPEN")
            repaired = sum(_repaired(of_row[id]) for id, v in verdicts.items() if v == "REFUTED")
            name = f"{paper}: {group}" if paper != "OURS" else f"our own: {group}"
            counts = (len(mine), *(found[v] for v in COLUMNS), repaired, len(mine) - sum(found.values()))
            yield [name, *(str(n) if n else "." for n in counts)]


def _repaired(claims: list[Mapping[str, Any]]) -> bool:
    false = [c for c in claims if c["verdict"] == "REFUTED"]
    return all(c["repair"] and Verdict(c["repair"]["verdict"]).accepted for c in false)


def errata(document: Mapping[str, Any]) -> str:
    """The statements that are false as printed, in their own regime or at degenerate points, a line
    each, in Markdown.

    Examples
    --------
    >>> errata({"claims": []})
    'No statement is false as printed.'
    """
    from proofs_check.documents.errata.markdown import github

    ledger = Ledger(document["claims"])
    order = {id: i for i, id in enumerate(rows())}
    false = [c for c in document["claims"] if c["severity"] in ("false", "edge") and not c["follows"] and c["paper"] != "OURS"]
    followers: dict[str, list[str]] = {}
    for c in document["claims"]:
        if c["follows"]:
            followers.setdefault(ledger.first_error(c["id"]), []).append(f"`{c['id']}`")
    out = []
    for c in sorted(false, key=lambda c: (by_severity(c), order.get(c["covers"], len(order)), c["id"])):
        use = {True: "what uses it stands", False: "**not all that uses it stands**", None: "nothing uses it"}[
            ledger.survives(c["id"])
        ]
        repair = f"repaired ({c['repair']['verdict']})" if c["repair"] else "not repaired"
        how = f"an edge, at {c['at']}" if c["severity"] == "edge" else "false"
        inherited = f"; the same error in {', '.join(followers[c['id']])}" if c["id"] in followers else ""
        out.append(f"- {github(c['where'])} (`{c['id']}`): {how}; {repair}; {use}{inherited}")
    return "\n".join(out) or "No statement is false as printed."


def marks(name: str) -> tuple[str, str]:
    """The two lines between which ``largeprompt status`` writes.

    Examples
    --------
    >>> marks("errata")[1]
    '<!-- errata:end -->'
    """
    return f"<!-- {name}:begin (written by: largeprompt status --ledger LEDGER --write FILE) -->", f"<!-- {name}:end -->"


def block_of(text: str, block: str, name: str = "README.md") -> tuple[int, int] | None:
    """Where a marked block stands: the positions after its first and before its last line.

    Returns
    -------
    tuple of int, or None
        None if the text has no such block.

    Raises
    ------
    InputError
        If a mark is missing, stands twice or comes too early.
    """
    first, last = f"<!-- {block}:begin", f"<!-- {block}:end -->"
    counted = [text.count(mark) for mark in (first, last)]
    if counted == [0, 0]:
        return None
    if counted != [1, 1]:
        both = " and ".join(marks(block))
        raise InputError(f"{name} must hold the lines {both} once each; it has them {counted[0]} and {counted[1]} times")
    begin, end = text.index("-->", text.index(first)) + len("-->"), text.index(last)
    if begin > end:
        raise InputError(f"{name} ends the {block} block before it begins it; put the begin mark first")
    return begin, end


def replaced(text: str, blocks: Mapping[str, str], name: str = "README.md") -> str:
    """The text with each block put between its marks, where it has them.

    Parameters
    ----------
    text : str
    blocks : Mapping
        What to write, by the name of the block.
    name : str
        What errors call the text.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If the text has marks of no block, or marks that do not match.

    Examples
    --------
    >>> replaced("a\\n<!-- status:begin -->old<!-- status:end -->\\nb", {"status": "new"})
    'a\\n<!-- status:begin -->\\n\\nnew\\n\\n<!-- status:end -->\\nb'
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
