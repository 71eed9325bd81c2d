"""Whether a claim can fail: each of its conjuncts must be refuted once a number of the statement
is changed, and it must say something before it can be refuted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
import sympy as sp

from numerics.evidence import CEILING, Evidence, Verdict
from proofs_check.core.hypotheses import outside

__all__ = [
    "conjuncts",
    "disagreeing",
    "faults_of_controls",
    "floats",
    "in_short",
    "named_z3",
    "too_far",
    "unrefuted",
    "vacuous",
]

Path = tuple[int, ...]


def conjuncts(evidence: Evidence, path: Path = ()) -> Iterator[tuple[Path, Evidence]]:
    """The statements that a conjunction joins, with their places in it; a statement that is no
    conjunction is its own only one.
    """
    if evidence.engine != "conjunction":
        yield path, evidence
        return
    for k, part in enumerate(evidence.parts):
        yield from conjuncts(part, (*path, k))


def unrefuted(held: Evidence, controls: Sequence[Evidence]) -> list[str]:
    """The conjuncts that no control refutes, in LaTeX. Instances of one statement, which show the
    same text, are one conjunct. It is refuted in a run with other numbers at its own place, or by
    the copy that its engine spoiled itself.

    >>> from numerics.evidence import all_of
    >>> exact = dict(engine="exact arithmetic")
    >>> true = [Evidence(verdict=Verdict.PROVED, checked=text, **exact) for text in "ab"]
    >>> false = Evidence(verdict=Verdict.REFUTED, witness={"x": 1}, witness_by="exact", **exact)
    >>> unrefuted(all_of(*true), [all_of(true[0], false)])
    ['a']
    """
    refuted = {path for c in controls for path, leaf in conjuncts(c) if leaf.verdict is Verdict.REFUTED}
    spoiled: dict[str, bool] = {}
    for path, leaf in conjuncts(held):
        # Parts without a text cannot be told apart by it; each of them counts.
        name = leaf.checked or f"part {'.'.join(str(k + 1) for k in path)} ({leaf.engine})"
        own = leaf.control is not None and leaf.control.verdict is Verdict.REFUTED
        spoiled[name] = spoiled.get(name, False) or own or path in refuted
    return [name for name, is_spoiled in spoiled.items() if not is_spoiled]


def vacuous(evidence: Evidence) -> list[str]:
    """The parts of an evidence that say nothing, each with the reason."""
    return [f"{leaf.checked}: {leaf.vacuous}" for _, leaf in conjuncts(evidence) if leaf.vacuous]


def named_z3(evidence: Evidence) -> bool:
    """Whether z3 said any of this: the ledger shall be the same where it is not installed.

    >>> named_z3(Evidence(verdict=Verdict.PROVED, engine="z3"))
    True
    """
    inside = (*evidence.parts, *evidence.routes, *(e for e in [evidence.control] if e is not None))
    return evidence.engine == "z3" or any(map(named_z3, inside))


def disagreeing(evidence: Evidence) -> list[str]:
    """The computed second routes of an accepted statement that do not confirm it, each with the
    reason. A prover may be unable to decide what another one shows, and a property test to draw an
    example; a computation comes out with a number, and one that leaves the statement open is none.

    >>> other = Evidence(verdict=Verdict.OPEN, engine="quadrature", reason="0 in place of 86")
    >>> disagreeing(Evidence(verdict=Verdict.PROVED, engine="identity", routes=(other,)))
    ['its second route, quadrature, does not confirm it: 0 in place of 86']
    """
    if not evidence.verdict.accepted:
        return []
    computed = {engine for engine, most in CEILING.items() if most is Verdict.SUPPORTED} - {"property test"}
    leaves = [leaf for route in _routes(evidence) for _, leaf in conjuncts(route)]
    reasons = dict.fromkeys(
        (e.engine, e.reason) for e in leaves if e.verdict is Verdict.OPEN and e.engine in computed
    )
    return [f"its second route, {engine}, does not confirm it: {reason}" for engine, reason in reasons]


def _routes(evidence: Evidence) -> Iterator[Evidence]:
    """The second routes of an evidence, of all its parts, and of these routes."""
    yield from evidence.routes
    for part in (*evidence.parts, *evidence.routes):
        yield from _routes(part)


def floats(numbers: Mapping[str, Any]) -> list[str]:
    """The binary floats among the numbers of a claim, of any type and however deep.

    >>> floats({"a": 1, "b": (1, {"c": np.float32(0.5)}), "d": sp.Symbol("x") * 0.1})
    ['b', 'd']
    """
    return [name for name, number in numbers.items() if _has_float(number)]


def _has_float(x: Any) -> bool:
    if isinstance(x, (sp.Basic, sp.MatrixBase)):
        return bool(x.has(sp.Float))
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "fc" or (x.dtype.kind == "O" and any(map(_has_float, x.flat)))
    if isinstance(x, Mapping):
        return any(_has_float(v) for pair in x.items() for v in pair)
    if isinstance(x, Iterable) and not isinstance(x, (str, bytes)):
        return any(map(_has_float, x)) if isinstance(x, (tuple, list, set, frozenset)) else False
    return isinstance(x, (float, complex, np.floating, np.complexfloating)) or type(x).__name__ in (
        "mpf",
        "mpc",
    )


def faults_of_controls(held: Evidence, controls: Sequence[Evidence], hypotheses: Sequence[str]) -> list[str]:
    """What the controls of an accepted statement leave to be desired."""
    if not held.verdict.accepted:
        return []
    passed = [in_short(c) for c in controls if c.verdict is not Verdict.REFUTED]
    out = [f"a control was not refuted, it came out {c}: the check may be unable to fail" for c in passed]
    if not controls:
        out.append("no control changes a number of the statement: give sharp= or control=")
    # A control may be a witness of fewer quantities than the paper's hypotheses speak of.
    for c in controls:
        out += outside("witness of a control", hypotheses, c.witness, known=True)
    return out + [f"no control refutes the conjunct {name}" for name in unrefuted(held, controls)]


def too_far(
    control: Mapping[str, Any], numbers: Mapping[str, Any], run: Callable[[Mapping[str, Any]], Evidence]
) -> list[str]:
    """A control more than a factor 2 too far shows too little: half as far, it must not be
    refuted.
    """
    far: dict[str, Fraction] = {}
    for name, value in control.items():
        base = numbers[name]
        if not all(
            isinstance(v, Rational) and not isinstance(v, bool) and Fraction(v) > 0 for v in (value, base)
        ):
            return []  # a control that swaps a formula has no distance
        value, base = Fraction(value), Fraction(base)
        ratio = value / base
        if ratio > 2 or ratio < Fraction(1, 2):
            far[name] = value / 2 if ratio > 1 else value * 2
    if not far or run({**control, **far}).verdict is not Verdict.REFUTED:
        return []
    return [f"the control {dict(control)} is more than a factor 2 too far: {far} is refuted already"]


def in_short(e: Evidence) -> str:
    """Verdict, and witness or reason, of an evidence in one line."""
    witness = ", ".join(f"{k} = {v}" for k, v in e.witness.items())
    return f"{e.verdict}" + (f" at {witness}" if witness else f" ({e.reason})" if e.reason else "")
