"""``largeprompt second-opinion``: who else confirms the arithmetic that verdicts rest on. Answers
are kept beside the ledger of the release, in a file from which other documents read.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.provers.remembered import noting
from numerics.second_opinion.goals import Goal, NotAsked, goals_of, questions
from numerics.terminal.inputs import InputError
from proofs_check.papers.statements import PACKAGE

if TYPE_CHECKING:
    from numerics.evidence import Evidence
    from proofs_check.core.claim import Claim

__all__ = ["KEPT", "Opinions", "asked", "digests", "opinion", "read", "renew", "second_opinion"]

KEPT = PACKAGE / "second_opinion.json"
#: How many claims a sample has; their questions take well below a minute.
SAMPLE = 25
#: The names of the questions of a claim, and how many of other kinds it has.
Asked = tuple[list[str], dict[str, int]]
NONE: Asked = ([], {})


@dataclass
class Opinions:
    """Who was asked; by question ``z3``, ``z3 and Arb`` or ``left`` (``left, algebraic``); and of
    each claim its questions and how many of other kinds were not asked.
    """

    by: str = ""
    questions: dict[str, str] = field(default_factory=dict)
    claims: dict[str, Asked] = field(default_factory=dict)

    def left(self, id: str) -> list[str]:
        """The questions of a claim that nobody confirmed."""
        return [q for q in self.claims[id][0] if not self.questions.get(q, "left").startswith("z3")]

    def says(self, id: str) -> str:
        """Who confirmed the arithmetic of a claim; empty if nobody was asked."""
        if id not in self.claims:
            return ""
        mine, others = self.claims[id]
        said = [f"{len(mine) - len(self.left(id))} of {len(mine)} arithmetic steps by {self.by}"] if mine else []
        return "; ".join([*said, *(f"not asked: {n} of {kind}" for kind, n in others.items())])

    def summary(self) -> list[str]:
        """The counts, and what is left by claim."""
        kinds, whole = Counter(self.questions.values()), [id for id in self.claims if self.whole(id)]
        algebraic, others = (kinds["z3"], kinds["left, algebraic"]), (kinds["z3 and Arb"], kinds["left"])
        of = lambda pair: f"{pair[0]} of {sum(pair)}"
        apart = Counter(k for _, kinds in self.claims.values() for k, n in kinds.items() for _ in range(n))
        return [
            f"{len(self.questions)} questions of {len(self.claims)} claims, asked of {self.by}",
            f"confirmed: {of(algebraic)} algebraic ones, {of(others)} with exp, log or other functions",
            f"contradicted: {kinds['contradicted']}",
            f"claims of which every question was confirmed: {len(whole)}",
            f"not asked: {', '.join(f'{n} of {kind}' for kind, n in sorted(apart.items())) or 'none'}",
            *(f"left of {id}: {len(left)} of {len(self.claims[id][0])}" for id in sorted(self.claims) if (left := self.left(id))),
        ]

    def table(self, document: Mapping[str, Any]) -> str:
        """The counts in Markdown, of claims by the verdicts that a ledger states, as repaired."""
        kinds, rows = Counter(self.questions.values()), {"PROVED": "PROVED or CERTIFIED", "CERTIFIED": "PROVED or CERTIFIED"}
        number = lambda n: f"{n:,}".replace(",", " ")
        verdicts = {c["id"]: (c["repair"] or c)["verdict"] for c in document["claims"]}
        rests = [id for id, (mine, _) in self.claims.items() if mine and id in verdicts]
        of = Counter(rows.get(verdicts[id], verdicts[id]) for id in rests)
        whole = Counter(rows.get(verdicts[id], verdicts[id]) for id in rests if self.whole(id))
        bad = kinds["contradicted"]
        return "\n".join(
            [
                "| questions | confirmed | left |",
                "|---|---|---|",
                f"| algebraic | {number(kinds['z3'])} | {number(kinds['left, algebraic'])} |",
                f"| with exp, log, variable powers or other functions | {number(kinds['z3 and Arb'])} | {number(kinds['left'])} |",
                "",
                f"{'None is' if not bad else 'One is' if bad == 1 else f'{bad} are'} contradicted.",
                "",
                "| verdict, as repaired | claims with such questions | all that they rest on was asked and confirmed |",
                "|---|---|---|",
                *(f"| {verdict} | {number(n)} | {number(whole[verdict])} |" for verdict, n in sorted(of.items(), reverse=True)),
            ]
        )

    def whole(self, id: str) -> bool:
        """Whether every question of a claim was asked and confirmed, and it had some."""
        mine, others = self.claims[id]
        return bool(mine) and not others and not self.left(id)

    def as_text(self) -> str:
        words = {w: sorted(q for q, said in self.questions.items() if said == w) for w in sorted(set(self.questions.values()))}
        number = {q: n for n, q in enumerate(q for of_word in words.values() for q in of_word)}
        claims = {
            id: {"steps": sorted(number[q] for q in mine), **({"not asked": others} if others else {})}
            for id, (mine, others) in sorted(self.claims.items())
        }
        lines = lambda rows: ",\n".join(f"  {json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in rows.items())
        return f'{{"by": {json.dumps(self.by)},\n"questions": {{\n{lines(words)}}},\n"claims": {{\n{lines(claims)}}}}}\n'


def read(path: Path = KEPT) -> Opinions:
    """The opinions in a file; none if there is no such file."""
    if not path.is_file():
        return Opinions()
    data = json.loads(path.read_text(encoding="utf-8"))
    order = [q for of_word in data["questions"].values() for q in of_word]
    claims = {id: (sorted(order[n] for n in c["steps"]), c.get("not asked", {})) for id, c in data["claims"].items()}
    return Opinions(data["by"], {q: w for w, of_word in data["questions"].items() for q in of_word}, claims)


@cache
def _kept() -> Opinions:
    return read()


def opinion(id: str) -> str:
    """Who else confirmed the arithmetic of a claim, in words.

    Examples
    --------
    >>> opinion("ME:nothing")
    ''
    """
    return _kept().says(id)


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
        raise InputError("z3 gives the second opinion and is not installed; type: pip install 'largeprompt[smt]'") from None
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
                wrong.append(f"{claim.id}: confirmed before, and now {answer.reason}: {goal.lhs} {goal.op} {goal.rhs}")
            if answer.word != "confirmed":
                told(f"{claim.id}: {answer.word} ({answer.reason or answer.point}): {goal.lhs} {goal.op} {goal.rhs}"[:300])
    return new, wrong


def second_opinion(names: Iterable[str], *, sample: str = "", noted: str = "", again: bool = False, write: str = "") -> int:
    """Print what was confirmed, after asking what is to be asked now.

    Returns
    -------
    int
        0; 1 if something is contradicted, or confirmed no more, or other questions are kept.
    """
    from proofs_check.core.files import write_text
    from proofs_check.core.judging import load_claims

    old, names = read(), list(names)
    if not (names or sample or noted or again):
        if not old.questions:
            raise InputError("no second opinion is kept; ask for one with: largeprompt second-opinion --again")
        print("\n".join(old.summary()))
        return int("contradicted" in old.questions.values())
    claims = load_claims()
    if unknown := [n for n in names if not any(n in (id, c.row) for id, c in claims.items())]:
        raise InputError(f"no claim is called {unknown[0]}; write an id such as BB:CC.3.b, see: largeprompt list")
    chosen = [id for id, c in claims.items() if {id, c.row} & {*names}] if names else list(claims) if again else []
    if sample:
        drawn = lambda id: hashlib.sha256(f"{sample} {id}".encode()).digest()
        chosen += sorted(old.claims.keys() & claims.keys(), key=drawn)[:SAMPLE]
    new, wrong = renew(old, (claims[id] for id in chosen), again=True, left=not sample)
    whole = again and not names
    if noted:
        found = {id: (mine, others) for id, (mine, others) in json.loads(Path(noted).read_text(encoding="utf-8")).items()}
        new, more = _as_noted(new, {id: said for id, said in found.items() if id in claims}, claims)
        wrong, whole = wrong + more, whole or claims.keys() <= found.keys()
    new = _used(new, claims if whole else {**new.claims})
    if write:
        write_text(Path(write), new.as_text())
    elif changed := [id for id in sorted(old.claims.keys() | new.claims.keys()) if old.claims.get(id) != new.claims.get(id)]:
        how = f"--noted {noted}" if noted else "--again"
        wrong.append(
            f"the kept file is of other questions than {', '.join(changed[:5])}{' and others' * (len(changed) > 5)};"
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


def _as_noted(old: Opinions, found: Mapping[str, Asked], claims: Mapping[str, Claim]) -> tuple[Opinions, list[str]]:
    """Opinions of what a run noted, after asking what nobody was asked before."""
    fresh = [id for id, (mine, _) in found.items() if not {*mine} <= old.questions.keys()]
    new, wrong = renew(old, (claims[id] for id in fresh), again=False)
    print(f"{len(fresh)} claims have questions that were not asked before")
    for id, said in found.items():
        if said == NONE:
            new.claims.pop(id, None)
            continue
        new.claims[id] = said
        if lost := {*said[0]} - new.questions.keys():
            wrong.append(f"{id}: the run noted {len(lost)} questions that the claim does not ask when it is evaluated again")
            new.questions.update(dict.fromkeys(lost, "left"))
    return new, wrong


def _used(old: Opinions, ids: Iterable[str]) -> Opinions:
    """Without claims that are no more, and without what nobody asks any more."""
    claims = {id: old.claims[id] for id in ids if id in old.claims}
    used = {q for mine, _ in claims.values() for q in mine}
    return Opinions(old.by, {q: w for q, w in old.questions.items() if q in used}, claims)
