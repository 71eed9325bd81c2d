"""What a paper loses: which of its numbered results stand, which stand with a change, and which are
not established, with the reason. Places such as sections are no results. Every document and the
terminal read it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from numerics.evidence import Verdict
from proofs_check.core.instead import NOT_EXECUTED, is_executed, told_instead
from proofs_check.core.ledgers.coverage import NOT_SETTLED, least_parts, stated
from proofs_check.core.severity import by_severity, in_words
from proofs_check.papers.statements import Row, also_named, is_own, place, proves, states

if TYPE_CHECKING:
    from proofs_check.core.ledgers.ledger import Ledger

__all__ = ["CHANGED", "LOST", "STANDS", "Result", "listed", "results"]

STANDS, CHANGED, LOST = "stands", "stands with a change", "not established"
#: Errors that break a proof which uses the line; others leave it as it is, up to degenerate points.
BREAKING = ("false", "gap")
#: Verdicts that need no further proof.
PROVING = (Verdict.PROVED, Verdict.CERTIFIED, Verdict.ARGUED)
Entry = Mapping[str, Any]


class Outcome(Protocol):
    """What is read of a row: see `proofs_check.core.ledgers.outcomes.Outcome`."""

    @property
    def id(self) -> str: ...

    @property
    def row(self) -> Row: ...

    @property
    def claims(self) -> tuple[Entry, ...]: ...

    @property
    def errors(self) -> tuple[Entry, ...]: ...


@dataclass(frozen=True, kw_only=True)
class Result:
    """One numbered result of a paper, or one that it calls a main one."""

    #: ``"Proposition 3.1"``.
    title: str
    #: The rows that state it.
    ids: tuple[str, ...]
    main: bool
    #: What it says, in about a dozen words if the list of statements has them.
    says: str
    #: `STANDS`, `CHANGED` or `LOST`.
    standing: str
    #: What to change, or what is true instead, as prose with LaTeX between dollars; what was not
    #: executed is marked. Empty if nothing.
    change: str
    #: What is wrong with its printed proof; empty if nothing was found.
    proof: str
    #: The claims whose errors its printed proof rests on.
    errors: tuple[str, ...]
    #: Why it is not established, or what else to know: that the printed proof is wrong, or that
    #: there is no proof here.
    reason: str
    #: Whether nothing that it needs is merely supported by instances.
    proved: bool
    #: As printed; REFUTED if a row that states it is.
    verdict: str
    #: The weakest link of all that it rests on, changes made.
    evidence: str

    @property
    def told(self) -> str:
        """Whether it stands, and why not or with which reservation."""
        return self.standing + (
            f"{':' if self.standing == LOST else ';'} {self.reason}" if self.reason else ""
        )

    @property
    def to_change(self) -> str:
        """What to change, in words also where that is nothing."""
        return self.change or ("only its proof" if self.proof else "nothing")


def results(rows: Sequence[Outcome], ledger: Ledger) -> tuple[Result, ...]:
    """The numbered results of a paper and its main ones, in printed order, from all its rows.

    >>> from proofs_check.core.ledgers.outcomes import account
    >>> account({"claims": []}, "BB").results[0].told
    'not established: no claim settles it'
    """
    stating: dict[str, list[Outcome]] = {}
    for o in rows:
        if states(o.row):
            stating.setdefault(place(o.row)[1], []).append(o)
    return tuple(_Judged(title, group, rows, ledger).result() for title, group in stating.items())


def listed(names: Iterable[str]) -> str:
    """Names of numbered statements as people list them.

    >>> listed(["Lemma E.2", "Lemma E.4", "Corollary C.3"]), listed(["Theorem 1"])
    ('Lemmas E.2 and E.4 and Corollary C.3', 'Theorem 1')
    """
    of_kind: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        kind, _, number = name.rpartition(" ")
        of_kind.setdefault(kind, []).append(number)
    more = {"Lemma": "Lemmas", "Corollary": "Corollaries", "Appendix": "Appendices"}
    plural = lambda kind: more.get(kind, f"{kind}s")
    parts = [
        f"{plural(kind) if len(numbers) > 1 and kind else kind} {_joined(numbers)}".strip()
        for kind, numbers in of_kind.items()
    ]
    return _joined(parts)


def _joined(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else ""


class _Judged:
    """One result, with everything that it and its printed proof use."""

    def __init__(self, title: str, group: list[Outcome], rows: Sequence[Outcome], ledger: Ledger) -> None:
        self.group, self.ledger = group, ledger
        self.of_row = {o.id: o for o in rows}
        self.names = (title, *(name for o in group for name in also_named(o.row)))
        self.steps = [o for o in rows if o not in group and {*self.names} & {*proves(o.row)}]
        self.own = sorted((e for o in group for e in o.errors if _of_statement(e, o)), key=by_severity)
        self.heads = {self.head(e)["id"] for e in self.own}
        self.stating = [e for o in group for e in least_parts(o.claims)]
        self.unsettled = not all(least_parts(o.claims) for o in group)

    def head(self, e: Entry) -> Entry:
        """The error that an entry inherits, or is."""
        return self.ledger.entries.get(self.ledger.first_error(e["id"]), e)

    def result(self) -> Result:
        why_not, wrong = self._why_not(), self._errors_of_proof()
        needed = [] if why_not else self._needed()
        changes = dict.fromkeys(told_instead(e, short=True) for e in (*self.own, *needed) if e["instead"])
        main = [o.row for o in self.group if o.row.main] or [o.row for o in self.group]
        return Result(
            title=self.names[0],
            ids=tuple(o.id for o in self.group),
            main=any(o.row.main for o in self.group),
            says="; ".join(
                dict.fromkeys(
                    row.short or row.says for row in main if row.short or not any(r.short for r in main)
                )
            ),
            standing=LOST if why_not else CHANGED if self.own or needed else STANDS,
            change=" ".join(changes),
            proof=f"its printed proof {self._uses(wrong)}" if wrong else "",
            errors=tuple(e["id"] for e in wrong),
            reason=why_not or self._reservation(wrong),
            proved=self._is_proved(),
            verdict="REFUTED" if self.own else self._weakest([e["verdict"] for e in self.stating]),
            evidence=self._weakest([self.ledger.chain(e["id"]) for e in self.stating]),
        )

    def _weakest(self, verdicts: Sequence[str]) -> str:
        return NOT_SETTLED if self.unsettled else str(min(map(Verdict, verdicts), key=lambda v: v.strength))

    def _needed(self) -> list[Entry]:
        """Errors of what the statement needs that hold with a further hypothesis only: it then
        needs that hypothesis as well.
        """
        mine = {o.id for o in self.group}
        found: dict[str, Entry] = {}
        for step in (s for e in self.stating for s in self.ledger.steps(e["id"]) if s in self.ledger.entries):
            e = self.ledger.entries[step]
            missing = (
                e["verdict"] == "REFUTED"
                and e["severity"] in BREAKING
                and e["costs"] == "a hypothesis"
                and is_executed(e)
            )
            if missing and self.head(e)["id"] not in self.heads and e["covers"] not in mine:
                found.setdefault(self.head(e)["id"], self.head(e))
        return list(found.values())

    def _why_not(self) -> str:
        """Why the result is not established; empty if it is."""
        if lost := [e for e in self.own if _is_lost(e)]:
            executed = sum(map(is_executed, lost))
            other = "what is true instead is another statement" + (
                "" if executed == len(lost) else ", in part not executed"
            )
            return f"{_said(lost)}; {other if executed else f'what is true instead was {NOT_EXECUTED}'}"
        if self.unsettled:
            return "no claim settles it"
        for e in self.stating:
            need, link = self.ledger.weakest_link(e["id"])
            while not link.accepted and need not in (e["id"], deeper := self.ledger.weakest_link(need)[0]):
                need = deeper
            if link is Verdict.OPEN and need == e["id"]:
                return "open"
            if not link.accepted and need != e["id"]:
                said = {Verdict.REFUTED: f"false, and what is true instead was {NOT_EXECUTED}"}.get(
                    link, "not settled"
                )
                return f"it rests on {self._place(need)} ({need}), which is {said}"
        broken = [e for e in self._errors_of_proof() if _is_lost(e)]
        if broken and not self._is_proved():
            return f"instances support it, but its printed proof {self._uses(broken)}, which is not mended"
        return ""

    def _place(self, id: str) -> str:
        o = self.of_row.get(id.split("/", 1)[0])
        return (
            "a claim" if o is None else place(o.row)[1] if states(o.row) else f"a step of {place(o.row)[1]}"
        )

    def _is_proved(self) -> bool:
        """Whether nothing that it needs is merely supported by instances. Assumptions need no
        proof, and what is cited is proved elsewhere.
        """
        for step in (s for e in self.stating for s in self.ledger.steps(e["id"])):
            e = self.ledger.entries.get(step)
            if e is None:
                verdict = (
                    Verdict(self.ledger.elsewhere[step]["chain"])
                    if step in self.ledger.elsewhere
                    else Verdict.OPEN
                )
            elif e["kind"] in ("assumption", "cited"):
                continue
            else:
                verdict = Verdict.SUPPORTED if e["unproved"] else Verdict((e["repair"] or e)["verdict"])
            if verdict not in PROVING:
                return False
        return True

    def _reservation(self, wrong: Sequence[Entry]) -> str:
        """What to know of a result that is established."""
        how = "" if self._is_proved() else "supported by instances, not proved here"
        if not wrong:
            return how
        return f"{how or 'proved otherwise'}; its printed proof {self._uses(wrong)}"

    def _errors_of_proof(self) -> list[Entry]:
        """False statements and false steps on which the printed proof rests, each independent error
        once, in the order of the paper.
        """
        if is_own(self.group[0].row.paper):
            return []
        seen = dict.fromkeys(o.id for o in (*self.group, *self.steps))
        todo = [*seen]
        while todo:
            new = [use for use in self.of_row[todo.pop()].row.uses if use in self.of_row and use not in seen]
            seen |= dict.fromkeys(new)
            todo += new
        found: dict[str, Entry] = {}
        for e in (
            e
            for o in self.of_row.values()
            if o.id in seen and o.row.kind != "assumption"
            for e in o.errors
            if e not in self.own
        ):
            head = self.head(e)
            if head["severity"] in BREAKING and head["id"] not in self.heads:
                found.setdefault(head["id"], head)
        return list(found.values())

    def _uses(self, wrong: Sequence[Entry]) -> str:
        """What of it is false, by the numbers of the statements."""
        statements, steps, mine = [], [], False
        for e in wrong:
            o = self.of_row.get(e["covers"])
            title = e["where"] if o is None else place(o.row)[1]
            if title in self.names:
                mine = True
            elif o is not None and states(o.row) and _of_statement(e, o):
                statements.append(title)
            else:
                steps.append(title)
        gaps = listed(title for title in steps if title not in statements)
        has = ["has a false step"] * mine
        used = [f"uses {listed(statements)}, false as printed{',' * bool(gaps)}"] * bool(statements)
        more = [f"{'' if mine and not used else 'has '}gaps at {gaps}"] * bool(gaps)
        return _joined([*has, *used, *more])


def _is_lost(e: Entry) -> bool:
    """Whether an error leaves nothing of its line that is established here. A slip of notation does
    not cost the line.
    """
    return e["costs"] == "the theorem" or (
        e["severity"] not in ("typo", "text and code") and not is_executed(e)
    )


def _of_statement(e: Entry, o: Outcome) -> bool:
    """Whether an error is one of the statement itself. A false step beside a statement that is
    accepted as a whole is one of its proof.
    """
    if e["id"].endswith("/inference"):
        return False
    whole = stated(o.claims)
    beside = e not in whole and all(Verdict(c["verdict"]).accepted for c in whole)
    return not beside or e["severity"] not in BREAKING


def _said(errors: Iterable[Entry]) -> str:
    """What is wrong with a statement, in a few words."""
    words = list(
        dict.fromkeys("false as printed" if in_words(e) == "a false step" else in_words(e) for e in errors)
    )
    if "false in its own regime" in words:
        words = [word for word in words if word != "false as printed"]
    return ", ".join(word.removesuffix(" only") if len(words) > 1 else word for word in words)
