"""What the derivation of Theorem 4.4 for every length assumes is true of three tokens of signs and
a matrix M with all three blocks, for indices beyond the last token, too.
"""

import copy
import itertools
import random
from fractions import Fraction

import pytest
from flint import arb, fmpq

from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Variable
from proofs_check.derivations.proofs import PROOFS
from tests.numerics.derivations.test_models import Model

TOKENS = 3
OUTCOMES = list(itertools.product((1, -1), repeat=2 * TOKENS))
A, N, Q = Fraction(5, 8), Fraction(3, 8), Fraction(1, 8)
first = lambda value: lambda j, *at: value(*at) if j == 0 else 0
token = lambda i: i if i < TOKENS else 0
sign_u, sign_v = (lambda q: 1 - 2 * (q % 2)), (lambda q: 1 - 2 * (q // 2 % 2))
along = lambda q: A * sign_u(q) + N * sign_v(q)
block = lambda value: lambda a, b: value if a == b == 0 else 0
GIVEN = (
    {
        "X": lambda i, j, o: OUTCOMES[o][token(i)] if j == 0 else 0,
        "V": lambda i, m, o: OUTCOMES[o][TOKENS + token(i)] if m == 0 else 0,
        "u": first(sign_u),
        "v": first(sign_v),
        "e": first(lambda q: 1 if along(q) > 0 else -1),
        "lambda": lambda q: Fraction(1) if abs(along(q)) == 1 else Fraction(1, 2),
        "A": block(A),
        "N": block(N),
        "Q": block(Q),
        "D": lambda i, l: int(token(i) != token(l)),
        "p": first(lambda: 1),
        "n": TOKENS,
    }
    | dict.fromkeys(("d", "k'", "c_u", "c_v", "kappa", "rho", "c2"), 1)
    | {"C2": 2}
)
#: Where a hypothesis is tried: two tokens and the same one twice, once as an index beyond the last.
PLACES = {"q": (0, 1), "o": (5, 44), "j": (0, 1), "m": (0,)}
PAIRS = ((0, 1), (0, TOKENS))


def hypotheses():
    """Those that speak neither of all functions nor of the least loss."""
    statements = (*PROOFS["COL:T4.4"].statements()[:4], PROOFS["COL:T4.4/multiples"].statements()[1])
    found = {a.name: a for s in statements for a in s.assumptions}
    some = lambda a: all(type(x) is Variable and x.sort is not Sort.REAL for x in a.every)
    return {name: a for name, a in found.items() if some(a) and "minimiser" not in name}


@pytest.fixture(scope="module")
def world():
    made = Model(random.Random(0), length=4, size=4, given=GIVEN)
    made.weights = tuple([fmpq(1, len(OUTCOMES))] * len(OUTCOMES))
    return made


@pytest.mark.parametrize("name", sorted(hypotheses()))
def test_three_tokens_of_signs_meet_the_hypotheses(name, world):
    a = hypotheses()[name]
    of = {x.name: x for x in a.every}
    indices = "ig" if "g" in of else "i" if "i" in of else ""
    places = [PLACES[x] for x in of if x not in indices]
    for pair in {at[: len(indices)] for at in (*PAIRS, (TOKENS, 1))}:
        for at in itertools.product(*places):
            values = dict(zip((x for x in of if x not in indices), at, strict=True))
            values |= dict(zip(indices, pair, strict=True))
            here = copy.copy(world)
            here.memory, here.numbers = {}, {of[x]: value for x, value in values.items()}
            left, right = (arb(here.value(e)) for e in (a.lhs, a.rhs))
            assert {"==": left.overlaps(right), "<=": not left > right, "<": bool(left < right)}[a.op]
