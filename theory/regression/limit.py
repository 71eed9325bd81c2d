"""`limit_parameters`: where the gradient flow of in-context linear regression ends (Remark 5.3 and
Appendix F of Boursier & Boyer; our R5 for any start and any prompt length of linear attention), in
closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from theory.inputs.covariance import (
    ExactCovariance,
    NumericCovariance,
    read_matrix,
    read_noise,
    read_prompt_length,
    read_scalar,
    same_shape,
    tidy,
)
from theory.inputs.spectrum import refuse_lost_rank
from theory.regression.risk import Matrix, Scalar, effective_covariance
from theory.regression.sign import SaddleError, common_sign, exact_sign
from theory.shown.colours import COLOURS
from theory.shown.result import Drawn

__all__ = ["LimitParameters", "SaddleError", "limit_parameters"]

#: Matrices with more rows than this are shown by their shape only.
SHOWN_ROWS = 10
#: Columns that a formula may take in a terminal.
WIDE = 100
#: How a limit without a start found its sign.
BALANCED = "balanced start (c = b = 0), positive common sign"


@dataclass(frozen=True, eq=False, repr=False)
class LimitParameters(Drawn):
    """The point at which the gradient flow ends; it shows itself as text and, in Jupyter, as
    formulas.

    Attributes
    ----------
    U, V : array or Matrix (d + 1, d + 1)
        Query-key matrix ``diag(gamma S_L^{-1} S S^+ + P(U0), 0)`` and value matrix
        ``diag(0, 1 / gamma)``.
    gamma : float or Expr
        The scale of the query-key block; negative where the flow reaches the minimum with the other
        common sign.
    regime : str
        Which case was met: rank, prompt, start, and how the sign was found.
    assumptions : tuple
        Conditions on symbols that could not be checked.
    """

    FORMULAS: ClassVar[frozenset[str]] = frozenset({"U", "V", "gamma", "if"})

    U: Matrix
    V: Matrix
    gamma: Scalar
    regime: str
    assumptions: tuple[Any, ...] = ()

    def __str__(self) -> str:
        lines = ["Limit of the gradient flow"]
        shown = [(f"{name:>5} = ", _terminal(value)) for name, value in self._in_gamma()]
        shown += [("where ", part) for part in self.regime.split("; ")]
        shown += [("if    ", _terminal(a)) for a in self.assumptions]
        for name, text in shown:
            first, *rest = text.split("\n")
            lines += [f"  {name}{first}", *(" " * (2 + len(name)) + line for line in rest)]
        return "\n".join(lines)

    def _in_gamma(self) -> list[tuple[str, Any]]:
        """U, V and gamma; the matrices by means of gamma where they would be too wide for a
        terminal.
        """
        values = [("U", self.U), ("V", self.V), ("gamma", self.gamma)]
        named = {str(x) for x in getattr(self.U, "free_symbols", ())}
        if "gamma" in named or not (named and any(_width(value) > WIDE for _, value in values)):
            return values
        put = lambda value: value.subs(self.gamma, sp.Symbol("gamma"))
        return [("U", put(self.U)), ("V", put(self.V)), ("gamma", self.gamma)]

    def heading(self) -> str:
        return "Limit of the gradient flow"

    def rows(self) -> list[tuple[str, str]]:
        shown = [(name, _latex(getattr(self, name))) for name in ("U", "V", "gamma")]
        where = [("where", part) for part in self.regime.split("; ")]
        return shown + where + [("if", _latex(a)) for a in self.assumptions]

    def _draw(self, ax: Any) -> None:
        symbols = getattr(self.U, "free_symbols", set()) | getattr(self.V, "free_symbols", set())
        if symbols:
            raise ValueError(
                f"the limit has the symbols {', '.join(sorted(map(str, symbols)))} and no numbers to draw; "
                "pass a Sigma of numbers"
            )
        block = np.asarray(np.array(self.U, dtype=np.float64))[:-1, :-1]
        sizes = np.linalg.svd(block, compute_uv=False)
        ranks, level = np.arange(1, len(sizes) + 1), abs(float(self.V[-1, -1]))
        ax.plot(ranks, sizes, "o", color=COLOURS["exact"], label="singular values of the block of U")
        ax.axhline(level, color=COLOURS["paper"], linewidth=1.2, label="1 / |gamma|, the entry of V")
        ax.set(xlabel="singular value, the largest first", ylabel="size", ylim=(0, None))
        ax.xaxis.get_major_locator().set_params(integer=True)

    def _repr_latex_(self) -> str:
        rows = [rf"{name}_\infty &= {_latex(value)}" for name, value in (("U", self.U), ("V", self.V))]
        rows.append(rf"\gamma &= {_latex(self.gamma)}")
        rows += [rf"&\text{{{_plain(part)}}}" for part in self.regime.split("; ")]
        if self.assumptions:
            rows.append(r"&\text{if } " + r",\; ".join(_latex(a) for a in self.assumptions))
        return "$$\\begin{aligned}" + r" \\ ".join(rows) + "\\end{aligned}$$"


def _width(value: Any) -> int:
    return max(map(len, sp.pretty(value, wrap_line=False).split("\n")))


def _terminal(value: Any) -> str:
    if isinstance(value, sp.MatrixBase) and _width(value) > WIDE:  # a line an entry, which may be broken
        return "\n".join(f"({i + 1}, {j + 1}): {x}" for (i, j), x in sorted(value.todok().items()))
    if isinstance(value, sp.Basic | sp.MatrixBase):
        return str(value) if _width(value) > WIDE else str(sp.pretty(value, wrap_line=False))
    if not isinstance(value, np.ndarray):
        return f"{value:.6g}"
    if len(value) > SHOWN_ROWS:
        return f"(array {value.shape[0]} x {value.shape[1]})"
    cells = [[f"{x:.6g}" for x in row] for row in value]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join("[" + "  ".join(c.rjust(w) for c, w in zip(row, widths)) + "]" for row in cells)


def _plain(text: str) -> str:
    return text.replace("_", r"\_").replace("^", r"\^{}")


def _latex(value: Any) -> str:
    if isinstance(value, sp.Basic | sp.MatrixBase):
        return str(sp.latex(value, mat_str="pmatrix", mat_delim=""))
    if isinstance(value, np.ndarray):
        if len(value) > SHOWN_ROWS:
            return rf"\left(\cdots\right) \in \mathbb{{R}}^{{{value.shape[0]}\times{value.shape[1]}}}"
        rows = r"\\".join("&".join(_latex(x) for x in row) for row in value)
        return rf"\begin{{pmatrix}}{rows}\end{{pmatrix}}"
    mantissa, _, exponent = f"{value:.6g}".partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def limit_parameters(
    Sigma: Any, *, U0: Any = None, u0: Any = None, prompt_length: Any = None, noise: Any = None
) -> LimitParameters:
    """Where the gradient flow of in-context linear regression ends.

    Tasks ``w ~ N(0, I)``, covariates ``x ~ N(0, Sigma)``, block start ``U(0) = diag(U0, 0)``,
    ``V(0) = diag(0, u0)`` (Boursier & Boyer, Assumption 5.1). With the infinite prompt softmax and
    linear attention have the same flow; with ``prompt_length=L`` the limit is that of linear
    attention. The flow conserves ``c = |U|_F^2 - u^2`` and ``P(U) = U - S S^+ U S S^+``, and ends
    in::

        U -> gamma S_L^{-1} S S^+ + P(U0),   u -> 1 / gamma,
        gamma^2 = ((c - b) + sqrt((c - b)^2 + 4 T)) / (2 T),
        b = |P(U0)|_F^2,   T = tr((S_L^{-1} S S^+)^2).

    Parameters
    ----------
    Sigma : array, nested list or Matrix (d, d)
        Covariance of the covariates: symmetric (up to roundoff), positive semi-definite, not zero.
        It may be singular.
    U0 : array, nested list or Matrix (d, d), optional
        Start of the upper-left block, to be given together with ``u0``. Without them the start is
        taken as balanced and without part outside the range (``c = b = 0``), with a positive common
        sign: the limit of Remark 5.3, for every such start.
    u0 : float or Expr, optional
        Start of the value scalar.
    prompt_length : int or Expr, optional
        Tokens in a prompt, for linear attention; infinite if left out.
    noise : float or Expr, optional
        Variance of the label noise (entries of ``w`` have variance 1); only with ``prompt_length``,
        because the infinite prompt averages it away.

    Returns
    -------
    LimitParameters
        Arrays from numbers, exact SymPy matrices as soon as ``Sigma`` holds a SymPy entry.

    Raises
    ------
    TypeError, ValueError
        For anything that is no covariance, start, length or variance.
    SaddleError
        A ValueError: the start does not move, or flows into a saddle.

    Warns
    -----
    RuntimeWarning
        If a numeric Sigma is ill-conditioned on its range even with variables of variance one.

    Notes
    -----
    The common sign is that of ``u`` from the moment at which the risk falls below
    ``tr(Sigma) / 2``, its value at every saddle. Where neither the start nor a conserved quantity
    decides it, the flow is integrated up to that moment, and ``regime`` says so.

    Examples
    --------
    >>> limit_parameters([[1.0, 0.0], [0.0, 2.0]]).gamma ** -4
    1.25
    >>> a, b = sp.symbols("a b", positive=True)
    >>> limit_parameters(sp.diag(a, b)).gamma
    (b**(-2) + a**(-2))**(-1/4)
    """
    matrix = read_matrix("Sigma", Sigma)
    exact = isinstance(matrix, sp.MatrixBase)
    if noise is not None and prompt_length is None:
        raise ValueError(
            f"noise = {noise!r} without prompt_length: the infinite prompt averages label noise away and "
            "its limit does not depend on it; give prompt_length=L, or leave noise out"
        )
    L = None if prompt_length is None else read_prompt_length(prompt_length, exact)
    tau2 = 0 if noise is None else read_noise(noise, exact)
    start = _start(U0, u0, exact, matrix.shape[0])
    if exact:
        return _exact_limit(ExactCovariance.read(matrix), start, L, tau2)
    covariance = NumericCovariance.read(matrix)
    refuse_lost_rank("Sigma", Sigma, matrix.astype(np.float64))
    return _numeric_limit(covariance, start, L, tau2)


def _start(U0: Any, u0: Any, exact: bool, d: int) -> tuple[Any, Any] | None:
    """A start that has been read, in the kind of Sigma; None for the balanced one."""
    if U0 is None and u0 is None:
        return None
    if U0 is None or u0 is None:
        given, missing, hint = (
            ("U0", "u0", "u0=numpy.linalg.norm(U0)") if u0 is None else ("u0", "U0", "U0=numpy.zeros((d, d))")
        )
        raise ValueError(
            f"{given} without {missing}: the limit depends on |U0|_F^2 - u0^2; pass both, for instance {hint}"
            + (" for the balanced start of Assumption 5.1" if u0 is None else "")
        )
    block = read_matrix("U0", U0)
    if isinstance(block, sp.MatrixBase) != exact:
        if not exact:
            raise TypeError(
                "U0 is a SymPy matrix but Sigma is numeric; pass Sigma as a SymPy Matrix, or U0 as floats"
            )
        if np.asarray(U0, dtype=object).dtype == object and any(
            isinstance(x, float) for x in np.asarray(U0, dtype=object).flat
        ):
            raise TypeError(
                "U0 holds floats but Sigma is exact; pass U0 as a SymPy Matrix of Rationals, or Sigma as "
                "floats"
            )
        block = sp.Matrix(np.asarray(U0, dtype=object).tolist())
    same_shape("U0", block, d)
    return (block if exact else block.astype(np.float64)), read_scalar("u0", u0, exact)


def _describe(rank: int, d: int, dropped: str, L: Any, noise: Any, start: str) -> str:
    """What the limit is of, in words: the rank of Sigma, the prompt, the noise and the start."""
    parts = [f"Sigma is invertible (d = {d})" if rank == d else f"Sigma has rank {rank} of {d}{dropped}"]
    parts.append("infinite prompt" if L is None else f"linear attention with prompts of {L} tokens")
    if noise != 0:
        parts.append(f"label noise of variance {noise}")
    return "; ".join([*parts, start])


def _numeric_limit(
    covariance: NumericCovariance, start: tuple[Any, float] | None, L: int | None, noise: float
) -> LimitParameters:
    """The limit in floats, in the eigenbasis of Sigma."""
    l, Q = covariance.eigenvalues, covariance.eigenvectors
    d, rank = Q.shape
    with np.errstate(all="ignore"):  # what overflows is refused below
        m = l if L is None else (1 + 1 / L) * l + (l.sum() + noise) * (1 / L)
    sign, how, kept = 1, BALANCED, np.zeros((d, d))
    size = a = u = 0.0
    if start is not None and np.isfinite(m).all():
        U0, u0 = start
        size = max(float(np.abs(U0).max()), abs(u0)) or 1.0
        A, u = Q.T @ (U0 / size) @ Q, abs(u0) / size  # in units of the start, whose squares may be no floats
        sign, how = common_sign(l, m, A, u0 / size or u0, log_unit=2 * float(np.log(size)))
        a = float(np.linalg.norm(A))  # c - b = size^2 (a^2 - u^2), |P(U0)|^2 never in it
        kept = size * (U0 / size - Q @ A @ Q.T) if rank < d else kept
        how = f"sign {'+' if sign > 0 else '-'}: {how}"
    U, V = np.zeros((d + 1, d + 1)), np.zeros((d + 1, d + 1))
    with np.errstate(all="ignore"):
        # In units of the largest 1 / m, and of the start where it is large, so that tiny and huge
        # covariances and starts neither overflow nor underflow.
        least = float(m.min())
        unit = float(np.sqrt(least))
        large = max(1.0, unit * size)
        share = unit * size / large
        T, x = float(((least / m) ** 2).sum()), (a - u) * share * (a + u) * share
        root = float(np.hypot(x, 2 * np.sqrt(T) / large / large))
        gamma = (
            sign
            * unit
            * float(large * np.sqrt((x + root) / (2 * T)) if x >= 0 else np.sqrt(2 / (root - x)) / large)
        )
        U[:d, :d], V[d, d] = (Q * (gamma / m)) @ Q.T + kept, np.reciprocal(gamma)
    if not (np.isfinite(U).all() and np.isfinite(V).all()):
        raise ValueError(
            f"the limit overflows: Sigma has eigenvalues from {l.min():.3g} to {l.max():.3g}, and the "
            f"largest entry of the start is {size:.3g}; rescale Sigma and the start, or pass exact SymPy "
            "matrices"
        )
    lost = covariance.lost
    dropped = f" ({lost} directions count as zero, as they are lost in rounding errors)" if lost else ""
    return LimitParameters(U, V, gamma, _describe(rank, d, dropped, L, noise, how))


def _exact_limit(
    covariance: ExactCovariance, start: tuple[Any, Any] | None, L: Any, noise: Any
) -> LimitParameters:
    """The limit in SymPy, by field operations and square roots only."""
    S, d, onto = covariance.Sigma, covariance.Sigma.shape[0], covariance.projector
    S_L = sp.Matrix(effective_covariance(S, L, noise))
    direction = covariance.pinv
    if L is not None:
        direction = tidy((sp.diag(*(1 / x for x in S_L.diagonal())) if S.is_diagonal() else S_L.inv()) @ onto)
    T = (direction @ direction).trace() if S.is_diagonal() else tidy(direction @ direction).trace()
    assumptions = list(covariance.assumptions)
    if L is not None and not (L.is_integer and L.is_positive):
        assumptions.append(sp.Contains(L, sp.S.Naturals))
    if sp.sympify(noise).is_nonnegative is None:
        assumptions.append(sp.Ge(noise, 0))
    if start is None:
        sign, how, excess, kept = 1, BALANCED, sp.Integer(0), sp.zeros(d, d)
    else:
        U0, u0 = start
        A = tidy(onto @ U0 @ onto)
        sign, how = exact_sign(S, S_L, A, u0, covariance.rank)
        excess, kept = sp.factor((A.T @ A).trace() - u0**2), tidy(U0 - A)
        how = f"sign {'+' if sign > 0 else '-'}: {how}"
    gamma = sign * (
        T ** sp.Rational(-1, 4) if excess == 0 else sp.sqrt((excess + sp.sqrt(excess**2 + 4 * T)) / (2 * T))
    )
    U, V = sp.zeros(d + 1, d + 1), sp.zeros(d + 1, d + 1)
    U[:d, :d], V[d, d] = gamma * direction + kept, 1 / gamma
    return LimitParameters(U, V, gamma, _describe(covariance.rank, d, "", L, noise, how), tuple(assumptions))
