"""Random statements on constants and limits, whose truth follows from exponents alone: a second
route that takes no limit and proves no inequality.
"""

import sympy as sp

from numerics.lemmas.asymptotics.constants import exists
from numerics.lemmas.asymptotics.limits import limit
from numerics.lemmas.asymptotics.orders import order
from numerics.provers import Closed, Integers

__all__ = ["KINDS", "contradicts", "drawn"]

x, y, C = sp.symbols("x y C", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
POWERS = [sp.Rational(k, 2) for k in range(5)]
EFFORT = 400_000


def _rational(rng, low=1, high=9):
    return sp.Rational(int(rng.integers(low, high)), int(rng.integers(1, 5)))


def _terms(rng, v, log):
    """A sum of ``c v**a log(v)**b`` with positive c, and the largest (a, b)."""
    pairs = {(POWERS[rng.integers(5)], int(rng.integers(3))) for _ in range(rng.integers(1, 4))}
    e = sum(_rational(rng) * v**a * log**b for a, b in pairs)
    return e, max(pairs)


def at_infinity(rng):
    """``f <= C g`` for x >= 1, where g >= 1: by the orders of f and g."""
    (f, of), (g, og) = (_terms(rng, x, sp.log(x)) for _ in range(2))
    return lambda: exists(C, f, "<=", C * (1 + g), {x: Closed(1, sp.oo)}, effort=EFFORT), of <= max(
        og, (0, 0)
    )


def at_zero(rng):
    """The same in 1/x for 0 < x < 1."""
    (f, of), (g, og) = (_terms(rng, 1 / x, sp.log(1 / x)) for _ in range(2))
    return lambda: exists(C, f, "<=", C * (1 + g), {x: (0, 1)}, effort=EFFORT), of <= max(og, (0, 0))


def weighted_means(rng):
    """``x**a y**b <= C (x**c + y**d)`` on the quadrant: if and only if a/c + b/d = 1."""
    c, d = (sp.Integer(int(rng.integers(1, 4))) for _ in range(2))
    share = sp.Rational(int(rng.integers(1, 4)), 4)
    a, b = c * share, d * (1 - share) + sp.Rational(int(rng.integers(-1, 2)), 4)
    b = abs(b)
    ask = lambda: exists(
        C, x**a * y**b, "<=", C * (x**c + y**d), {x: (0, sp.oo), y: (0, sp.oo)}, effort=EFFORT
    )
    return ask, a / c + b / d == 1


def orders(rng):
    """O, Omega and Theta for whole n."""
    (f, of), (g, og) = (_terms(rng, n, sp.log(n)) for _ in range(2))
    s = int(rng.choice([-1, 1]))
    kind = str(rng.choice(["O", "Omega", "Theta"]))
    true = {"O": of <= og, "Omega": of >= og, "Theta": of == og}[kind]
    return lambda: order(s * f, kind, g, {n: sp.oo}, domain={n: Integers(1)}, effort=EFFORT), true


def limits(rng):
    """A quotient of polynomials plus what vanishes; the value may be wrong by little."""
    v = n if rng.random() < 0.5 else x
    k = int(rng.integers(1, 4))
    a, b = _rational(rng), _rational(rng)
    low = [sum(int(rng.integers(-3, 4)) * v**j for j in range(k)) for _ in range(2)]
    f = (a * v**k + low[0]) / (b * v**k + sp.Abs(low[1]) if v is x else b * v**k + low[1] ** 2 / v**k)
    f += rng.choice([0, 1 / sp.sqrt(v), sp.log(v) / v, sp.exp(-v) * v])
    if v is n:
        f = (a * v**k + low[0]) / (b * v**k + 1) + sp.sqrt(v + 1) - sp.sqrt(v)
    off = sp.Rational(int(rng.choice([0, 0, 1, -1])), int(10 ** rng.integers(1, 7)))
    domain = {n: Integers(1)} if v is n else {x: (0, sp.oo)}
    return lambda: limit(f, v, sp.oo, a / b + off, domain=domain, effort=EFFORT), off == 0


KINDS = (at_infinity, at_zero, weighted_means, orders, limits)


def drawn(rng):
    """A statement of a random kind: what asks for its verdict, and whether it is true."""
    return KINDS[rng.integers(len(KINDS))](rng)


def contradicts(found, true):
    """Whether a verdict is wrong."""
    return found.verdict.value == "REFUTED" if true else found.verdict.accepted
