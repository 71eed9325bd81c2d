"""Bounds on samples of every law: refuted by laws on few atoms, summed exactly."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.lemmas.laws.drawn import SampledLaws
from numerics.lemmas.laws.normal import for_normal_samples
from numerics.lemmas.laws.search import CLEAR, Found, searched, shown
from numerics.lemmas.laws.space import spaces
from numerics.lemmas.laws.statement import LawStatement, named_sample, read_statement
from numerics.lemmas.laws.words import Head, Iid
from numerics.provers.doors import guarded
from theory.inputs.whole_numbers import read_whole

__all__ = ["for_every_law", "speaks_of_laws"]

#: What the search of one space costs, in laws.
EACH = 25_000


def speaks_of_laws(lhs: Any, rhs: Any, domain: Mapping[Any, Any], where: Iterable[Any]) -> bool:
    """Whether the statement is of this kind: it has a sample, or a word that needs one."""
    parts = [lhs, rhs]
    for h in where:
        parts += [*h] if isinstance(h, tuple) else [h]
    words = any(isinstance(p, sp.Basic) and p.has(Head) for p in parts)
    return words or any(isinstance(given, Iid) for given in domain.values())


@guarded("enumeration")
def for_every_law(
    lhs: Any, op: str, rhs: Any, domain: Mapping[Any, Any], *, where: Iterable[Any], effort: int
) -> Evidence:
    """Judge a bound on a sample of every law: REFUTED with a law on few atoms, evaluated exactly;
    SUPPORTED where the search finds none; for a normal sample by its closed forms.
    """
    start = time.monotonic()
    steps = read_whole("effort", effort, "it counts laws that are tried; leave it out", least=0)
    x, given = named_sample(domain)
    if given.law is not None:
        ev = for_normal_samples(lhs, op, rhs, domain, where, x, given, steps)
        return ev.replace(seconds=time.monotonic() - start)
    st = read_statement(lhs, op, rhs, domain, where)
    told: dict[str, Any] = {"checked": st.checked, "assumes": st.assumes, "vacuous": st.vacuous}
    ev = _searched(st, steps)
    told["sides"] = (SampledLaws(st),) if any(spaces(st)) else ()
    return ev.replace(**told, seconds=time.monotonic() - start)


def _searched(st: LawStatement, effort: int) -> Evidence:
    """The verdict of the search."""
    if not any(spaces(st)):
        reason = (
            "samples of more than 20 variables, or of fewer under many equations, are not enumerated; try a "
            "smaller size"
        )
        return Evidence(verdict=Verdict.OPEN, engine="enumeration", reason=reason)
    tried: list[tuple[int, int, Found]] = []
    for i, space in enumerate(spaces(st)):
        if i * EACH > effort:
            break
        found = searched(space, i)
        if found.worst is not None and found.worst.fails:
            w = found.worst
            return Evidence(
                verdict=Verdict.REFUTED,
                engine="enumeration",
                witness=shown(st, w),
                witness_by="exact" if w.exact else "Arb",
                covered="every sample of the law in the witness, summed exactly",
            )
        tried.append((space.size, space.kinds, found))
    return _not_refuted(st, tried)


def _not_refuted(st: LawStatement, tried: list[tuple[int, int, Found]]) -> Evidence:
    """SUPPORTED, or OPEN where exact arithmetic could not follow the search."""
    doubtful = next(((n, k, f) for n, k, f in tried if f.unconfirmed), None)
    met = [(n, k, f.worst) for n, k, f in tried if f.worst is not None]
    size = st.size or "n"
    if doubtful is not None:
        n, k, f = doubtful
        reason = (
            f"in floating point a law on {k} atoms at {size} = {n} exceeds the bound by a share of "
            f"{2 * f.score:.3g}, near the atoms {[float(f'{a:.6g}') for a in f.point.atoms[0]]}, but no "
            "rational law near it was shown to do so. State it for parameters in a smaller "
            "range, or evaluate it there by `forall`"
        )
        return Evidence(verdict=Verdict.OPEN, engine="enumeration", reason=reason)
    if not met:
        reason = (
            f"of {len(tried)} searches none found a law on two or three atoms that surely meets the "
            "hypotheses and gives both sides a value: the statement may be vacuous. Write equalities of "
            "moments (they are met by construction), or weaker hypotheses"
        )
        return Evidence(verdict=Verdict.OPEN, engine="enumeration", reason=reason)
    if st.strict and any(f.score > -CLEAR for _, _, f in tried):
        reason = (
            "the sides come as near to each other as floating point tells, and a law without atoms may make "
            "them equal, which is not tried. Write <= for <, or a hypothesis under which they stay apart"
        )
        return Evidence(verdict=Verdict.OPEN, engine="enumeration", reason=reason)
    kinds = max(k for _, k, _ in met)
    sizes = ", ".join(map(str, dict.fromkeys(n for n, _, _ in met)))
    at = f" at {size} = {sizes}" if st.sized else ""
    missing = dict.fromkeys(str(n) for n, _, _ in tried if n not in {m for m, _, _ in met})
    rest = f"; no law meets the hypotheses at {size} = {', '.join(missing)}" if missing else ""
    covered = (
        f"laws on at most {kinds} atoms{at}, driven to the worst ratio, every sample enumerated{rest}; no "
        "proof for every law, which the kernel of derivations may give"
    )
    common: dict[str, Any] = {"verdict": Verdict.SUPPORTED, "engine": "enumeration", "covered": covered}
    positive = [w for _, _, w in met if w.ratio >= 1]
    if not positive:
        return Evidence(**common)
    best = min(positive, key=lambda w: w.ratio)
    return Evidence(**common, slack=max(1.0, best.ratio), tightest=shown(st, best))
