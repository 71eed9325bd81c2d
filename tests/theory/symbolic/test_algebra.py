"""Trace words against explicit entries, by Isserlis sums and entrywise derivatives."""

import itertools
from fractions import Fraction
from math import prod

import pytest
import sympy as sp

from tests.refusing import refusals
from theory.symbolic.algebra import Algebra

LETTERS = dict(general=[*"MNBC"], symmetric=[*"SG"], vectors=[*"xyw"], params=["u"])
A = Algebra(**LETTERS, inverse=[("S", "G"), ("B", "C")])
M, N, B, C, S, G, x, y, w, u = (A[name] for name in ("M", "N", "B", "C", "S", "G", "x", "y", "w", "u"))


def pairings(indices, cov):
    """Isserlis' theorem as it stands in books: the sum over all perfect matchings."""
    if not indices:
        return sp.S.One
    first, rest = indices[0], indices[1:]
    without = lambda k: pairings(rest[:k] + rest[k + 1 :], cov)
    return sum((cov[first, rest[k]] * without(k) for k in range(len(rest))), sp.S.Zero)


def gaussian_mean(polynomial, variables, cov):
    """E of a polynomial in the coordinates of a centred Gaussian vector, monomial by monomial."""
    terms = sp.Poly(sp.expand(polynomial), *variables).terms()
    indices = lambda powers: tuple(i for i, e in enumerate(powers) for _ in range(e))
    return sum(c * pairings(indices(powers), cov) for powers, c in terms)


SCALARS = {
    "x'Mx": x.T * M * x,
    "x'Mx x'Nx": (x.T * M * x) * (x.T * N * x),
    "(x'Mx)^2 x'y": (x.T * M * x) ** 2 * (x.T * y),
    "x'y y'Mx (x'w)^2": (x.T * y) * (y.T * M * x) * (x.T * w) ** 2,
    "(x'Mx)^3": (x.T * M * x) ** 3,
    "u d - 3/2 x'x": u * A["d"] - Fraction(3, 2) * (x.T * x),
}


@pytest.mark.parametrize("name", SCALARS)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_gaussian_expectation_of_scalars_is_isserlis(name, d):
    f, at = SCALARS[name], A.example(d, seed=4)
    coordinates = list(sp.symbols(f"x:{d}"))
    explicit = gaussian_mean(f.evaluate({**at, "x": coordinates}), coordinates, at["S"])
    assert f.gauss("x", S).evaluate(at) == explicit


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize(
    "f",
    [
        x * x.T * M * x * x.T,
        x * (x.T * M * x),
        (x.T * N) * (x.T * y),
        x * y.T * N * (x.T * M * x) * (x.T * w),
    ],
)
def test_gaussian_expectation_of_open_words_is_isserlis(f, d):
    at = A.example(d, seed=5)
    coordinates = list(sp.symbols(f"x:{d}"))
    mean = lambda e: gaussian_mean(e, coordinates, at["S"])
    explicit = sp.Matrix(f.evaluate({**at, "x": coordinates})).applyfunc(mean)
    expectation = f.gauss("x", S)
    assert expectation.shape == f.shape
    assert expectation.evaluate(at) == explicit


def test_moments_of_chi_square_in_every_dimension():
    d = A["d"]
    for k in range(1, 6):
        assert ((x.T * x) ** k).gauss("x", A.I) == prod((d + 2 * j for j in range(k)), start=u**0)


def test_odd_moments_vanish_and_a_mean_shifts():
    assert ((x.T * M * x) * (x.T * y)).gauss("x", S).is_zero()
    assert (x * (x.T * x)).gauss("x", S).is_zero()
    shifted = ((x.T * M * x) * x).gauss("x", S, mean=y)
    assert shifted == (M * S).tr() * y + (y.T * M * y) * y + S * M * y + S * M.T * y
    assert shifted != (M * S).tr() * y + (y.T * M * y) * y + S * M * y + S * M * y


def test_integrating_in_either_order_agrees():
    f = (w.T * M * x) ** 2 * (x.T * x) + (w.T * w) * (x.T * N * x)
    assert f.gauss("w", A.I).gauss("x", S) == f.gauss("x", S).gauss("w", A.I)


def test_a_degenerate_gaussian_is_the_image_of_a_standard_one():
    image = Algebra(general=["R", "M"], vectors=["x", "g"])
    f = (image["x"].T * image["M"] * image["x"]) ** 2
    root = image["R"]
    assert f.gauss("x", root * root.T) == f.substitute("x", root * image["g"]).gauss("g", image.I)


def test_traces_turn_and_transpose_inverses_cancel():
    assert (M * N * S).tr() == (N * S * M).tr() == (S * N.T * M.T).tr()
    assert (M * N * S).tr() != (N * M * S).tr()
    assert x.T * M * y == y.T * M.T * x
    assert (M * B * C * N).T == N.T * M.T
    assert B.T * C.T == A.I == S * G
    assert B.T * C != A.I
    assert (G * M * S).tr() == M.tr()
    assert (B * C).tr() == A["d"]
    assert (x * y.T * M).tr() == y.T * M * x
    assert (M * x * y.T * N * w * x.T).tr() == (y.T * N * w) * (x.T * M * x)
    assert (M**3).tr() == (M * M * M).tr()
    assert M**0 == A.I


def test_relations_of_pseudo_inverse_and_projector():
    symmetric, inverse = ["S", "G", "P", "R"], [("S", "G", "P")]
    P = Algebra(symmetric=symmetric, general=["M"], pseudo_inverse=inverse, projectors=["R"])
    S_, G_, P_, R_, M_ = P["S"], P["G"], P["P"], P["R"], P["M"]
    assert S_ * G_ * S_ == S_
    assert G_ * S_ == (G_ * S_).T == P_
    assert (S_ * M_ * P_).tr() == (M_ * S_).tr()
    assert R_**3 == R_
    assert R_ * P_ != P_ * R_
    for d in (1, 2, 3):
        at = P.example(d, seed=1)
        assert (P_ - S_ * G_).evaluate(at) == sp.zeros(d, d)
        assert P_.tr().evaluate(at) == at["S"].rank() == max(1, d - 1)
        assert at["S"] * at["G"] * at["S"] == at["S"]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_equal_normal_forms_are_equal_at_instances(d):
    at = A.example(d, seed=9)
    for letters in itertools.product("MSGBCN", repeat=3):
        if d == 3 and letters[0] > "G":
            continue
        word, value = A.I, sp.eye(d)
        for name in letters:
            word, value = word * A[name], value * at[name]
        assert word.evaluate(at) == value
        assert word.tr().evaluate(at) == value.trace()


def test_small_dimensions_have_further_identities():
    """Cayley-Hamilton vanishes at d = 2 without being zero: only an instance refutes."""
    ch = M * M - M.tr() * M + (M.tr() ** 2 - (M * M).tr()) / 2 * A.I
    assert not ch.is_zero()
    assert ch.evaluate(A.example(2)) == sp.zeros(2, 2)
    assert ch.evaluate(A.example(3)) != sp.zeros(3, 3)


GRADIENTS = {
    "M": (M.T * S * M * N).tr() * (x.T * M * y) + (M * M).tr(),
    "x": (x.T * M * x) ** 2 + (x.T * y) * (w.T * x),
    "y": (y.T * M * y) * (x.T * y),
}


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("d", [1, 2])
def test_gradients_entry_by_entry(name, d):
    f, at = GRADIENTS[name], A.example(d, seed=2)
    entries = sp.Matrix(d, d if name == "M" else 1, lambda i, j: sp.Symbol(f"e{i}{j}"))
    back = dict(zip(entries, at[name]))
    value = f.evaluate({**at, name: entries})
    explicit = entries.applyfunc(lambda e: sp.diff(value, e).subs(back))
    assert f.grad(name).evaluate(at) == explicit


@pytest.mark.parametrize("d", [1, 2])
def test_gradient_of_a_symmetric_matrix_and_its_inverse(d):
    """Along a symmetric direction D: d/dt f(S + tD) = tr(grad' D), and the inverse moves along."""
    f = (G * M).tr() + x.T * G * S * N * G * y + (S * S).tr()
    at, t = A.example(d, seed=3), sp.Symbol("t")
    direction = sp.Matrix(d, d, lambda i, j: 1 + i + j)
    moved = {**at, "S": at["S"] + t * direction}
    moved["G"] = moved["S"].inv()
    slope = sp.diff(sp.cancel(f.evaluate(moved)), t).subs(t, 0)
    gradient = f.grad("S")
    assert gradient == gradient.T
    assert sp.simplify(slope - (gradient.evaluate(at).T * direction).trace()) == 0


def test_parameters_differentiate_as_polynomials():
    f = u**3 * M + u * N + A["d"] * A.I
    assert f.diff("u") == 3 * u**2 * M + N
    assert (u * A["d"]).diff("u") == A["d"]


def test_without_drops_one_term_and_terms_are_ordered():
    f = M + 2 * N + u * A.I
    assert len(f.terms) == 3
    for i in range(3):
        assert len((f - f.without(i)).terms) == 1
        assert not (f - f.without(i)).is_zero()
    with pytest.raises(IndexError):
        f.without(3)
    assert str(N + M) == str(M + N)


def test_display():
    f = (u - 1) * (x.T * G * y) * M * B.T - A.I
    assert str(f) == "-I + (u - 1) x' G y M B'"
    assert f.latex() == r"-I + (u - 1)\, x^{\top}\, S^{-1}\, y\, M\, B^{\top}"
    assert M.tr().latex() == r"\operatorname{tr}(M)"
    assert str(M - M) == "0"


def test_evaluation_of_zero_has_a_shape():
    at = A.example(3)
    assert (x - x).evaluate(at) == sp.zeros(3, 1)
    assert (x.T - x.T).evaluate(at) == sp.zeros(1, 3)
    assert (u - u).evaluate(at) == 0


test_ill_shaped_requests_say_what_is_wrong = refusals(
    (lambda: x * y, "a column times a column has no meaning"),
    (lambda: x * M, "a column times a matrix has no meaning"),
    (lambda: M * x.T, "a matrix times a row has no meaning"),
    (lambda: M + x, "cannot add a column to a matrix"),
    (lambda: M + 1, "multiply the scalar by the identity I"),
    (lambda: x.tr(), "a column has no trace"),
    (lambda: M.grad("M"), "only a scalar has a gradient"),
    (lambda: M.tr().grad("u"), "for a parameter use diff"),
    (lambda: M.diff("M"), "none of the parameters"),
    (lambda: x**2, "a column has no power 2"),
    (lambda: M**-1, "no power -1"),
    (lambda: (x.T * x).gauss("x", M), "no symmetric matrix"),
    (lambda: (x.T * x).gauss("M", S), "only a vector can be Gaussian"),
    (lambda: (x.T * x).gauss("x", x * x.T), "contains x itself"),
    (lambda: (x.T * x).gauss("x", S, mean=M), "a column is needed"),
    (lambda: M.substitute("S", M), "obeys a declared relation"),
    (lambda: M.substitute("M", x), "cannot take its place"),
    (lambda: M + Algebra(general=["M"])["M"], "different algebras"),
    (lambda: M.evaluate({}), "exactly one is needed"),
    (lambda: M.evaluate({"x": [1, 2]}), "no value for M"),
    (lambda: (M * x).evaluate({"M": sp.eye(2), "x": [1, 2, 3]}), "exactly one is needed"),
    (lambda: M.evaluate({"M": sp.ones(2, 3)}), "has shape"),
    (lambda: S.evaluate({"S": [[1, 2], [3, 4]]}), "declared symmetric"),
    (lambda: S.evaluate({"S": sp.ones(2, 2)}), "is singular"),
    (lambda: S.evaluate({"S": sp.eye(2), "G": 2 * sp.eye(2)}), "as was declared"),
    (lambda: M.evaluate({"M": sp.eye(2), "K": sp.eye(2)}), "no letter is called 'K'"),
    (lambda: Algebra(general=["M"], vectors=["M"]), "M are taken"),
    (lambda: Algebra(general=["d"]), "d is the dimension"),
    (lambda: Algebra(general=["M"], inverse=[("M", "W")]), "two declared matrices"),
    (lambda: Algebra(general=["M"], symmetric=["S"], inverse=[("M", "S")]), "only one is symmetric"),
    (lambda: Algebra(general=["M"], projectors=["M"]), "must be declared symmetric"),
    (lambda: Algebra(symmetric=["P"], projectors=["P"])["P"].tr().grad("P"), "no free neighbourhood"),
    (lambda: 0.5 * M, TypeError, r"0\.5 is no exact number"),
    (lambda: M / u, TypeError, "declare the inverse"),
    (lambda: A["Q"], KeyError, "no letter is called 'Q'"),
)


def test_what_was_written_is_remembered_and_bounded():
    A = Algebra(general=["M"], symmetric=["S", "R"], vectors=["x", "m"], params=["u"], inverse=[("S", "R")])
    M, S, R, x, u = (A[name] for name in ("M", "S", "R", "x", "u"))
    assert (S * R * x).written() == r"S\, S^{-1}\, x"
    assert (S * R * x).latex() == "x"
    assert ((M + u * S) * x).written() == r"\left(M + u\, S\right)\, x"
    assert (x - (M - S) * x).written() == r"x - \left(M - S\right)\, x"
    assert (R.T * x).written() == r"\left(S^{-1}\right)^{\top}\, x"
    written = (x * x.T).gauss("x", S, mean=A["m"]).written()
    assert written == r"\mathbb{E}_{x \sim N(m, S)}\left[x\, x^{\top}\right]"
    # An element made in thousands of operations starts again from its normal form.
    doubled = M
    for _ in range(12):
        doubled = doubled + doubled
    assert doubled.latex() == r"4096\, M"
    assert len(doubled.written()) < 1000
