"""The ledger: the judgements of a run as JSON, whether each claim stands on the claims that it
needs, and which rows of the papers no claim settles yet.
"""

from __future__ import annotations

import datetime
import json
import platform
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from importlib import import_module, metadata
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from numerics.evidence import Evidence, Verdict
from proofs_check.core.claim import REGISTRY, Claim, Judgement, shown
from proofs_check.core.dial import Edge
from proofs_check.core.files import SCHEMA, write_text
from proofs_check.core.statements import PACKAGE, Row, row, rows, statement_files

__all__ = ["Ledger", "entry", "load_claims", "run_claim", "write_json"]

_PACKAGES = ("sympy", "numpy", "scipy", "mpmath", "numba", "python-flint", "largeprompt")


def load_claims() -> Mapping[str, Claim]:
    """Import every module beside a ``statements.toml``; each registers its claims.

    Examples
    --------
    >>> "BB:CC.3.b" in load_claims()
    True
    """
    for file in statement_files():
        package = ".".join(file.relative_to(PACKAGE.parent).parent.parts)
        for module in iter_modules([str(file.parent)]):
            import_module(f"{package}.{module.name}")
    return REGISTRY


def entry(claim: Claim, judgement: Judgement, where: Row) -> dict[str, Any]:
    """One claim's entry in the ledger as JSON values, without what depends on other claims."""
    j = judgement
    slack, repaired_slack = _slacks(claim, j)
    repair = {"numbers": shown(claim.repair), "slack": repaired_slack, **_judged(j.held)} if claim.repair else None
    return {
        "id": claim.id,
        "paper": where.paper,
        "covers": where.id,
        "kind": where.kind,
        "where": where.where,
        "says": where.says,
        "printed": where.printed,
        "summary": " ".join((claim.check.__doc__ or "").strip().split("\n\n")[0].split()),
        "checked": j.held.checked or j.printed.checked,
        "numbers": shown(claim.numbers),
        **_judged(j.printed),
        "repair": repair,
        "control": None if j.control is None else _judged(j.control),
        "sharp": None if j.edge is None else _edge(claim.dial, j.edge),
        "slack": slack,
        "slack_at_reference": j.held.reference,
        "severity": claim.false or None,
        "at": claim.at,
        "follows": claim.follows or None,
        "costs": claim.costs or None,
        "robust": None if claim.robust is None else claim.robust.shown(),
        "open": claim.open or None,
        "hypotheses": list(claim.hypotheses),
        "needs": list(claim.needs),
        "cites": list(dict.fromkeys((*claim.cites, *j.held.cites))),
        "argument": claim.argument,
        "fragment": claim.fragment,
        "why": claim.why,
        "details": claim.details,
        "instead": claim.instead,
        "unproved": claim.unproved,
        "error": j.error,
        "seconds": j.printed.seconds + (j.held.seconds if claim.repair else 0.0),
        "faults": list(j.faults),
    }


def _judged(evidence: Evidence) -> dict[str, Any]:
    return {"verdict": str(evidence.verdict), "evidence": evidence.to_json()}


def _edge(dial: str, edge: Edge) -> dict[str, Any]:
    values = {"accepted": edge.accepted, "refuted": edge.refuted, "undecided": edge.undecided}
    texts = {name: None if value is None else str(value) for name, value in values.items()}
    return {"dial": dial, "word": edge.word, **texts, "at": dict(edge.beyond.witness)}


def _slacks(claim: Claim, j: Judgement) -> tuple[float | None, float | None]:
    """The slack of the printed statement and of the held one, measured from the edge of the dial
    where the claim has one.
    """
    printed, held = j.printed.slack, j.held.slack
    if j.edge is not None:
        held = j.edge.slack(Fraction({**claim.numbers, **claim.repair}[claim.dial])) or held
        # The edge was found with the repair: it speaks of the printed number only if that is all
        # the repair changes.
        if set(claim.repair) <= {claim.dial}:
            printed = j.edge.slack(Fraction(claim.numbers[claim.dial])) or printed
    return printed, held


class Ledger:
    """The entries of one run and what follows from them together.

    Parameters
    ----------
    entries : iterable of dict
        What `entry` made.
    needs : Mapping[str, tuple of str]
        The needs of every registered claim, also of those that did not run; the structure is judged
        on all of them.
    run : Mapping
        Anything to be written down about the run.

    Examples
    --------
    >>> Ledger([]).faults()
    []
    """

    def __init__(
        self,
        entries: Iterable[dict[str, Any]],
        needs: Mapping[str, tuple[str, ...]] | None = None,
        run: Mapping[str, Any] | None = None,
    ) -> None:
        self.entries = {e["id"]: e for e in entries}
        self.needs = dict(needs) if needs is not None else {k: tuple(e["needs"]) for k, e in self.entries.items()}
        self.run = dict(run or {})
        self._chains: dict[str, Verdict] = {}

    def _claims_of(self, name: str) -> list[str]:
        """The claims that a need means: the one of that name, or for a row every claim that states
        a part of it (not what its proof infers).
        """
        if name in self.needs:
            return [name]
        return [k for k in self.needs if k.split("/", 1)[0] == name and not k.endswith("/inference")]

    def faults(self) -> list[str]:
        """What is wrong with the claims together: a circle of needs, needs that do not exist, and
        ids without a row.
        """
        out = []
        for id, needs in self.needs.items():
            if id.split("/", 1)[0] not in rows():
                out.append(f"{id}: there is no such row in statements.toml; add the printed statement or correct the id")
            out += [
                f"{id} needs {n}, which is neither a claim nor a row" for n in needs if not self._claims_of(n) and n not in rows()
            ]
        for id, e in self.entries.items():
            followed = e["follows"]
            if followed and not (self.entries.get(followed) or {"severity": "not run"})["severity"]:
                out.append(f"{id} follows the error of {followed}, which has none; name the claim whose error it inherits")
            if followed and self.first_error(id) == id:
                out.append(f"the error of {id} follows from itself; let one of the claims that follow each other stand first")
            if followed and followed not in self.needs:
                out.append(f"{id} follows {followed}, which is no claim; name the claim whose error it inherits")
        return out + ([f"the needs go round in a circle: {' -> '.join(self._circle)}"] if self._circle else [])

    @cached_property
    def _circle(self) -> list[str]:
        """Claims of which each needs the next one, the first again at the end; empty if the needs
        never go round.
        """
        needed = {id: [c for name in needs for c in self._claims_of(name)] for id, needs in self.needs.items()}
        try:
            TopologicalSorter(needed).prepare()
        except CycleError as error:
            circle: list[str] = error.args[1]
            return circle[::-1]
        return []

    def held(self, id: str) -> Verdict | None:
        """The verdict of a claim's repaired statement, or of the printed one; None if it did not
        run.
        """
        e = self.entries.get(id)
        return None if e is None else Verdict((e["repair"] or e)["verdict"])

    def chain(self, id: str) -> Verdict:
        """The minimum of the held verdicts of a claim and of all that it needs; what the claim
        declares `unproved` is at most SUPPORTED.

        What was not run, or what no claim settles, counts as OPEN.
        """
        if self._circle:
            return Verdict.OPEN
        # Each chain is computed once: there are far more ways down through the needs than claims.
        if id not in self._chains:
            self._chains[id] = self.weakest_link(id)[1]
        return self._chains[id]

    def weakest_link(self, id: str) -> tuple[str, Verdict]:
        """What makes a claim's chain as weak as it is, the claim itself or one of its needs, and
        that link; the first of several.
        """
        held = self.held(id) or Verdict.OPEN
        if id in self.entries and self.entries[id]["unproved"]:
            held = min(held, Verdict.SUPPORTED, key=lambda v: v.strength)
        needs = [n for name in self.needs.get(id, ()) for n in self._claims_of(name) or [name]]
        return min([(id, held), *((n, self.chain(n)) for n in needs)], key=lambda link: link[1].strength)

    def stands(self, id: str) -> bool:
        """Whether a claim is accepted, if need be as repaired, and so is all that it needs."""
        return self.chain(id).accepted

    def users(self, id: str) -> list[str]:
        """The claims of this run that need a claim, by its own name or by that of its row. Other
        parts of that row do not count.
        """
        row = id.split("/", 1)[0]
        whole = row if not id.endswith("/inference") else id
        return [
            u
            for u, needs in self.needs.items()
            if u in self.entries and (id in needs or (whole in needs and u.split("/", 1)[0] != row))
        ]

    def survives(self, id: str) -> bool | None:
        """Whether everything that needs the claim stands, and what it needs of the claim is not
        false; None if nothing needs it.
        """
        users = self.users(id)
        return self.held(id) is not Verdict.REFUTED and all(self.stands(u) for u in users) if users else None

    def steps(self, id: str) -> list[str]:
        """A claim, or the claims of a row, and all that it rests on: needs in their order, each
        followed by its own, none twice.

        Examples
        --------
        >>> Ledger([], {"BB:A": ("BB:B", "BB:C"), "BB:B": ("BB:C",), "BB:C": ()}).steps("BB:A")
        ['BB:A', 'BB:B', 'BB:C']
        """
        order: dict[str, None] = {}

        def visit(name: str) -> None:
            for step in self._claims_of(name):
                if step not in order:
                    order[step] = None
                    for need in self.needs[step]:
                        visit(need)

        visit(id)
        return list(order)

    def losses(self, id: str) -> list[tuple[str, float]]:
        """What a claim and each of its steps give away at the reference instance, as (id, bound
        over truth).

        Only what ran and is a bound with ``reference=``. The factors do not multiply to the first:
        steps also enter sums.
        """
        found = ((step, self.entries[step]["slack_at_reference"]) for step in self.steps(id) if step in self.entries)
        return [(step, loss) for step, loss in found if loss is not None]

    def first_error(self, id: str) -> str:
        """The claim whose error a claim inherits in the end, by way of others; the claim itself if
        it inherits none.
        """
        seen = [id]
        while (entry := self.entries.get(seen[-1])) and entry["follows"]:
            if entry["follows"] in seen:
                return id  # a circle, which `faults` names
            seen.append(entry["follows"])
        return seen[-1]

    def unsettled(self) -> list[str]:
        """Rows of the papers that no claim of this run settles: none with an OPEN part, unless the
        row itself is REFUTED.
        """
        of = self.entries.values()
        settled = {e["covers"] for e in of} - {e["covers"] for e in of if e["verdict"] == "OPEN"}
        settled |= {e["id"] for e in of if e["id"] == e["covers"] and e["verdict"] == "REFUTED"}
        return [r for r in rows() if r not in settled]

    def counts(self) -> dict[str, Counter[str]]:
        """How many claims of each paper have which verdict as printed; assumptions and citations
        are counted apart.
        """
        out: dict[str, Counter[str]] = {}
        for e in self.entries.values():
            apart = " (assumptions, citations)" if e["kind"] in ("assumption", "cited") else ""
            out.setdefault(e["paper"] + apart, Counter())[e["verdict"]] += 1
        return out

    def to_json(self) -> dict[str, Any]:
        """The document that ``ledger.json`` holds; see ``ledger.schema.json``."""
        claims = [
            {**e, "chain": str(self.chain(id)), "stands": self.stands(id), "survives": self.survives(id)}
            for id, e in self.entries.items()
        ]
        run = {
            "schema": SCHEMA,
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "python": platform.python_version(),
            "versions": {name: metadata.version(name) for name in _PACKAGES},
            "error": sum(e["error"] for e in claims),
            "faults": self.faults(),
            **self.run,
        }
        return {"run": run, "claims": claims, "unsettled": self.unsettled()}


def run_claim(id: str, reseed: int = 0) -> dict[str, Any]:
    """Judge one registered claim and return its line of the ledger."""
    claim = load_claims()[id]
    return entry(claim, claim.judge(reseed), row(id))


def write_json(document: Mapping[str, Any], path: Path) -> None:
    """Write through a temporary file in the same folder, so that an interrupted run never damages
    an older ledger.
    """
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
