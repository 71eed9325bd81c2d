"""The rule that speaks of the independence of tokens beside an exponential of all of them."""

from __future__ import annotations

from typing import Any

from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH
from numerics.derivations.kernel.sorts import ProofError, Sort
from numerics.derivations.kernel.terms import Op, Term, Variable, term, text
from numerics.derivations.kernel.theorems import Theorem, _prove, read
from numerics.derivations.kernel.values import finite, integrable

__all__ = ["independent"]


def independent(prompt: Variable, exponent: tuple[Variable, Any], *factors: tuple[Variable, Any]) -> Theorem:
    """The mean over a prompt of the exponential of minus a sum over all its tokens, times a sum
    over distinct positions of a product of one factor each, is L (L - 1) .. (L - c + 1) times the
    product of E[factor e^{-g}], times (E e^{-g})^{L - c}, where g is the exponent and c the number
    of factors.

    The exponential is the product of e^{-g} over all positions. So at each of the L (L - 1) .. (L -
    c + 1) choices of distinct positions there stands a product of functions of one token each,
    which are a factor times e^{-g} at the chosen ones and e^{-g} at the L - c others. The tokens
    are independent and have one law, and each function has a mean that is a real number, so that
    the mean of the product is the product of the means. If L < c there is no choice, and the number
    of choices is 0, while E e^{-g} is positive and finite, as e^{-g} is positive.

    Parameters
    ----------
    prompt : Variable
        Of the sort PROMPT.
    exponent : tuple of Variable and Term
        A token and the exponent, which is a finite function of it.
    factors : tuple of Variable and Term
        A token, another one each time, and a function of it.

    Raises
    ------
    ProofError
        If what is given is no prompt or token, two factors have one token, a term speaks of the
        prompt or of another of the tokens, or is not known to have a mean.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from numerics.derivations.kernel.terms import Function
    >>> p, k = Variable("p", Sort.PROMPT), Variable("k", Sort.TOKEN)
    >>> g, f = Function("g", (Sort.TOKEN,), None), Function("f", (Sort.TOKEN,), Fraction(2))
    >>> print(independent(p, (k, g(k)), (k, f(k))).rhs)
    ((L*mean[1: (f(_0)*exp((-1*g(_0))))])*(mean[1: exp((-1*g(_0)))]^(L + (-1*1))))
    """
    if type(prompt) is not Variable or prompt.sort is not Sort.PROMPT or not factors:
        raise ProofError(f"{prompt} is no prompt, or there is no factor")
    own, g = exponent[0], read(exponent[1])
    names = tuple(k for k, _ in factors)
    if any(type(k) is not Variable or k.sort is not Sort.TOKEN for k in (own, *names)):
        raise ProofError("an exponent and each factor is given with its token")
    parts = [(k, read(e)) for k, e in factors]
    tokens = {own, *names}
    if any((tokens - {k} | {prompt}) & e.free for k, e in ((own, g), *parts)):
        raise ProofError("a factor speaks of the prompt, or of another token than its own")
    weight = Op("exp", (-g,))
    weighted = [(k, Op("mul", (e, instantiated(weight, {own: k})))) for k, e in parts]
    if not finite(g) or not all(integrable(e, k) for k, e in ((own, weight), *weighted)):
        raise ProofError(f"{text(weight)} or a factor times it is not known to have a mean")
    product = Op("mul", tuple(e for _, e in parts))
    total = bind("sum", (own,), g, (prompt,))
    left = bind(
        "prompt", (prompt,), Op("mul", (Op("exp", (-total,)), bind("sum", names, product, (prompt,))))
    )
    value: Term = LENGTH
    for n in range(1, len(parts)):
        value = value * (LENGTH - n)
    for k, e in weighted:
        value = value * bind("mean", (k,), e)
    rest = Op("pow", (bind("mean", (own,), weight), LENGTH - term(len(parts))))
    return _prove(left, "==", value * rest, "independent tokens")
