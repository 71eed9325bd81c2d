"""Lengths of prompts, laws of their tokens on few rational atoms, and functions of a token."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, combinations, count, product, takewhile

from flint import arb

from numerics.strategies.numbers import SearchStrategy, checked, coded, shares, signed, sizes, st
from numerics.token_laws.built_in import atoms
from numerics.token_laws.sub_gaussian import enclosed_proxy
from numerics.token_laws.token_law import TokenLaw

__all__ = ["functions", "laws", "lengths"]

Vector = tuple[Fraction, ...]
#: The smallest share of a two-atom law is 2^-20; where several shares are multiplied, 2^-12.
RAREST, RARE = 20, 12
MOST_ATOMS = 4


def lengths(least: int = 1, most: int = 10_000) -> SearchStrategy[int]:
    """Prompt lengths: the first 33 one by one, then in steps of about a tenth, up to the longest.

    Parameters
    ----------
    least, most : int
        The shortest, at least 1, and the longest.

    Returns
    -------
    strategy of int

    Raises
    ------
    ValueError
        If the range is empty or begins below 1.

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> simplest(lengths()), simplest(lengths(most=50), lambda L: L > 40)
    (1, 41)
    """
    checked("most", most, 1, 10**12)
    checked("least", least, 1, most)
    steps = (least + (n if n <= 32 else int(4 * coded(n - 8))) for n in count())
    found = [*takewhile(lambda L: most > L, steps), most]
    return st.integers(0, len(found) - 1).map(found.__getitem__)


def laws(d: int = 1, *, most_atoms: int = MOST_ATOMS, octaves: int = 10) -> SearchStrategy[TokenLaw]:
    """Centred laws of tokens on one to four rational atoms.

    They lie on a line in R^d, or have independent coordinates, or their atoms lie anywhere; rank 0,
    which is the point mass at 0, is among them. Atoms are as rare as ``2^-20`` on two atoms and
    ``2^-12`` of what is left on more. The law's ``sigma2`` is certain to be a variance proxy: on a
    line and for independent coordinates it is the optimal one up to 1e-5 (for two atoms up to
    rounding), and for atoms anywhere it is Hoeffding's, a quarter of the squared diameter.

    Parameters
    ----------
    d : int
        Dimension of a token: 1, 2 or 3.
    most_atoms : int
        From 1 to 4.
    octaves : int
        Laws are scaled by a number from ``2^-octaves`` to ``2^octaves``.

    Returns
    -------
    strategy of TokenLaw
        With exact ``atoms`` and ``weights``. For tokens that are not centred, add a vector that
        `queries` draws.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> law = simplest(laws())
    >>> [str(x) for (x,) in law.atoms], [str(p) for p in law.weights], str(law.sigma2)
    (['1', '-1'], ['1/2', '1/2'], '1')
    """
    checked("d", d, 1, 3)
    checked("most_atoms", most_atoms, 1, MOST_ATOMS)
    checked("octaves", octaves, 0, 100)
    kinds = [_on_a_line(d, k, octaves) for k in (2, 1, 3, 4) if k <= most_atoms]
    if d > 1:
        kinds += [_anywhere(d, k, octaves) for k in (3, 4) if k <= most_atoms]
    if d > 1 and most_atoms == MOST_ATOMS:
        kinds.append(_independent(d, octaves))
    return st.one_of(kinds)


def functions(law: TokenLaw, *, octaves: int = 12) -> SearchStrategy[Vector]:
    """Values of a real function at the atoms of a law: zero, and both signs over several decades.

    Parameters
    ----------
    law : TokenLaw
        With rational atoms, as `laws` draws it.
    octaves : int
        Values other than 0 have sizes from ``2^-octaves`` to ``2^octaves``.

    Returns
    -------
    strategy of tuple of Fraction
        One for each atom.

    Raises
    ------
    ValueError
        If this is no law with rational atoms, for example a strategy of laws, or `octaves` is out
        of range.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numerics.strategies.numbers import simplest
    >>> from numerics.token_laws import atoms
    >>> signs = atoms([[1], [-1]], [Fraction(1, 2)] * 2)
    >>> [str(v) for v in simplest(functions(signs), any)]
    ['0', '1']
    """
    if not isinstance(law, TokenLaw):
        raise ValueError(
            f"{law!r} is no law; draw one first, in the body of the test or by laws().flatmap(functions)"
        )
    if not law.atoms:
        raise ValueError(
            f"the law {law.name} has no rational atoms at which a function has values; draw it by "
            "numerics.strategies.laws"
        )
    checked("octaves", octaves, 0, 100)
    return st.tuples(*[signed(octaves)] * len(law.atoms))


def _weights(shared: tuple[Fraction, ...]) -> Vector:
    """Probabilities: each share is that of what the shares before it have left."""
    left = list(accumulate((1 - q for q in shared), lambda x, y: x * y, initial=Fraction(1)))
    return (*(q * r for q, r in zip(shared, left)), left[-1])


def _centred(points: list[Vector], weights: Vector) -> tuple[Vector, ...]:
    mean = [sum((p * x for p, x in zip(weights, axis)), Fraction(0)) for axis in zip(*points)]
    return tuple(tuple(x - m for x, m in zip(point, mean)) for point in points)


@lru_cache(maxsize=4096)
def _line(weights: Vector, places: Vector) -> tuple[Vector, Fraction]:
    """The centred atoms of a law on the line whose extreme atoms are at distance 2, the first one
    highest, and a variance proxy.
    """
    spots = [Fraction(1)]
    for share in places:
        spots.append(spots[-1] * share)
    values = tuple(x for (x,) in _centred([(2 * x,) for x in (*spots, Fraction(0))], weights))
    return values, _upper(enclosed_proxy(values, weights))


def _upper(ball: arb) -> Fraction:
    """The upper end of a ball."""
    mantissa, exponent = ball.upper().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _law(points: tuple[Vector, ...], weights: Vector, sigma2: Fraction) -> TokenLaw:
    return replace(atoms(points, weights, sigma2=sigma2), name=f"{len(points)} atoms")


def _on_a_line(d: int, k: int, octaves: int) -> SearchStrategy[TokenLaw]:
    """Laws on k points of a line through 0."""
    zero = (Fraction(0),) * d
    if k == 1:
        # as long as a law on two atoms, lest examples shrink to a law without spread
        padding = st.tuples(*[st.integers(0, 0)] * (2 * d + 1))
        return padding.map(lambda _: _law((zero,), (Fraction(1),), Fraction(0)))

    def made(
        drawn: tuple[tuple[Fraction, ...], tuple[Fraction, ...], Fraction, tuple[Fraction, ...]],
    ) -> TokenLaw:
        shared, places, size, others = drawn
        weights = _weights(shared)
        values, proxy = _line(weights, places)
        along = (size, *(size * x for x in others))
        sigma2 = proxy * sum((x * x for x in along), Fraction(0))
        return _law(tuple(tuple(v * x for x in along) for v in values), weights, sigma2)

    shared = st.tuples(*[shares(RAREST if k == 2 else RARE)] * (k - 1))
    return st.tuples(
        shared, st.tuples(*[shares(8)] * (k - 2)), sizes(octaves), st.tuples(*[signed(3)] * (d - 1))
    ).map(made)


def _independent(d: int, octaves: int) -> SearchStrategy[TokenLaw]:
    """Laws with two independent coordinates on two atoms each, and zero in the third."""

    def made(drawn: tuple[tuple[Fraction, Fraction], ...]) -> TokenLaw:
        lines = [(_weights((q,)), *_line(_weights((q,)), ()), size) for q, size in drawn]
        rest = (Fraction(0),) * (d - 2)
        points = tuple(
            (x * lines[0][3], y * lines[1][3], *rest) for x, y in product(lines[0][1], lines[1][1])
        )
        weights = tuple(p * q for p, q in product(lines[0][0], lines[1][0]))
        return _law(points, weights, max(proxy * size * size for _, _, proxy, size in lines))

    return st.tuples(*[st.tuples(shares(RARE), sizes(octaves))] * 2).map(made)


def _anywhere(d: int, k: int, octaves: int) -> SearchStrategy[TokenLaw]:
    """Laws on k points, with Hoeffding's constant: in every direction they have a range of at most
    the diameter.
    """

    def made(drawn: tuple[tuple[Fraction, ...], tuple[tuple[Fraction, ...], ...], Fraction]) -> TokenLaw:
        shared, places, size = drawn
        weights = _weights(shared)
        points = _centred([tuple(size * x for x in place) for place in places], weights)
        diameter2 = max(
            sum(((x - y) ** 2 for x, y in zip(a, b)), Fraction(0)) for a, b in combinations(points, 2)
        )
        return _law(points, weights, diameter2 / 4)

    return st.tuples(
        st.tuples(*[shares(RARE)] * (k - 1)), st.tuples(*[st.tuples(*[signed(3)] * d)] * k), sizes(octaves)
    ).map(made)
