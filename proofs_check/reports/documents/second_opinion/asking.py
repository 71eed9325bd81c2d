"""``largeprompt second-opinion`` asks somebody else about the arithmetic that verdicts rest on, and
keeps the answers beside the ledger of the release.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.provers.remembered import noting
from numerics.second_opinion.goals import Goal, NotAsked
from numerics.terminal.inputs import InputError, read_bytes
from numerics.terminal.progress import counted, progress_bar
from proofs_check.papers.statements import PACKAGE
from proofs_check.reports.documents.second_opinion.kept import KEPT, Asked, Opinions, read
from proofs_check.reports.documents.second_opinion.questions import goals_of, questions

if TYPE_CHECKING:
    from numerics.evidence import Evidence
    from proofs_check.core.claim import Claim

__all__ = ["asked", "digests", "renew", "second_opinion"]

#: How many claims a sample has; their questions take well below a minute.
SAMPLE = 25
NONE: Asked = ([], {})


def _of_notes(notes: Iterable[Any]) -> tuple[dict[str, Goal], dict[str, int]]:
    found: dict[str, Goal] = {}
    others: Counter[str] = Counter()
    for n in questions(notes):
        try:
            found.update((goal.digest, goal) for goal in goals_of(n))
        except NotAsked as kind:
            others[str(kind)] += 1
    return found, dict(sorted(others.items()))


def asked(claim: Claim) -> tuple[dict[str, Goal], dict[str, int]]:
    """The questions that a claim, repaired if need be, rests on, and how many are of other kinds;
    none if its verdict is no proof.
    """
    with noting() as notes:
        evidence = claim(**claim.repair)
    return _asked(evidence, [n for outer in notes for n in outer.inner])


def _asked(evidence: Evidence, notes: Iterable[Any]) -> tuple[dict[str, Goal], dict[str, int]]:
    return _of_notes(notes) if (evidence.weakest or evidence.verdict).executed else ({}, {})


def digests(notes: Iterable[Any], numbers: Mapping[str, Any]) -> Asked:
    """The questions of the claim that was judged with these numbers while this was noted, and how
    many are of other kinds.
    """
    for n in notes:
        if n.who == "claim" and n.asked == dict(numbers):
            mine, others = _asked(n.answer, n.inner)
            return sorted(mine), others
    return NONE


def renew(
    old: Opinions, claims: Iterable[Claim], *, again: bool, left: bool = True, told: Any = print
) -> tuple[Opinions, list[str]]:
    """Ask the questions of claims that were not asked before, or all of them, and say what is
    wrong: what is contradicted, or confirmed no more. What was left before takes long, and is
    asked again only if `left` says so.
    """
    try:
        import z3

        from numerics.second_opinion.asking import ask
    except ImportError:
        raise InputError(
            "z3 gives the second opinion and is not installed; type: pip install 'largeprompt[smt]'"
        ) from None
    new = Opinions(f"z3 {z3.get_version_string()}", dict(old.questions), dict(old.claims))
    wrong: list[str] = []
    done = {q for q, said in old.questions.items() if not again or (not left and said.startswith("left"))}
    for claim in claims:
        goals, others = asked(claim)
        if goals or others:
            new.claims[claim.id] = sorted(goals), others
        else:
            new.claims.pop(claim.id, None)
        for digest, goal in goals.items():
            if digest in done:
                continue
            done.add(digest)
            answer, who = ask(goal), "z3" if goal.algebraic else "z3 and Arb"
            open_ = "left, algebraic" if goal.algebraic else "left"
            new.questions[digest] = {"confirmed": who, "contradicted": answer.word}.get(answer.word, open_)
            if answer.word == "contradicted":
                wrong.append(f"{claim.id}: contradicted at {answer.point}: {goal.lhs} {goal.op} {goal.rhs}")
            elif answer.word == "unknown" and not old.questions.get(digest, "left").startswith("left"):
                wrong.append(
                    f"{claim.id}: confirmed before, and now {answer.reason}: {goal.lhs} {goal.op} {goal.rhs}"
                )
            if answer.word != "confirmed":
                told(
                    (
                        f"{claim.id}: {answer.word} ({answer.reason or answer.point}): {goal.lhs} "
                        f"{goal.op} {goal.rhs}"
                    )[:300]
                )
    return new, wrong


def second_opinion(
    names: Iterable[str], *, sample: str = "", noted: str = "", again: bool = False, write: str = ""
) -> int:
    """Print what was confirmed, after asking what is to be asked now: 0, or 1 if something is
    contradicted, or confirmed no more, or other questions are kept.
    """
    from proofs_check.core.judging import load_claims
    from proofs_check.core.ledgers.files import write_text

    old, names = read(), list(names)
    if not (names or sample or noted or again):
        if not old.questions:
            raise InputError(
                "no second opinion is kept; ask for one with: largeprompt second-opinion --again"
            )
        print("\n".join(old.summary()))
        return int("contradicted" in old.questions.values())
    noted_by_claim = _read_notes(Path(noted)) if noted else {}
    with progress_bar(False, "loading the claims"):
        claims = load_claims()
    if unknown := [n for n in names if not any(n in (id, c.row) for id, c in claims.items())]:
        raise InputError(
            f"no claim is called {unknown[0]}; write an id such as BB:CC.3.b, see: largeprompt list"
        )
    chosen = (
        [id for id, c in claims.items() if {id, c.row} & {*names}] if names else list(claims) if again else []
    )
    if sample:
        drawn = lambda id: hashlib.sha256(f"{sample} {id}".encode()).digest()
        chosen += sorted(old.claims.keys() & claims.keys(), key=drawn)[:SAMPLE]
    with progress_bar(False, "asking z3") as advance:
        asking = (claims[id] for id in counted(advance, chosen, "asking about"))
        new, wrong = renew(old, asking, again=True, left=not sample)
    whole = again and not names
    if noted:
        found = {id: said for id, said in noted_by_claim.items() if id in claims}
        new, more = _as_noted(new, found, claims)
        wrong, whole = wrong + more, whole or claims.keys() <= found.keys()
    new = _used(new, claims if whole else {**new.claims})
    if write:
        write_text(Path(write), new.as_text())
    elif changed := [
        id for id in sorted(old.claims.keys() | new.claims.keys()) if old.claims.get(id) != new.claims.get(id)
    ]:
        how = f"--noted {noted}" if noted else "--again"
        wrong.append(
            "the kept file is of other questions than "
            f"{', '.join(changed[:5])}{' and others' * (len(changed) > 5)};"
            f" type: largeprompt second-opinion {how} --write {PACKAGE.name}/{KEPT.name}"
        )
    for id in dict.fromkeys(chosen):
        if said := new.says(id):
            print(f"{id}: {said}")
    if again and not names:
        print("\n".join(new.summary()))
    said_so = {fault.split(": contradicted at ")[0] for fault in wrong}
    for id, (mine, _) in new.claims.items():
        if id not in said_so and any(new.questions.get(q) == "contradicted" for q in mine):
            wrong.append(f"{id}: contradicted when it was asked before")
    for fault in wrong:
        print(f"WRONG {fault}")
    return int(bool(wrong))


def _read_notes(file: Path) -> dict[str, Asked]:
    """What ``pytest --questions FILE`` noted, by claim."""
    try:
        found = json.loads(read_bytes(file).decode("utf-8"))
        return {str(id): (list(mine), dict(others)) for id, (mine, others) in found.items()}
    except (AttributeError, OSError, TypeError, ValueError) as error:
        raise InputError(
            f"cannot read {file}: {error}; write it with: pytest proofs_check/ --questions {file}"
        ) from error


def _as_noted(
    old: Opinions, found: Mapping[str, Asked], claims: Mapping[str, Claim]
) -> tuple[Opinions, list[str]]:
    """Opinions of what a run noted, after asking what nobody was asked before."""
    fresh = [id for id, (mine, _) in found.items() if not {*mine} <= old.questions.keys()]
    with progress_bar(False, "asking z3") as advance:
        asking = (claims[id] for id in counted(advance, fresh, "asking about"))
        new, wrong = renew(old, asking, again=False)
    print(f"{len(fresh)} claims have questions that were not asked before")
    for id, said in found.items():
        if said == NONE:
            new.claims.pop(id, None)
            continue
        new.claims[id] = said
        if lost := {*said[0]} - new.questions.keys():
            wrong.append(
                f"{id}: the run noted {len(lost)} questions that the claim does not ask when it is "
                "evaluated again"
            )
            new.questions.update(dict.fromkeys(lost, "left"))
    return new, wrong


def _used(old: Opinions, ids: Iterable[str]) -> Opinions:
    """Without claims that are no more, and without what nobody asks any more."""
    claims = {id: old.claims[id] for id in ids if id in old.claims}
    used = {q for mine, _ in claims.values() for q in mine}
    return Opinions(old.by, {q: w for q, w in old.questions.items() if q in used}, claims)
