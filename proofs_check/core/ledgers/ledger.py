"""The ledger: the judgements of a run as JSON, whether each claim stands on the claims that it
needs, and which rows of the papers no claim settles yet.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from importlib import metadata
from pathlib import Path
from typing import Any

from numerics.evidence import Verdict
from numerics.terminal.inputs import InputError, writable_folder
from proofs_check.core.ledgers.coverage import NOT_SETTLED, row_verdict
from proofs_check.core.ledgers.files import SCHEMA, write_text
from proofs_check.papers.registered import in_scope
from proofs_check.papers.statements import PACKAGE, all_rows, known_papers, rows
from theory.inputs.kinds import check_kind, read_items

__all__ = ["Ledger", "as_text", "code_digest", "merged", "write_json"]

_PACKAGES = ("sympy", "numpy", "scipy", "mpmath", "numba", "python-flint", "largeprompt")


def code_digest() -> str:
    """Digest of the code of the three packages, of the lists of statements and of the folders that
    the user named, 12 hexadecimal digits: it tells with which code a ledger was made.

    >>> len(code_digest())
    12
    """
    digest = hashlib.sha256()
    roots = [PACKAGE.parent / name for name in ("theory", "numerics", "proofs_check")]
    roots += [file.parent for c in in_scope() for file in c.files if not file.is_relative_to(PACKAGE)]
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(
                    path.relative_to(root.parent).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
                )
    return digest.hexdigest()[:12]


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

    Attributes
    ----------
    elsewhere : dict
        What ledgers of other collections say of needs that did not run, by the need. It is written
        down in the entries, and what ran now counts more.

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
        check_kind(Mapping, needs={} if needs is None else needs, run={} if run is None else run)
        self.entries = {e["id"]: e for e in read_items(Mapping, entries=entries)}
        self.needs = (
            dict(needs) if needs is not None else {k: tuple(e["needs"]) for k, e in self.entries.items()}
        )
        self.run = dict(run or {})
        self._chains: dict[str, Verdict] = {}
        stored = {name: said for e in self.entries.values() for name, said in e.get("elsewhere", {}).items()}
        self.elsewhere = {name: said for name, said in stored.items() if not self._ran(name)}
        self.needs |= {name: tuple(said["needs"]) for name, said in self.elsewhere.items()}

    def claims_of(self, name: str) -> list[str]:
        """The claims that a need means: the one of that name, or for a row every claim that states
        a part of it (not what its proof infers); empty if no claim is known.
        """
        if name in self.needs:
            return [name]
        return [k for k in self.needs if k.split("/", 1)[0] == name and not k.endswith("/inference")]

    def _ran(self, name: str) -> bool:
        claims = self.claims_of(name)
        return bool(claims) and self.entries.keys() >= {*claims}

    def faults(self) -> list[str]:
        """What is wrong with the claims together: a circle of needs, needs that do not exist, and
        ids without a row.
        """
        out = []
        for id, needs in self.needs.items():
            if id.split("/", 1)[0] not in all_rows() and id.split(":", 1)[0] in known_papers():
                out.append(
                    f"{id}: there is no such row in statements.toml; add the printed statement or "
                    "correct the id"
                )
            if id not in self.elsewhere:
                out += [_unknown(id, n) for n in needs if not self.claims_of(n) and n not in all_rows()]
        for id, e in self.entries.items():
            followed = e["follows"]
            if followed and not (self.entries.get(followed) or {"severity": "not run"})["severity"]:
                out.append(
                    f"{id} follows the error of {followed}, which has none; name the claim whose error "
                    "it inherits"
                )
            if followed and self.first_error(id) == id:
                out.append(
                    f"the error of {id} follows from itself; let one of the claims that follow each "
                    "other stand first"
                )
            if followed and followed not in self.needs:
                out.append(
                    f"{id} follows {followed}, which is no claim; name the claim whose error it inherits"
                )
        return out + (
            [f"the needs go round in a circle: {' -> '.join(self._circle)}"] if self._circle else []
        )

    @cached_property
    def _circle(self) -> list[str]:
        """Claims of which each needs the next one, the first again at the end; empty if the needs
        never go round.
        """
        needed = {id: [c for name in needs for c in self.claims_of(name)] for id, needs in self.needs.items()}
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

    def unmended(self, id: str) -> bool:
        """Whether a claim of this run is refuted, and no repair of it was accepted; or another
        ledger says so of one that did not run, or of what it needs.
        """
        if id in self.elsewhere:
            return self.chain(id) is Verdict.REFUTED
        e = self.entries.get(id)
        return (
            e is not None
            and e["verdict"] == "REFUTED"
            and not (e["repair"] and Verdict(e["repair"]["verdict"]).accepted)
        )

    def chain(self, id: str) -> Verdict:
        """The minimum of the held verdicts of a claim and of all that it needs; what the claim
        declares `unproved` is at most SUPPORTED. What was not run counts as another ledger says, if
        one does (`elsewhere`), else as OPEN, and so does what no claim settles.
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
        if id in self.elsewhere:  # of a row some parts may have run
            parts = [k for k in self.entries if k.startswith(f"{id}/") and not k.endswith("/inference")]
            read = (id, Verdict(self.elsewhere[id]["chain"]))
            return min([read, *((k, self.chain(k)) for k in parts)], key=lambda link: link[1].strength)
        held = self.held(id) or Verdict.OPEN
        if id in self.entries and self.entries[id]["unproved"]:
            held = min(held, Verdict.SUPPORTED, key=lambda v: v.strength)
        needs = [n for name in self.needs.get(id, ()) for n in self.claims_of(name) or [name]]
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
        """
        order: dict[str, None] = {}

        def visit(name: str) -> None:
            for step in self.claims_of(name):
                if step not in order:
                    order[step] = None
                    for need in self.needs[step]:
                        visit(need)

        visit(id)
        return list(order)

    def losses(self, id: str) -> list[tuple[str, float]]:
        """What a claim and each of its steps give away at the reference instance, as (id, bound
        over truth), where it ran and is a bound with ``reference=``. The factors do not multiply to
        the first: steps also enter sums.
        """
        found = (
            (step, self.entries[step]["slack_at_reference"])
            for step in self.steps(id)
            if step in self.entries
        )
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
        """Rows of the papers that are open, or that no claim of this run states."""
        of_row: dict[str, list[dict[str, Any]]] = {}
        for e in self.entries.values():
            of_row.setdefault(e["covers"], []).append(e)
        return [r for r in rows() if row_verdict(of_row.get(r, ())) in (Verdict.OPEN, NOT_SETTLED)]

    def to_json(self) -> dict[str, Any]:
        """The document that ``ledger.json`` holds; see ``ledger.schema.json``."""
        claims = [
            {**e, "chain": str(self.chain(id)), "stands": self.stands(id), "survives": self.survives(id)}
            for id, e in self.entries.items()
        ]
        run = {
            "schema": SCHEMA,
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "code": code_digest(),
            "python": platform.python_version(),
            "versions": {name: metadata.version(name) for name in _PACKAGES},
            "error": sum(e["error"] for e in claims),
            "faults": self.faults(),
            **self.run,
        }
        return {"run": run, "claims": claims, "unsettled": self.unsettled()}


def _unknown(id: str, need: str) -> str:
    """What is wrong with a need that nothing is called."""
    key = need.split(":", 1)[0]
    what_to_do = (
        "correct the id; largeprompt list names them all"
        if key in known_papers()
        else f"no paper here has the key {key}; correct it, or name the folder of that paper as well"
    )
    return f"{id} needs {need}, which is neither a claim nor a row: {what_to_do}"


def merged(
    documents: Sequence[Mapping[str, Any]], needs: Mapping[str, tuple[str, ...]] | None = None
) -> dict[str, Any]:
    """Ledgers of different claims as one, with the run of the first, in which chains are followed
    from one to the other. It is partial unless all claims that `needs` names, in its order, are in
    it; without `needs`, if any ledger is partial. A claim in two of them, with another verdict or
    other numbers, is an InputError.
    """
    entries: dict[str, dict[str, Any]] = {}
    for document in documents:
        for e in document["claims"]:
            known = entries.setdefault(e["id"], e)
            said = [(c["verdict"], c["numbers"], c["repair"] and c["repair"]["verdict"]) for c in (known, e)]
            if said[0] != said[1]:
                raise InputError(
                    f"two ledgers differ about {e['id']}: {said[0]} and {said[1]}; judge it anew"
                )
    runs = [document["run"] for document in documents]
    given = {key: runs[0][key] for key in ("date", "code", "python", "versions")}
    partial = any(run["partial"] for run in runs) if needs is None else set(entries) != set(needs)
    order = {id: i for i, id in enumerate(needs or {})}
    found = sorted(entries.values(), key=lambda e: order.get(e["id"], len(order)))
    seconds = sum(e["seconds"] for e in found) if needs else sum(run["seconds"] for run in runs)
    given |= {"partial": partial, "reseed": next((run["reseed"] for run in runs if run["reseed"]), 0)}
    return Ledger(found, needs, run={**given, "seconds": seconds}).to_json()


def as_text(document: Mapping[str, Any]) -> str:
    """A ledger as a file holds it."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def write_json(document: Mapping[str, Any], path: Path) -> None:
    """Write into a folder that is made if it is missing, through a temporary file in it, so that an
    interrupted run never damages an older ledger.
    """
    writable_folder(path.parent)
    write_text(path, as_text(document))
