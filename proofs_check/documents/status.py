"""``largeprompt status`` writes the table in the README: how many rows of each paper have which
verdict. Nothing in it changes from run to run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from numerics.evidence import Verdict
from proofs_check.core.coverage import stated
from proofs_check.core.files import InputError
from proofs_check.core.ledger import Ledger
from proofs_check.core.statements import papers, rows

__all__ = ["BEGIN", "END", "block_of", "replaced", "row_verdict", "status"]

BEGIN = "<!-- status:begin (written by: largeprompt status --ledger LEDGER --write README.md) -->"
END = "<!-- status:end -->"
#: Verdicts of settled rows, in the order of the columns.
COLUMNS = ("PROVED", "CERTIFIED", "SUPPORTED", "REFUTED")
EXPLAINED = (
    "A row is a printed statement or a step of a proof; its verdict is that of the statement **as printed**, and REFUTED as soon "
    "as anything claimed there is. Repaired: the nearest true statement passed the same check."
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
    """The table and the list of material errors, in Markdown.

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
    errata = _material(document)
    out = [
        "\n".join(lines),
        paragraph(f"{EXPLAINED} The shares of statistical error of all claims add up to {run['error']:.1e}."),
    ]
    if errata:
        out += [
            "Numbered statements that are false as printed (`largeprompt errata` has the counterexamples, the gaps and the typos):"
        ]
        out += ["\n".join(errata)]
    return "\n\n".join(out)


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


def _material(document: Mapping[str, Any]) -> list[str]:
    from proofs_check.documents.errata.markdown import github

    ledger = Ledger(document["claims"])
    order = {id: i for i, id in enumerate(rows())}
    false = [c for c in document["claims"] if c["severity"] == "material" and c["paper"] != "OURS"]
    out = []
    for c in sorted(false, key=lambda c: (order.get(c["covers"], len(order)), c["id"])):
        use = {True: "what uses it stands", False: "**not all that uses it stands**", None: "nothing uses it"}[
            ledger.survives(c["id"])
        ]
        repair = f"repaired ({c['repair']['verdict']})" if c["repair"] else "not repaired"
        out.append(f"- {github(c['where'])} (`{c['id']}`): {repair}; {use}")
    return out


def block_of(text: str, name: str = "README.md") -> tuple[int, int]:
    """Where the marked block stands: the positions after its first and before its last line.

    Raises
    ------
    InputError
        If the text has no such block, or more than one.
    """
    marks = [text.count(mark) for mark in ("<!-- status:begin", END)]
    if marks != [1, 1]:
        raise InputError(f"{name} must hold the lines {BEGIN} and {END} once each; it has them {marks[0]} and {marks[1]} times")
    begin = text.index("-->", text.index("<!-- status:begin")) + len("-->")
    end = text.index(END)
    if begin > end:
        raise InputError(f"{name} ends the status block before it begins it")
    return begin, end


def replaced(text: str, table: str, name: str = "README.md") -> str:
    """The text with the table in its marked block.

    Examples
    --------
    >>> replaced("a\\n<!-- status:begin -->old<!-- status:end -->\\nb", "new")
    'a\\n<!-- status:begin -->\\n\\nnew\\n\\n<!-- status:end -->\\nb'
    """
    begin, end = block_of(text, name)
    return f"{text[:begin]}\n\n{table}\n\n{text[end:]}"
