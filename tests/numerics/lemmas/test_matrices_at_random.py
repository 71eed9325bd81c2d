"""Random statements about matrices, true or false by a hair, against a second route: NumPy at many
points, and the witnesses by SymPy's own matrices.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.lemmas.matrices.heads import (
    FrobeniusNorm,
    LargestEigenvalue,
    Matrices,
    OperatorNorm,
    SmallestEigenvalue,
)
from numerics.lemmas.matrices.judge import for_every_matrix

SCALARS = (
    *("tr(A)", "tr(B)", "tr(A*B)", "tr(A*A)", "tr(B*B)", "det(A)", "det(B)", "det(A+B)", "tr(A*B*A)"),
    *("tr(A)*tr(B)", "tr(A)**2", "tr(B)**2", "F(A)", "F(B)", "F(A*B)", "F(A)*F(B)", "F(A-B)", "tr(A.T*B)"),
    *("N(A)", "N(B)", "N(A)*N(B)", "N(A+B)", "N(A*B)", "L(A+A.T)", "M(B+B.T)", "tr(A*B*A*B)", "tr(A*A*B*B)"),
)
ORDERED = (
    *("A", "B", "I", "A+B", "A*A", "B*B", "A*B+B*A", "A*B*A", "B*A*B", "(A+B)*(A+B)", "(A-B)*(A-B)"),
    *("tr(A)*I", "tr(B)*I", "det(A)*I", "A*A*A", "B*B*B"),
)
INVERSES = ("A**-1", "B**-1", "(A+B)**-1", "A*B**-1*A", "B*A**-1*B", "A**-2")
FACTORS = ("1", "2", "Q(1,2)", "Q(99,100)", "Q(101,100)", "4", "-1")
CLASSES = {m.name: m for m in Matrices}


class Mat:
    """Many matrices with the operators of SymPy."""

    __array_ufunc__ = None

    def __init__(self, a: Any) -> None:
        self.a = a

    def __add__(self, o: Any) -> Mat:
        return Mat(self.a + o.a)

    def __sub__(self, o: Any) -> Mat:
        return Mat(self.a - o.a)

    def __mul__(self, o: Any) -> Mat:
        return Mat(self.a @ o.a) if isinstance(o, Mat) else Mat(self.a * np.asarray(o)[..., None, None])

    __rmul__ = __mul__

    def __neg__(self) -> Mat:
        return Mat(-self.a)

    def __pow__(self, n: int) -> Mat:
        return Mat(np.linalg.matrix_power(self.a, n))

    @property
    def T(self) -> Mat:
        return Mat(self.a.swapaxes(-1, -2))


def sym(m: Mat) -> Any:
    return np.linalg.eigvalsh((m.a + m.a.swapaxes(-1, -2)) / 2)


NUMPY = {
    "tr": lambda m: np.trace(m.a, axis1=-2, axis2=-1),
    "det": lambda m: np.linalg.det(m.a),
    "F": lambda m: np.sqrt((m.a**2).sum((-1, -2))),
    "N": lambda m: np.linalg.norm(m.a, 2, axis=(-2, -1)),
    "L": lambda m: sym(m)[..., -1],
    "M": lambda m: sym(m)[..., 0],
    "Q": lambda p, q: p / q,
    "abs": np.abs,
}
A, B = (sp.MatrixSymbol(n, 2, 2) for n in "AB")
SYMPY = {
    **{"A": A, "B": B, "I": sp.Identity(2), "tr": sp.Trace, "det": sp.Determinant, "F": FrobeniusNorm},
    **{"N": OperatorNorm, "L": LargestEigenvalue, "M": SmallestEigenvalue, "Q": sp.Rational},
}


def statement(rng: np.random.Generator) -> tuple[str, str, str, dict[str, str], bool]:
    """Two sides as text, the sign, the classes, and whether A >= B is assumed."""
    pick = lambda options: options[int(rng.integers(len(options)))]
    ordered = rng.random() < 0.5
    kinds = ("PSD", "DEFINITE", "SYMMETRIC") if ordered else ("PSD", "DEFINITE", "SYMMETRIC", "ANY")
    classes = {n: pick(kinds) for n in "AB"}
    pool = ORDERED if ordered else SCALARS
    if ordered and set(classes.values()) == {"DEFINITE"}:
        pool = (*ORDERED, *INVERSES, *INVERSES)
    left, right = pick(pool), f"{pick(FACTORS)}*({pick(pool)})"
    if rng.random() < 0.4:
        right = f"{right}+{pick(FACTORS)}*({pick(pool)})"
    above = "ANY" not in classes.values() and rng.random() < 0.3
    return left, pick(("<=", ">=", ">=", "<=", "<")), right, classes, above


def points(classes: dict[str, str], above: bool, n: int, rng: np.random.Generator) -> dict[str, Any]:
    """Matrices of these classes, of many sizes and ranks."""
    out = {}
    for name in "BA":
        m = rng.normal(size=(n, 2, 2)) * 2.0 ** rng.integers(-3, 4, (n, 1, 1))
        m[: n // 2] = rng.integers(-2, 3, (n // 2, 2, 2))
        kind = classes[name]
        if kind == "SYMMETRIC":
            m = m + m.swapaxes(1, 2)
        elif kind != "ANY":
            m = m @ m.swapaxes(1, 2)
        if kind == "DEFINITE":
            m = m + np.eye(2) * 2.0 ** rng.integers(-6, 3, (n, 1, 1))
        if above and name == "A":
            p = rng.normal(size=(n, 2, 2)) * (rng.random((n, 1, 2)) < 0.7)
            m = out["B"].a + p @ p.swapaxes(1, 2)
            least = np.linalg.eigvalsh(m)[:, 0]
            fine = {"PSD": least >= 0, "DEFINITE": least > 1e-3}.get(kind, least > -np.inf)
            m, out["B"] = m[fine], Mat(out["B"].a[fine])
        out[name] = Mat(m)
    return {**out, "I": Mat(np.eye(2))}


def gaps(text: tuple[str, str, str], at: dict[str, Any]) -> Any:
    """How much larger the larger side is, in units of both."""
    left, op, right = text
    a, b = (eval(side, {**NUMPY, **at}) for side in (left, right))
    small, big = (b, a) if op[0] == ">" else (a, b)
    if isinstance(a, Mat):
        size = np.abs(a.a).sum((-1, -2)) + np.abs(b.a).sum((-1, -2)) + 1e-3
        return sym(big - small)[..., 0] / size
    return (big - small) / (np.abs(a) + np.abs(b) + 1e-3)


def exact(e: Any, at: dict[Any, Any]) -> Any:
    """A side at a witness by SymPy's matrices and mpmath."""
    if isinstance(e, (FrobeniusNorm, OperatorNorm, LargestEigenvalue, SmallestEigenvalue)):
        m = exact(e.args[0], at)
        if isinstance(e, FrobeniusNorm):
            return sp.sqrt(sum(x**2 for x in m))
        m = m.T * m if isinstance(e, OperatorNorm) else m
        values = sorted((sp.re(v.evalf(60)) for v in m.eigenvals(multiple=True)), key=float)
        least = values[0] if isinstance(e, SmallestEigenvalue) else values[-1]
        return sp.sqrt(sp.Max(least, 0)) if isinstance(e, OperatorNorm) else least
    if isinstance(e, sp.MatrixSymbol):
        return at[e]
    if isinstance(e, (sp.Identity, sp.ZeroMatrix)):
        return sp.eye(2) * int(isinstance(e, sp.Identity))
    if isinstance(e, sp.Trace):
        return exact(e.arg, at).trace()
    if isinstance(e, sp.Determinant):
        return exact(e.arg, at).det()
    if isinstance(e, sp.Transpose):
        return exact(e.arg, at).T
    if isinstance(e, sp.MatPow):
        return exact(e.base, at) ** int(e.exp)
    if not e.args:
        return e
    parts = [exact(a, at) for a in e.args]
    out = parts[0]
    for p in parts[1:]:
        out = out + p if isinstance(e, (sp.Add, sp.MatAdd)) else out**p if e.is_Pow else out * p
    return out


def check(text: tuple[str, str, str, dict[str, str], bool], effort: int) -> Verdict:
    left, op, right, classes, above = text
    a, b = (eval(side, dict(SYMPY)) for side in (left, right))
    domain = {A: CLASSES[classes["A"]], B: CLASSES[classes["B"]]}
    where = [(A, ">=", B)] if above else []
    e = for_every_matrix(a, op, b, domain, where=where, effort=effort)
    at = points(classes, above, 20_000, np.random.default_rng(1))
    seen = np.broadcast_to(gaps((left, op, right), at), len(at["A"].a))
    seen = seen[np.isfinite(seen)]
    if e.verdict is Verdict.REFUTED:
        rows = {n: sp.Matrix(sp.sympify(str(e.witness[n]))) for n in "AB" if n in e.witness}
        point = {A: rows.get("A", sp.zeros(2, 2)), B: rows.get("B", sp.zeros(2, 2))}
        for m in (
            *(point[s] for s, k in domain.items() if k is not Matrices.ANY),
            *([point[A] - point[B]] * above),
        ):
            assert m == m.T, text
        semidefinite = [point[s] for s, k in domain.items() if k in (Matrices.PSD, Matrices.DEFINITE)]
        for m in (*semidefinite, *([point[A] - point[B]] * above)):
            assert min(m[0, 0], m[1, 1], m.det()) >= 0, text
        for m in (point[s] for s, k in domain.items() if k is Matrices.DEFINITE):
            assert min(m[0, 0], m.det()) > 0, text
        with mpmath.workdps(50):
            one, other = exact(a, point), exact(b, point)
            gap = (one - other) if op[0] == ">" else (other - one)
            if isinstance(gap, sp.MatrixBase):
                v = sp.Matrix(sp.sympify(str(e.witness["v"])))
                gap = (v.T * gap * v)[0, 0]
            value = sp.N(gap, 40)
            assert value < 0 or (op == "<" and abs(value) < 1e-30), text
    elif e.verdict.executed:
        assert seen.min() > -1e-9, text
    else:
        assert e.verdict in (Verdict.SUPPORTED, Verdict.OPEN), text
        assert not (seen < -1e-4).any(), text  # the search finds what plain draws find
    return e.verdict


#: Sharp bounds: they hold as they stand, and fail if the right side is made a little smaller.
SHARP = {
    "tr(A*B) <= tr(A)*tr(B)": "PSD PSD",
    "tr(A)**2 <= 2*tr(A*A)": "SYMMETRIC SYMMETRIC",
    "4*det(A) <= tr(A)**2": "PSD PSD",
    "det(A)+det(B) <= det(A+B)": "PSD PSD",
    "F(A)**2 <= 2*N(A)**2": "ANY ANY",
    "N(A) <= F(A)": "ANY ANY",
    "tr(A) <= 2*N(A)": "ANY ANY",
    "N(A*B) <= N(A)*N(B)": "ANY ANY",
    "F(A*B) <= F(A)*F(B)": "ANY ANY",
    "tr(A.T*B) <= F(A)*F(B)": "ANY ANY",
    "F(A+B) <= F(A)+F(B)": "ANY ANY",
    "L(A+B) <= L(A)+L(B)": "PSD PSD",
    "M(A) <= L(A)": "DEFINITE PSD",
    "tr(A*B*A*B) <= tr(A*A*B*B)": "PSD PSD",
    "A <= tr(A)*I": "PSD PSD",
    "A*A <= tr(A)*A": "PSD PSD",
    "A*B+B*A <= A*A+B*B": "SYMMETRIC SYMMETRIC",
    "(A+B)*(A+B) <= 2*(A*A+B*B)": "SYMMETRIC SYMMETRIC",
    "4*(A+B)**-1 <= A**-1+B**-1": "DEFINITE DEFINITE",
    "2*A <= A*B**-1*A+B": "DEFINITE DEFINITE",
    "2*I <= A+A**-1": "DEFINITE DEFINITE",
    "det(A)*I <= tr(A)*A": "PSD PSD",
}


@pytest.mark.parametrize("bound", SHARP)
def test_sharp_bounds_fail_as_soon_as_they_are_lowered(bound):
    left, right = bound.split(" <= ")
    classes = dict(zip("AB", SHARP[bound].split()))
    assert check((left, "<=", right, classes, False), 1_000_000).executed
    assert check((left, "<=", f"Q(1001,1000)*({right})", classes, False), 0) is not Verdict.REFUTED
    assert check((left, "<=", f"Q(999,1000)*({right})", classes, False), 20_000) is Verdict.REFUTED
    assert check((left, "<", right, classes, False), 20_000) is Verdict.REFUTED


@pytest.mark.parametrize("seed", range(3))
def test_random_statements_against_plain_numbers(seed):
    rng = np.random.default_rng(seed)
    found = [check(statement(rng), 20_000) for _ in range(14)]
    assert Verdict.REFUTED in found


def test_the_second_route_sees_planted_errors():
    """A statement that is false by one percent is seen by it."""
    rng = np.random.default_rng(0)
    at = points({"A": "ANY", "B": "ANY"}, False, 20_000, rng)
    assert gaps(("tr(A)", "<=", "Q(199,100)*N(A)"), at).min() < -1e-4
    assert gaps(("tr(A)", "<=", "2*N(A)"), at).min() > -1e-12
    assert Fraction(199, 100) < 2
