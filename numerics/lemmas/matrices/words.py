"""A statement about matrices as data: what a caller gives is checked at the door, sizes that are
symbols are put in, and scalar sides are taken apart into what belongs to matrices and the rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import fmpq, fmpq_mat

from numerics.lemmas.matrices.comparisons import (
    ATOMS,
    LOEWNER,
    Comparison,
    MatrixElement,
    atoms_of,
    matrix_like,
)
from numerics.lemmas.matrices.heads import Head, LargestEigenvalue, Matrices, SmallestEigenvalue
from numerics.lemmas.matrices.values import EXACT, Singular
from numerics.provers.as_written import SAME_SIDES, distinct, expression, latex
from numerics.provers.enclosures.boxes import Side
from numerics.provers.statements.relation import OPS, SIGNS, triple
from numerics.provers.statements.statement import Integers, side_of, statement
from numerics.seeds import shared_generator

__all__ = ["Sized", "sized", "speaks"]

#: The largest matrices, and the sizes that are tried where a size is a symbol.
LARGEST, TRIED = 4, (1, 2, 3)
#: Two symbols are sizes at most, as each doubles or triples the work.
MOST_SIZES = 2
EXPRESSIONS = (
    *(sp.MatrixSymbol, sp.MatAdd, sp.MatMul, sp.MatPow, sp.Transpose, sp.Adjoint, sp.HadamardProduct),
    *(sp.Identity, sp.ZeroMatrix, sp.OneMatrix, sp.MatrixBase),
)


def speaks(e: Any) -> bool:
    """Whether a side, hypothesis or key holds a matrix."""
    if isinstance(e, (tuple, list)):
        return any(map(speaks, e))
    return matrix_like(e) or (isinstance(e, sp.Basic) and e.has(sp.MatrixExpr, sp.MatrixBase, Head))


@dataclass(frozen=True)
class Sized:
    """The statement for matrices of known sizes."""

    goal: Comparison
    where: tuple[Comparison, ...]
    matrices: Mapping[sp.MatrixSymbol, Matrices]
    scalars: Mapping[sp.Symbol, Side]
    #: What the scalar variables are in the caller's words.
    ranges: Mapping[sp.Symbol, Any]
    sizes: Mapping[sp.Symbol, int]
    assumes: tuple[str, ...]
    checked: str
    #: The two sides and the matrices before sizes were put in.
    written: tuple[Any, Any]
    variables: Mapping[sp.MatrixSymbol, Matrices]

    @property
    def largest(self) -> int:
        """The largest number of rows or columns of a variable."""
        return max((int(n) for a in self.matrices for n in a.shape), default=1)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return (self.goal, *self.where)

    @property
    def vacuous(self) -> str:
        if latex(self.goal.lhs) == latex(self.goal.rhs):
            return SAME_SIDES
        implied = any(h.implies(self.goal) for h in self.where)
        return "the conclusion is one of the hypotheses" if implied else ""


def sized(
    lhs: Any, op: str, rhs: Any, domain: Mapping[Any, Any], where: Iterable[Any]
) -> tuple[list[Sized], bool]:
    """The statement at each size that is tried, and whether a size was a symbol."""
    if not isinstance(op, str) or op not in (*OPS, "=="):
        raise ValueError(f"the relation {op!r} is none of {[*OPS, '==']}; choose one of these")
    given = [(lhs, op, rhs), *map(triple, where)]
    matrices, scalars, symbols = _variables(domain, given)
    if len(symbols) > MOST_SIZES:
        raise ValueError(f"{len(symbols)} sizes are symbols; write numbers for all but {MOST_SIZES} of them")
    sizes = [_sizes(s, domain.get(s, Integers(1, sp.oo))) for s in symbols]
    distinct([*scalars, *symbols, *(sp.Symbol(m.name) for m in matrices)])
    out = []
    known = statement(sp.S.Zero, "<=", sp.S.One, scalars, ())
    shown = [_latex(given[k]) for k in range(len(given))]
    for chosen in itertools.product(*sizes):
        put = dict(zip(symbols, map(sp.Integer, chosen)))
        at = {m.xreplace(put): kind for m, kind in matrices.items()}
        goal, *hypotheses = (_comparison(g, put, at, scalars) for g in given)
        if goal.op == "!=":
            raise ValueError("a conclusion with != says nothing of sizes; write what is larger")
        texts = [_range(m, kind) for m, kind in matrices.items()] + [t.strip("$") for t in known.assumes]
        quantified = r"\forall\, " + ", ".join(texts)
        implied = r",\; ".join(shown[1:]) + r" \implies " if where and shown[1:] else ""
        one = Sized(
            goal,
            tuple(hypotheses),
            at,
            dict(zip(known.names, known.box)),
            scalars,
            dict(zip(symbols, chosen)),
            tuple(f"${t}$" for t in (*texts, *shown[1:])),
            rf"{quantified}:\; {implied}{shown[0]}",
            (sp.sympify(lhs), sp.sympify(rhs)),
            matrices,
        )
        _check_symmetry(one)
        out.append(one)
    return out, bool(symbols)


def _latex(triple: tuple[Any, str, Any]) -> str:
    a, op, b = (sp.sympify(t) if k != 1 else t for k, t in enumerate(triple))
    return f"{latex(a)} {(LOEWNER if matrix_like(a) or matrix_like(b) else SIGNS)[op]} {latex(b)}"


def _range(m: sp.MatrixSymbol, kind: Matrices) -> str:
    rows, columns = (latex(sp.sympify(n)) for n in m.shape)
    space = rf"{latex(m)} \in \mathbb{{R}}^{{{rows} \times {columns}}}"
    more = {
        Matrices.PSD: rf",\, {latex(m)} \succeq 0",
        Matrices.DEFINITE: rf",\, {latex(m)} \succ 0",
        Matrices.SYMMETRIC: rf",\, {latex(m)} = {latex(m)}^T",
    }
    return space + more.get(kind, "")


def _variables(
    domain: Mapping[Any, Any], given: Iterable[tuple[Any, str, Any]]
) -> tuple[dict[sp.MatrixSymbol, Matrices], dict[sp.Symbol, Any], list[sp.Symbol]]:
    """The matrices and scalars of a domain, and the sizes that are symbols."""
    matrices, scalars = {}, {}
    for key, value in domain.items():
        if isinstance(key, sp.MatrixSymbol) != isinstance(value, Matrices):
            raise ValueError(
                f"the range {value!r} of {key!r} is of the wrong kind; give a MatrixSymbol one of "
                f"{', '.join(map(str, Matrices))}, and a Symbol a pair, Closed or Integers"
            )
        if isinstance(key, sp.MatrixSymbol):
            if value is not Matrices.ANY and key.shape[0] != key.shape[1]:
                raise ValueError(f"{key} is not square; only Matrices.ANY holds rectangular matrices")
            matrices[key] = value
        else:
            scalars[key] = value
    free = {s for t in given for e in (t[0], t[2]) if isinstance(e, sp.Basic) for s in e.free_symbols}
    sizes = {s for m in (*matrices, *free) if isinstance(m, sp.MatrixSymbol) for n in m.shape
             for s in sp.sympify(n).free_symbols}  # fmt: skip
    missing = [m for m in free if m not in matrices and m not in scalars and m not in sizes]
    if missing:
        names = ", ".join(sorted(map(str, missing)))
        raise ValueError(f"{names} has no range; give one in the domain, such as Matrices.PSD")
    for m in matrices:
        if not all(isinstance(n, sp.Symbol) or n.is_Integer for n in map(sp.sympify, m.shape)):
            raise ValueError(f"the size {m.shape} of {m} is no number or symbol; write one of them")
        if any(n.is_Integer and not 1 <= n <= LARGEST for n in map(sp.sympify, m.shape)):
            raise ValueError(
                f"the size {m.shape} of {m} is not between 1 and {LARGEST}; choose a smaller one"
            )
    ranges = {s: r for s, r in scalars.items() if s not in sizes}
    return matrices, ranges, sorted(sizes, key=str)


def _sizes(s: sp.Symbol, given: Any) -> list[int]:
    """The sizes that are tried for a symbol: three, from its least one on."""
    side = side_of(s, given)
    if not side.integer or side.lo is None or side.lo < 1 or side.lo > LARGEST:
        raise ValueError(
            f"the range {given} of the size {s} is no Integers(lo, hi) with lo from 1 to {LARGEST}"
        )
    least = int(side.lo.p)
    most = LARGEST if side.hi is None else int(side.hi.p)
    return [n for n in range(least, least + len(TRIED)) if n <= min(most, LARGEST)]


def _comparison(
    triple: tuple[Any, str, Any],
    put: Mapping[sp.Symbol, sp.Integer],
    matrices: Mapping[sp.MatrixSymbol, Matrices],
    scalars: Mapping[sp.Symbol, Any],
) -> Comparison:
    lhs, op, rhs = triple
    sides = [_sympified(e) for e in (lhs, rhs)]
    with sp.evaluate(False):
        sides = [e.xreplace(put) if put and not isinstance(e, sp.MatrixBase) else e for e in sides]
    shape = next((e.shape for e in sides if matrix_like(e)), None)
    if shape == (1, 1) and (any(e.has(Head) for e in sides) or any(not matrix_like(e) for e in sides)):
        sides, shape = [_only_entry(e) for e in sides], None
    if shape is not None:
        sides = [_as_matrix(e, shape) for e in sides]
        if sides[0].shape != sides[1].shape:
            raise ValueError(f"the sides of {lhs} {op} {rhs} have other shapes; compare equal ones")
        if shape[0] != shape[1] and op not in ("==", "!="):
            raise ValueError(f"{lhs} {op} {rhs} compares matrices that are not square; only == does")
    for e in sides:
        if matrix_like(e):
            _check_matrix(e, scalars)
            continue
        if e.has(sp.Float):
            raise TypeError(f"{e} holds a binary float, which is no exact number; write a Rational")
        for a in atoms_of(e):
            _check_matrix(a.args[0], scalars)
            if isinstance(a, (sp.Trace, sp.Determinant)) and a.args[0].shape[0] != a.args[0].shape[1]:
                raise ValueError(f"{a} is of a matrix that is not square; multiply it by its transpose")
    found = Comparison(sides[0], op, sides[1])
    if not found.matrices:
        _ = found.values  # refuses what is no exact expression
    return found


def _sympified(e: Any) -> Any:
    if isinstance(e, (str, float)):
        raise TypeError(f"{e!r:.200} is no exact expression; build it from SymPy symbols and Rationals")
    e = expression(e)
    e = e.as_immutable() if isinstance(e, sp.MatrixBase) else e
    if not isinstance(e, (sp.Expr, sp.MatrixExpr)):
        raise TypeError(f"{e!r:.200} is no expression; give lhs and rhs apart")
    return e


def _as_matrix(e: Any, shape: tuple[Any, Any]) -> Any:
    if matrix_like(e):
        return e
    if e == 0:
        return sp.ZeroMatrix(*shape)
    raise ValueError(
        f"{e} is a number beside a matrix; write {e}*sp.Identity({shape[0]}), or take the trace of the matrix"
    )


def _only_entry(e: Any) -> Any:
    """The entry of a matrix of size 1 x 1, with its scalar factors outside."""
    if not matrix_like(e):
        return e
    if isinstance(e, sp.MatAdd):
        return sp.Add(*map(_only_entry, e.args))
    if isinstance(e, sp.MatMul):
        matrices = sp.MatMul(*(a for a in e.args if a.is_Matrix))
        return sp.Mul(*(a for a in e.args if not a.is_Matrix), MatrixElement(matrices, 0, 0))
    return MatrixElement(e, 0, 0)


def _check_matrix(e: Any, scalars: Mapping[sp.Symbol, Any]) -> None:
    """Refuse a matrix expression that has no values here."""
    if not isinstance(e, EXPRESSIONS):
        raise TypeError(
            f"{e} ({type(e).__name__}) has no value here; use sums, products, powers, T and inverses"
        )
    if not all(sp.sympify(n).is_Integer and 1 <= n <= LARGEST for n in e.shape):
        raise ValueError(f"the size {e.shape} of {e} is not between 1 and {LARGEST}; choose another one")
    if isinstance(e, sp.MatPow) and not (e.exp.is_Integer and abs(e.exp) <= 12):
        raise ValueError(
            f"{e} is no whole power up to 12; name the root by a variable R, with the hypothesis R*R == A"
        )
    entries = list(e) if isinstance(e, sp.MatrixBase) else []
    for a in (*entries, *e.args):
        if matrix_like(a):
            _check_matrix(a, scalars)
        elif isinstance(e, (sp.MatMul, sp.MatrixBase)) and isinstance(a, sp.Expr):
            _check_coefficient(a, scalars)


def _check_coefficient(e: Any, scalars: Mapping[sp.Symbol, Any]) -> None:
    if isinstance(e, ATOMS) and not isinstance(e, Head):
        _check_matrix(e.args[0], scalars)
    elif e.is_Add or e.is_Mul or (e.is_Pow and e.exp.is_Integer):
        for a in e.args:
            _check_coefficient(a, scalars)
    elif not (e.is_Rational or e in scalars):
        raise TypeError(
            f"the factor {e} of a matrix is not rational in numbers, scalar variables, traces and "
            "determinants; give it a symbol of its own, with a hypothesis"
        )


def _check_symmetry(st: Sized) -> None:
    """Refuse order relations and eigenvalues of what is not symmetric by its form, as is seen at
    some exact points.
    """
    wanted = [c.gap for c in st.comparisons if c.matrices and c.ordered]
    for c in st.comparisons:
        heads = () if c.matrices else c.atoms
        wanted += [a.args[0] for a in heads if isinstance(a, (LargestEigenvalue, SmallestEigenvalue))]
    rng = shared_generator("matrices that are symmetric by their form")
    for _ in range(3):
        at: dict[Any, Any] = {}
        for m, kind in st.matrices.items():
            n, k = map(int, m.shape)
            drawn = fmpq_mat(n, k, [fmpq(int(x), 7) for x in rng.integers(-60, 60, n * k)])
            at[m] = drawn if kind is Matrices.ANY else drawn + drawn.transpose()
        at |= {s: fmpq(int(rng.integers(1, 60)), 61) for s in st.scalars}
        for e in wanted:
            if e.shape[0] != e.shape[1]:
                raise ValueError(
                    f"{e} is not square, and has no order or eigenvalues here; multiply by its T"
                )
            try:
                value = EXACT.matrix(e, at)
            except Singular:
                continue
            if value != value.transpose():
                raise ValueError(
                    f"{e} is not symmetric by its form, and has no order or eigenvalues here; write its "
                    "symmetric part, (M + M.T)/2, if that is meant"
                )
