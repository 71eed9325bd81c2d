"""The content of the errata, from a ledger and from running the witness scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from numerics.evidence import Evidence, Verdict
from numerics.terminal.inputs import InputError
from proofs_check.core.instead import first_sentence, is_executed, told_instead
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.losses import listed
from proofs_check.core.ledgers.outcomes import Account, Outcome, account
from proofs_check.core.severity import in_words, lost
from proofs_check.papers import witnesses
from proofs_check.papers.replies import replies_to
from proofs_check.papers.statements import Row, is_own, paper, place, readings_of
from proofs_check.reports.documents.errata.entries import Copy, Entry, Errata, Erratum
from proofs_check.reports.documents.latex import marked

if TYPE_CHECKING:
    from numerics.terminal.progress import Advance

__all__ = ["all_errata", "errata_of", "number"]

#: What tells a place without its section.
_NUMBERED = re.compile(
    r"(?:Lemma|Proposition|Theorem|Corollary|Assumption|Remark|Figure) [A-Z]?\.?\d|equations? \(\d"
)
_ABBREVIATED = re.compile(r"\b(Sec|App|Prop|Cor)(?:tion|endix|osition|ollary)(?= [A-Z]?\.?\d| [A-Z]\b)")
#: How many characters of LaTeX a formula has at most that is shown beside what is true instead.
LONGEST_FORMULA = 600
_EVIDENCE = {
    "exact": "Evaluated in exact arithmetic.",
    "Arb": "Evaluated by ball arithmetic (Arb): the enclosures decide.",
}


def errata_of(document: Mapping[str, Any], key: str) -> Errata:
    """The errata of the paper with this key. An InputError says that there is no such paper, that
    not every claim ran or one is not in order, or that a witness script fails or tells another
    story than the ledger.
    """
    return all_errata(document, [key])[key]


def all_errata(
    document: Mapping[str, Any], keys: Sequence[str], advance: Advance | None = None
) -> dict[str, Errata]:
    """The errata of several papers, whose witness scripts are run together; with the errors of
    `errata_of`.

    >>> all_errata({"run": {"versions": {}, "date": "2026-01-01", "code": "0"}, "claims": []}, [])
    {}
    """
    ledger = Ledger(document["claims"])
    accounts = {key: _account(document, ledger, key) for key in keys}
    scripts = _scripts([e for mine in accounts.values() for o in mine.rows for e in o.errors], advance)
    source = _source(document["run"])
    return {key: _errata(mine, paper(key), source, scripts) for key, mine in accounts.items()}


def _account(document: Mapping[str, Any], ledger: Ledger, key: str) -> Account:
    """What was found in a paper, if it is fit to be told to its authors."""
    try:
        paper(key)
    except KeyError as error:
        raise InputError(error.args[0]) from error
    if is_own(key):
        raise InputError(
            f"{key} holds the results of a project, not those of a paper; choose the key of a paper"
        )
    if document["run"].get("partial"):
        raise InputError(
            "the ledger is of a run of some claims only, which cannot tell what survives; run all of them"
        )
    for e in document["claims"]:
        if (
            e["paper"] == key
            and (e["severity"] or e["verdict"] == "REFUTED")
            and (wrong := _wrong(e, ledger))
        ):
            raise InputError(f"{e['id']} is not in order: {wrong}; mend the claim first")
    return account(ledger, key)


def _errata(
    mine: Account, about: Mapping[str, Any], source: str, scripts: Mapping[str, tuple[str, str]]
) -> Errata:
    return Errata(
        title=about["title"],
        authors=about["authors"],
        version=", ".join(x for x in (about.get("version", ""), about.get("date", "")) if x),
        source=source,
        count=mine.sentence,
        losses=mine.losses,
        results=mine.results,
        entries=tuple(_entry(outcome, mine, mine.ledger, scripts) for outcome in mine.false),
        names=about.get("names", ""),
        readings=readings_of(mine.key),
    )


def _wrong(e: Mapping[str, Any], ledger: Ledger) -> str:
    """What keeps a claim that is false, or declared so, from being told to an author."""
    if e["faults"]:
        return "; ".join(e["faults"])
    if e["verdict"] != "REFUTED":
        return str(e["verdict"])
    if e["follows"] and ledger.first_error(e["id"]) not in ledger.entries:
        return f"it follows the error of {e['follows']}, which the ledger does not hold"
    return "" if e["severity"] else "REFUTED, which it does not declare"


def _source(run: Mapping[str, Any]) -> str:
    version = run["versions"].get("largeprompt", "of unknown version")
    return f"the ledger that was judged on {run['date'][:10]} with largeprompt {version} (code {run['code']})"


def _scripts(
    false: Sequence[Mapping[str, Any]], advance: Advance | None = None
) -> dict[str, tuple[str, str]]:
    """Script and output by id; both empty where there is no script."""
    texts = {e["id"]: text for e in false if (text := witnesses.script(e["id"])) is not None}
    try:
        outputs = witnesses.run(texts, advance=advance)
    except RuntimeError as error:
        raise InputError(str(error)) from error
    for e in false:
        id = e["id"]
        if id in texts and outputs[id].error:
            raise InputError(
                f"the witness script of {id} fails: {outputs[id].error}; it must end with the violation"
            )
        found, by = e["evidence"]["witness"], e["evidence"]["witness_by"]
        if id in texts and (
            other := witnesses.differing(found, texts[id], outputs[id].printed, sampled=by == "statistics")
        ):
            raise InputError(
                f"the witness script of {id} has nothing like the ledger's {', '.join(other)}; bring "
                "the two together"
            )
    return {
        e["id"]: (texts[e["id"]], outputs[e["id"]].printed) if e["id"] in texts else ("", "") for e in false
    }


def _entry(outcome: Outcome, mine: Account, ledger: Ledger, scripts: Mapping[str, tuple[str, str]]) -> Entry:
    row = outcome.row
    # What a row inherits from another paper is told as its own.
    own = [e for e in outcome.errors if not e["follows"]] or list(outcome.errors)
    ids = {e["id"] for e in own}
    # Also those of rows with errors of their own, which are no copies of a whole row.
    following = {
        e["id"]: (o.row, e)
        for o in mine.rows
        for e in o.errors
        if e["follows"] and ledger.first_error(e["id"]) in ids
    }
    survives, users = _survives(own, mine)
    here = {_named(row), _short(row)}
    return Entry(
        id=row.id,
        place=row.where,
        short=_short(row),
        read=own[0]["says"],
        printed=own[0]["printed"],
        reading=row.reading,
        errors=tuple(_erratum(e, ledger, *scripts[e["id"]]) for e in own),
        inherited=tuple(
            _copy(e, ledger) for e in outcome.errors if e["follows"] and e["id"] not in {*following, *ids}
        ),
        copies=tuple(_copy(e, ledger) for _, e in following.values()),
        also=tuple(
            name for name in dict.fromkeys(_named(heir) for heir, _ in following.values()) if name not in here
        ),
        survives=survives,
        users=users,
        readings=row.readings,
    )


def _copy(e: Mapping[str, Any], ledger: Ledger) -> Copy:
    source = ledger.entries[ledger.first_error(e["id"])]
    return Copy(
        id=e["id"],
        kind=in_words(e),
        place=e["where"],
        source=source["where"],
        entry=source["covers"],
        why="" if e["why"] == source["why"] else e["why"],
        instead=""
        if told_instead(e, short=True) == told_instead(source, short=True)
        else told_instead(e, short=True),
    )


def _short(row: Row) -> str:
    _, _, rest = row.where.partition(", ")
    return _abbreviated(rest[0].upper() + rest[1:] if _NUMBERED.search(rest) else row.where)


def _named(row: Row) -> str:
    """The equation, or the numbered statement or section, that a row belongs to."""
    number = row.id.split(":", 1)[1]
    return f"({number})" if number.isdigit() else _abbreviated(place(row)[1])


def _abbreviated(place: str) -> str:
    return _ABBREVIATED.sub(lambda found: f"{found[1]}.", place)


def _erratum(e: Mapping[str, Any], ledger: Ledger, script: str, output: str) -> Erratum:
    return Erratum(
        id=e["id"],
        severity=e["severity"],
        kind=in_words(e),
        lost=lost(e["costs"]),
        why=e["why"],
        details=e["details"],
        instead=told_instead(e),
        instead_in_short=told_instead(e, short=True),
        truth=_truth(e, ledger),
        checked=_unnamed(e),
        witness={k: number(v) for k, v in witnesses.point(e["evidence"]["witness"]).items()},
        others=witnesses.every_choice(e["evidence"]["witness"]),
        evidence=_evidence(e["evidence"]),
        script=script.strip("\n"),
        output=output.rstrip(),
        repair=_repair(e),
        judged=_judged(e),
        replies=tuple(reply.line for reply in replies_to(e["id"])),
    )


def _unnamed(e: Mapping[str, Any]) -> str:
    """What was checked, up to the first sentence with the names by which the check calls its
    numbers, which tell an author nothing; empty if that is the first.
    """
    named = {*e["numbers"], *(e["repair"] or {"numbers": ()})["numbers"]}
    left, told = " ".join(e["summary"].split()), []
    while left and not named & {*re.findall(r"`(\w+)`", first_sentence(left))}:
        told.append(first_sentence(left))
        left = left[len(told[-1]) :].lstrip()
    return " ".join(told)


def _evidence(evidence: Mapping[str, Any]) -> str:
    by = evidence["witness_by"]
    if by == "two routes":
        return (
            f"Evaluated by two independent routes, which differ by {evidence['disagreement']:.0e} of the "
            "violation."
        )
    if by == "statistics":
        return (
            "Estimated by simulation; the probability of a statistical accident is at most "
            f"{evidence['error']:.0e}."
        )
    return _EVIDENCE[by]


def _truth(e: Mapping[str, Any], ledger: Ledger) -> str:
    """For an inference: the verdict of the statement itself, over all claims that state it; the
    weakest of them counts.
    """
    if not e["id"].endswith("/inference"):
        return ""
    stated = [
        x
        for x in ledger.entries.values()
        if x["covers"] == e["covers"] and not x["id"].endswith("/inference")
    ]
    if not stated or any(not Verdict(x["verdict"]).accepted for x in stated):
        return ""
    verdict = min((Verdict(x["verdict"]) for x in stated), key=lambda v: v.strength)
    if verdict is not Verdict.SUPPORTED:
        return f"The statement itself is true ({verdict}); what fails is the step that is drawn from it."
    return (
        "The statement itself is true as far as it could be tested (SUPPORTED); what fails is the step "
        "that is drawn from it."
    )


def _repair(e: Mapping[str, Any]) -> str:
    repair = e["repair"]
    if not repair:
        return "The true statement was not executed."
    evidence = repair["evidence"]
    # A change of formula has a name of ours, which tells an author nothing; it is told in
    # `instead`. Nor has a number a printed counterpart where the paper gives none (None): the
    # ledger lists only what is given.
    pairs = {k: (v, e["numbers"].get(k)) for k, v in repair["numbers"].items()}
    turned = {
        k: pair for k, pair in pairs.items() if all(map(_is_number, pair)) and {*map(str, pair)} != {"0", "1"}
    }  # 0 and 1 are a switch of ours
    changes = " and ".join(f"`{number(new)}` in place of `{number(old)}`" for new, old in turned.values())
    how = f"with {changes}" if changes else "changed accordingly"
    out = f"The check that refutes the printed line, {how}, gives {Evidence.from_json(evidence).word}"
    if repair["verdict"] == "SUPPORTED":
        out += f" ({marked(evidence['covered'])})"
    elif evidence["dimension"]:
        out += f" ({evidence['dimension']})"
    sharp = e["sharp"]
    if sharp and sharp["word"] == "sharp":
        holds, fails = (f"{float(Fraction(sharp[end])):.6g}" for end in ("accepted", "refuted"))
        out += f". This is sharp: with `{holds}` it holds, with `{fails}` it does not"
    return out + "."


def _judged(e: Mapping[str, Any]) -> str:
    """The formula that was judged with the repair, if a reader can take it in."""
    checked = str(e["repair"]["evidence"]["checked"]) if is_executed(e) else ""
    return checked if len(checked) <= LONGEST_FORMULA else ""


def _is_number(value: Any) -> bool:
    try:
        Fraction(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, bool)


def _survives(own: list[Mapping[str, Any]], mine: Account) -> tuple[str, tuple[str, ...]]:
    """What becomes of the lines that use a false one, in the printed proof or in its check."""
    ledger = mine.ledger
    # One line a row: the parts of a row stand or fall as steps of it.
    of_row: dict[str, list[str]] = {}
    for u in dict.fromkeys(u for e in own for u in ledger.users(e["id"])):
        if ledger.entries[u]["paper"] == mine.key:
            of_row.setdefault(ledger.entries[u]["covers"], []).append(u)
    for o in mine.rows:
        if own[0]["covers"] in o.row.uses and o.claims:
            of_row.setdefault(o.id, [c["id"] for c in o.claims])
    proofs: dict[str, list[str]] = {}
    for r in mine.results:
        if r.main and {e["id"] for e in own} & {*r.errors}:
            proofs.setdefault(r.standing, []).append(r.title)
    rest = "".join(f"The printed proof of {listed(t)} ({how}) rests on it. " for how, t in proofs.items())
    if not of_row:
        return rest.strip() or "No other line of the paper was found to use it.", ()
    broken = any(ledger.unmended(e["id"]) for e in own)
    lines, falling = [], False
    for name, parts in of_row.items():
        note = ""
        if broken or not all(ledger.stands(u) for u in parts):
            note, falling = ": does not stand as far as is known", True
        elif any(ledger.entries[u]["severity"] for u in parts):
            note = ": stands with its own repair"
        lines.append(f"{ledger.entries[parts[0]]['where']} ({name}){note}")
    how = "With the repair in place, everything that uses the line stands:"
    if falling:
        how = "What is true instead was not executed; of" if broken else "With the repair in place, of"
        how += " what uses the line:"
    return f"{rest}{how}", tuple(lines)


def number(value: Any) -> str:
    """A value for people: 10 digits of what was computed, quotients as they are while they are
    short.
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
