"""The content of the errata, from a ledger and from running the witness scripts. Its texts hold no
mark-up but LaTeX between dollars; the page and the Markdown file are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from numerics.evidence import Verdict
from numerics.terminal.inputs import InputError
from proofs_check.core import witnesses
from proofs_check.core.ledger import Ledger
from proofs_check.core.severity import by_severity, counted
from proofs_check.core.statements import paper, rows
from proofs_check.documents.latex import marked

__all__ = ["HOW_TO_READ", "Errata", "Erratum", "errata_of", "number"]

HOW_TO_READ = (
    "Each entry quotes a line of the paper as it is printed, and how it was read. Then it says why the line fails, gives the "
    "smallest counterexample that was found (the shortest prompt, then the lowest dimension, then the shortest numbers), the "
    "nearest true statement, and what becomes of the results that use the line. The lines were copied from that version: a slip of "
    "copying would be ours.",
    "A statement is *false* if it fails in its own regime: its counterexample keeps failing when it is moved a little. A *gap* is "
    r"a false step of a proof, or a missing hypothesis. At an *edge* a statement fails at degenerate points only, such as $L=1$, "
    r"where $\ln L=0$. With *text and code* the authors' code does otherwise than the text says. A *typo* is a slip of notation. "
    "Each entry says what the error costs once it is mended, and an entry that follows from another one is not counted again.",
    r"In the counterexamples `sigma2` is $\sigma^2$, `Uz` is $\|Uz\|$, `a2` is $\sigma^2\|Uz\|^2$; `atoms` and `weights` are "
    r"the values of a token and their probabilities, `err` is $R_L/S_L-R/S$. Other names are those of the line “What was checked”."
    " Where the paper claims that constants exist, both sides are shown for one choice of them, and `every other choice` tells "
    "along which sequence the line fails for all. In the report of a search, `reached a of b` sets the largest ratio that was "
    "found against the largest that the statement allows.",
    "The script of an entry has at most ten lines and needs nothing but Python with NumPy, SciPy, SymPy and mpmath, of which most "
    "scripts use none. It computes both sides from the printed formula, prints them, and ends with an assertion that holds because "
    "the printed line fails.",
    "A true statement is PROVED if it came out of exact symbolic or rational steps itself, CERTIFIED if some step is a rigorous "
    "enclosure over the whole stated domain, ARGUED if a human sentence joins such parts, and SUPPORTED if it withstood exact "
    "instances with a search for the worst, or statistics; what is only SUPPORTED is not proved here. Where a number in the check "
    "of the printed line was changed to check the true one, that number is named.",
)
_EVIDENCE = {
    "exact": "Evaluated in exact arithmetic.",
    "Arb": "Evaluated by ball arithmetic (Arb): the enclosures decide.",
}


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """One false line.

    Attributes
    ----------
    id, severity, place : str
        As in the ledger and in ``statements.toml``.
    read, printed : str
        The line in words and in LaTeX.
    at, costs, follows : str
        The degenerate points of an edge, what the error costs, and the entry that it inherits its
        error from; empty where there is none.
    why, details, instead : str
        In words, with LaTeX between dollars.
    truth : str
        For an inference: that the statement itself is true; else empty.
    checked : str
        What the check executes, in a line; it introduces the names that the counterexample and the
        repair use.
    witness : Mapping
        The counterexample by name.
    evidence : str
        How both sides were computed.
    script, output : str
        The witness script, if there is one, and what it printed.
    repair : str
        What was changed in the check, between backquotes, and what then came out.
    survives : str
        What becomes of the results that use the line.
    users : tuple of str
        Those results, each with its verdict.
    """

    id: str
    severity: str
    place: str
    read: str
    printed: str
    at: str
    costs: str
    follows: str
    why: str
    details: str
    instead: str
    truth: str
    checked: str
    witness: Mapping[str, str]
    evidence: str
    script: str
    output: str
    repair: str
    survives: str
    users: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Errata:
    """The false lines of one paper, the most severe first, and within one severity in the order of
    the paper.
    """

    title: str
    authors: str
    version: str
    source: str
    entries: tuple[Erratum, ...]

    @property
    def counts(self) -> str:
        """How many there are of each severity.

        Examples
        --------
        >>> Errata(title="", authors="", version="", source="", entries=()).counts
        'nothing is false as printed'
        """
        return counted([(e.severity, bool(e.follows)) for e in self.entries])


def errata_of(document: Mapping[str, Any], key: str = "BB") -> Errata:
    """The errata of one paper.

    Parameters
    ----------
    document : Mapping
        A ledger as `proofs_check.core.files.read_ledger` returns it.
    key : str
        The key of the paper.

    Returns
    -------
    Errata

    Raises
    ------
    InputError
        If there is no such paper, not every claim ran or one is not in order, or a witness script
        fails or tells another story than the ledger.
    """
    try:
        about = paper(key)
    except KeyError as error:
        raise InputError(error.args[0]) from error
    if key == "OURS":
        raise InputError("OURS holds the results of this project, not those of a paper; choose the key of a paper")
    order = {id: i for i, id in enumerate(rows())}
    if document["run"].get("partial"):
        raise InputError("the ledger is of a run of some claims only, which cannot tell what survives; run all of them")
    false = [e for e in document["claims"] if e["paper"] == key and e["severity"]]
    for e in false:
        if e.get("faults") or e["verdict"] != "REFUTED":
            raise InputError(f"{e['id']} is not in order: {'; '.join(e.get('faults') or [e['verdict']])}; mend the claim first")
    false.sort(key=lambda e: (by_severity(e), order.get(e["covers"], len(order)), e["id"]))
    ledger = Ledger(document["claims"])
    told = _scripts(false)
    run = document["run"]
    return Errata(
        title=about["title"],
        authors=about["authors"],
        version=", ".join(x for x in (about.get("version", ""), about.get("date", "")) if x),
        source=f"largeprompt {run['versions'].get('largeprompt', '')}, ledger of {run['date'][:10]}",
        entries=tuple(_erratum(e, ledger, *told[e["id"]]) for e in false),
    )


def _scripts(false: list[dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """Script and output by id; both empty where there is no script."""
    texts = {e["id"]: text for e in false if (text := witnesses.script(e["id"])) is not None}
    try:
        outputs = witnesses.run(texts)
    except RuntimeError as error:
        raise InputError(str(error)) from error
    for e in false:
        id = e["id"]
        if id in texts and outputs[id].error:
            raise InputError(f"the witness script of {id} fails: {outputs[id].error}; it must end with the violation")
        found, by = e["evidence"]["witness"], e["evidence"]["witness_by"]
        if id in texts and (other := witnesses.differing(found, texts[id], outputs[id].printed, sampled=by == "statistics")):
            raise InputError(f"the witness script of {id} has nothing like the ledger's {', '.join(other)}; bring the two together")
    return {e["id"]: (texts[e["id"]], outputs[e["id"]].printed) if e["id"] in texts else ("", "") for e in false}


def _erratum(e: dict[str, Any], ledger: Ledger, script: str, output: str) -> Erratum:
    survives, users = _survives(e, ledger)
    return Erratum(
        id=e["id"],
        severity=e["severity"],
        place=e["where"],
        read=e["says"],
        printed=e["printed"],
        at=e["at"],
        costs=e["costs"],
        follows=e["follows"] or "",
        why=e["why"],
        details=e["details"],
        instead=e["instead"],
        truth=_truth(e, ledger),
        checked=" ".join(e["summary"].split()),
        witness={k: number(v) for k, v in e["evidence"]["witness"].items()},
        evidence=_evidence(e["evidence"]),
        script=script.strip("\n"),
        output=output.rstrip(),
        repair=_repair(e),
        survives=survives,
        users=users,
    )


def _evidence(evidence: Mapping[str, Any]) -> str:
    by = evidence["witness_by"]
    if by == "two routes":
        return f"Evaluated by two independent routes, which differ by {evidence['disagreement']:.0e} of the violation."
    if by == "statistics":
        return f"Estimated by simulation; the probability of a statistical accident is at most {evidence['error']:.0e}."
    return _EVIDENCE[by]


def _truth(e: dict[str, Any], ledger: Ledger) -> str:
    """For an inference: the verdict of the statement itself, over all claims that state it; the
    weakest of them counts.
    """
    if not e["id"].endswith("/inference"):
        return ""
    stated = [x for x in ledger.entries.values() if x["covers"] == e["covers"] and not x["id"].endswith("/inference")]
    if not stated or any(not Verdict(x["verdict"]).accepted for x in stated):
        return ""
    verdict = min((Verdict(x["verdict"]) for x in stated), key=lambda v: v.strength)
    if verdict is not Verdict.SUPPORTED:
        return f"The statement itself is true ({verdict}); what fails is the step that is drawn from it."
    return "The statement itself is true as far as it could be tested (SUPPORTED); what fails is the step that is drawn from it."


def _repair(e: dict[str, Any]) -> str:
    repair = e["repair"]
    if not repair:
        return "The true statement was not executed."
    evidence = repair["evidence"]
    # A change of formula has a name of ours, which tells an author nothing; it is told in
    # `instead`. Nor has a number a printed counterpart where the paper gives none (None): the
    # ledger lists only what is given.
    pairs = {k: (v, e["numbers"].get(k)) for k, v in repair["numbers"].items()}
    turned = {k: (new, old) for k, (new, old) in pairs.items() if _is_number(new) and _is_number(old)}
    changes = " and ".join(f"`{k} = {number(new)}` in place of `{number(old)}`" for k, (new, old) in turned.items())
    how = f"with {changes}" if changes else "changed accordingly"
    out = f"The check that refutes the printed line, {how}, gives {repair['verdict']}"
    if repair["verdict"] == "SUPPORTED":
        out += f" ({marked(evidence['covered'])})"
    elif evidence["dimension"]:
        out += f" ({evidence['dimension']})"
    sharp = e["sharp"]
    if sharp and sharp["word"] == "sharp":
        holds, fails = (f"{float(Fraction(sharp[end])):.6g}" for end in ("accepted", "refuted"))
        out += f". The edge: `{sharp['dial']} = {holds}` holds, `{fails}` does not"
    return out + "."


def _is_number(value: Any) -> bool:
    try:
        Fraction(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, bool)


def _survives(e: dict[str, Any], ledger: Ledger) -> tuple[str, tuple[str, ...]]:
    users = [u for u in ledger.users(e["id"]) if ledger.entries[u]["paper"] == e["paper"]]
    if not users:
        return f"No other line of the paper was found to use {'this step' if e['id'].endswith('/inference') else 'it'}.", ()
    # One line a row: the parts of a row stand or fall as steps of it.
    of_row: dict[str, list[str]] = {}
    for u in users:
        of_row.setdefault(ledger.entries[u]["covers"], []).append(u)
    listed, falling = [], False
    for name, parts in of_row.items():
        note = ""
        if ledger.held(e["id"]) is Verdict.REFUTED or not all(ledger.stands(u) for u in parts):
            note, falling = ": does not stand as far as is known", True
        elif any(ledger.entries[u]["severity"] for u in parts):
            note = ": stands with its own repair"
        listed.append(f"{ledger.entries[parts[0]]['where']} ({name}){note}")
    if falling:
        return "With the repair in place, of what uses the line:", tuple(listed)
    return "With the repair in place, everything that uses the line stands:", tuple(listed)


def number(value: Any) -> str:
    """A value for people: 10 digits of what was computed, quotients as they are while they are
    short.

    Examples
    --------
    >>> number(0.7999999999999999), number("4/5"), number("10/3000000000001"), number("x")
    ('0.8', '4/5', '3.333333333e-12', 'x')
    """
    if isinstance(value, float):
        return f"{value:.10g}"
    text = str(value)
    if "/" in text and len(text) > 12:
        try:
            return f"{float(Fraction(text)):.10g}"
        except (ValueError, ZeroDivisionError, OverflowError):
            return text
    return text
