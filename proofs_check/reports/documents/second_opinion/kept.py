"""What somebody else confirmed of the arithmetic that verdicts rest on: the kept answers, which are
read here and asked for in `proofs_check.reports.documents.second_opinion.asking`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from proofs_check.papers.statements import PACKAGE

__all__ = ["KEPT", "Asked", "Opinions", "opinion", "read"]

KEPT = PACKAGE / "second_opinion.json"
#: The names of the questions of a claim, and how many of other kinds it has.
Asked = tuple[list[str], dict[str, int]]


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
        said = (
            [f"{len(mine) - len(self.left(id))} of {len(mine)} arithmetic steps by {self.by}"] if mine else []
        )
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
            *(
                f"left of {id}: {len(left)} of {len(self.claims[id][0])}"
                for id in sorted(self.claims)
                if (left := self.left(id))
            ),
        ]

    def table(self, document: Mapping[str, Any]) -> str:
        """The counts in Markdown, of claims by the verdicts that a ledger states, as repaired."""
        kinds, rows = (
            Counter(self.questions.values()),
            {"PROVED": "PROVED or CERTIFIED", "CERTIFIED": "PROVED or CERTIFIED"},
        )
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
                (
                    f"| with exp, log, variable powers or other functions | {number(kinds['z3 and Arb'])} "
                    f"| {number(kinds['left'])} |"
                ),
                "",
                f"{'None is' if not bad else 'One is' if bad == 1 else f'{bad} are'} contradicted.",
                "",
                (
                    "| verdict, as repaired | claims with such questions | all that they rest on was asked "
                    "and confirmed |"
                ),
                "|---|---|---|",
                *(
                    f"| {verdict} | {number(n)} | {number(whole[verdict])} |"
                    for verdict, n in sorted(of.items(), reverse=True)
                ),
            ]
        )

    def whole(self, id: str) -> bool:
        """Whether every question of a claim was asked and confirmed, and it had some."""
        mine, others = self.claims[id]
        return bool(mine) and not others and not self.left(id)

    def as_text(self) -> str:
        words = {
            w: sorted(q for q, said in self.questions.items() if said == w)
            for w in sorted(set(self.questions.values()))
        }
        number = {q: n for n, q in enumerate(q for of_word in words.values() for q in of_word)}
        claims = {
            id: {"steps": sorted(number[q] for q in mine), **({"not asked": others} if others else {})}
            for id, (mine, others) in sorted(self.claims.items())
        }
        lines = lambda rows: ",\n".join(
            f"  {json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in rows.items()
        )
        return (
            f'{{"by": {json.dumps(self.by)},\n"questions": {{\n{lines(words)}}},\n"claims": '
            f"{{\n{lines(claims)}}}}}\n"
        )


def read(path: Path = KEPT) -> Opinions:
    """The opinions in a file; none if there is no such file."""
    if not path.is_file():
        return Opinions()
    data = json.loads(path.read_text(encoding="utf-8"))
    order = [q for of_word in data["questions"].values() for q in of_word]
    claims = {
        id: (sorted(order[n] for n in c["steps"]), c.get("not asked", {})) for id, c in data["claims"].items()
    }
    return Opinions(data["by"], {q: w for w, of_word in data["questions"].items() for q in of_word}, claims)


@cache
def _kept() -> Opinions:
    return read()


def opinion(id: str) -> str:
    """Who else confirmed the arithmetic of a claim, in words.

    >>> opinion("ME:nothing")
    ''
    """
    return _kept().says(id)
