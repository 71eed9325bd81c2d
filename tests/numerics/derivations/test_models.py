"""What derivations with matrices assume can be true: matrices of size 2, padded with zeros, at a
critical point of the flow; softmax weights of one token, a covariance that is not diagonal, one
query for attention over features.
"""

import copy
import inspect
import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, fmpq

from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import CLOCK, Function, Variable
from numerics.derivations.kernel.theorems import Assumption
from numerics.derivations.statements import Statement
from numerics.derivations.worlds import Undecided, World
from proofs_check.derivations.linear_attention import eigenbasis
from proofs_check.derivations.linear_attention.matrices import i, j, over
from proofs_check.derivations.proofs import PROOFS
from tests.numerics.derivations.rooms import of_room

SIZE, INDICES = 2, range(4)
Table = Callable[..., int | Fraction]


@dataclass
class Model(World):
    """A world in which functions and variables have given values, and nothing moves."""

    given: Mapping[str, Table | int | Fraction] = field(default_factory=dict)
    size: int = SIZE

    def apply(self, f: Function, at: tuple[int, ...]) -> fmpq:
        if f == CLOCK:
            return self.path(f, at)
        place = at[: len([s for s in f.sorts if s is not Sort.TIME])]
        if f.name.endswith("'"):
            return self.number(Fraction(self.given.get(f.name, 0)))
        if Sort.STEP in f.sorts:
            place, f = self.moved(f, place)
        if f.name not in self.given:
            raise Undecided(f.name)
        value = self.given[f.name]
        any_number = not callable(value) or value.__code__.co_flags & inspect.CO_VARARGS
        if not any_number and len(place) != value.__code__.co_argcount:  # another function of this name
            raise Undecided(f.name)
        found = value(*place) if callable(value) else value
        return found if isinstance(found, arb) else self.number(Fraction(found))

    def path(self, f: Function, at: tuple[Any, ...]) -> fmpq:
        return super().path(f, at) if f == CLOCK else self.apply(f, at)

    def variable(self, v: Variable) -> Any:
        value = self.given.get(v.name)
        if v.range is None or value is None or callable(value):
            return super().variable(v)
        return self.number(Fraction(value))


diagonal = lambda *values: lambda x, y: values[x] if x == y and x < len(values) else 0
matrix = lambda *rows: lambda x, y: rows[x][y] if x < len(rows) and y < len(rows) else 0
vector = lambda *values, beyond=0: lambda x, *_: values[x] if x < len(values) else beyond
half, quarter = Fraction(1, 2), Fraction(1, 4)
#: S = diag(4, 0) and S_L = diag(4, 1); gamma = 2, u = 1/gamma and U = gamma S_L^-1 S S^+.
MINIMUM: dict[str, Any] = {
    "delta": lambda x, y: int(x == y), "l": vector(4), "m": vector(4, beyond=1),
    "r": vector(quarter, beyond=1), "h": vector(1), "p": vector(quarter), "S": diagonal(4),
    "SL": lambda x, y: (4 if x == 0 else 1) if x == y else 0, "G": diagonal(quarter), "H": diagonal(1),
    "U": diagonal(half), "u": half, "Theta": diagonal(1), "W": diagonal(), "L": 3, "q": 8, "k": 2, "s": half,
    "sigma": half, "top": 4, "lambda": 4, "low": 1, "N": 16, "gamma": 2, "alpha": 1, "T": 1, "e": 0, "x": 1,
    "y": 1, "Lambda": diagonal(1), "eps": 100, "A": diagonal(0, 1), "M": diagonal(Fraction(1, 64)),
}  # fmt: skip
#: At the minimum phi = kappa u + tr(S U S) is 8 + 1/20, and its integral grows.
AWAY: dict[str, Any] = {
    "r": vector(quarter), "pinv": vector(quarter), "v": half, "ball": 10, "cap": 64, "top": 64,
    "kappa": Fraction(1, 10), "low": Fraction(1, 300),
    "I'": Fraction(161, 20) * (Fraction(161, 20) + Fraction(1, 300)),
}  # fmt: skip
#: S = I for d = 2 and L = 3, so that S_L = 2 I without noise.
TOKENS_OF_ONE_SIZE: dict[str, Any] = {
    "l": lambda x: 1, "m": lambda x: 2, "r": lambda x: half, "low": 1, "L": 3, "tau2": 0,
}  # fmt: skip
WEIGHTS: dict[str, Any] = (
    dict.fromkeys(("L", "P2", "P3", "Q", "t", "q", "tau2"), 1)
    | {
        "n": 0, "share": half, "mean_square": 100, "p": lambda x, k: 1, "V": diagonal(1, 1),
        "Gamma": diagonal(3), "h": vector(1), "G": diagonal(2), "ell": vector(1),
        "output": lambda x, k: 2 * (x == 0), "token": lambda x, k: 2 * (x == 0),
        "spread": lambda x, y, k: 2 * (x == y == 0),
    }
    | dict.fromkeys(("D2", "Sc", "D_pi2", "T2"), 0)
)  # fmt: skip
INVERTIBLE = {
    "l": vector(Fraction(5, 3), Fraction(5, 4), beyond=4), "h": vector(beyond=1),
    "U": lambda x, y: vector(Fraction(3, 5), Fraction(4, 5), beyond=quarter)(x) if x == y else 0, "u": 1,
    "q": 1,
}  # fmt: skip
#: The covariance R R' with its inverse J, and a larger one, Gamma, with its inverse Lambda.
COVARIANCE: dict[str, Any] = {
    "R": matrix((half, half), (0, half)), "J": matrix((4, -4), (-4, 8)), "Gamma": matrix((2, 1), (1, 1)),
    "Lambda": matrix((1, -1), (-1, 2)), "U": matrix((1, 1), (0, 1)), "p": vector(1, 1), "normU": 3,
    "epsilon": 10**6, "p2": 1, "p3": half, "q": quarter,
} | dict.fromkeys(("top", "S", "k", "sigma", "c"), 1)  # fmt: skip
#: Two independent tokens with the covariance A A', each with two coordinates of its own of xi.
TOKENS: dict[str, Any] = {
    "L": 2, "n": 1, "d": 2, "rank": 4, "same": lambda l, k: 1 if l == k < 2 else -1,
    "factor": lambda l, x, n: matrix((1, 2), (0, 1))(x, n - 2 * l) if n >= 2 * l else 0,
    "Gamma": matrix((5, 2), (2, 1)),
}  # fmt: skip
#: The same with one coordinate, a task that is 1, and labels without noise.
LABELLED = TOKENS | {
    "d": 1, "rank": 2, "factor": lambda l, x, n: int(x == 0 and n == l < 2), "Gamma": diagonal(1),
    "eta": lambda *at: 0, "etaq": lambda *at: 0, "tau2": 0, "om2": 1, "w": vector(1),
}  # fmt: skip
#: One query and five other classes whose features are all 0, so that no attention moves.
FEATURES: dict[str, Any] = (
    dict.fromkeys(("v", "u", "x", "Q", "g", "logm", "logp"), lambda *at: 0)
    | dict.fromkeys(("K", "R", "s", "mu", "gamma", "pmin"), 1)
    | {"M": 5, "r": 2, "eta": Fraction(1, 100), "number": lambda t: t}
)


def descended(t: int) -> arb:
    """The score gap after t steps over two orthonormal features at eta = 1 and sigma_f^2 = 2."""
    z = arb(0)
    for _ in range(t):
        z += 4 * z.exp() / (z.exp() + 1) ** 3
    return z


#: Two orthonormal features, and one task with the values 1 and -1.
CLASSES: dict[str, Any] = {
    "delta": diagonal(1, 1), "v": diagonal(1, 1), "f": vector(1, -1), "b": 0, "sigma2": 2, "common": -1,
    "z": descended, "Q": lambda x, y, t: descended(t) * (0 if max(x, y) > 1 else 0.5 if x == y else -0.5),
} | dict.fromkeys(("M", "kappa", "eta", "x"), 1) | dict.fromkeys(("K", "r"), 2)  # fmt: skip
#: Two features that are 0, which a group of two matrices, both 1, leaves as they are or exchanges.
ORBIT: dict[str, Any] = CLASSES | dict.fromkeys(("v", "Q", "lambda"), lambda *at: 0) | {
    "r": 1, "N": 2, "y": 1, "unit": diagonal(1), "o": lambda h, x, y: int(x == y == 0),
    "pi": lambda h, k, l: int(max(k, l) < 2 and (k == l) == (h % 2 == 0)),
}  # fmt: skip
#: The features 1 and -1, which the second matrix, -1, exchanges, at the start of the flow.
OPPOSITE: dict[str, Any] = ORBIT | {
    "v": lambda k, x: (1, -1)[k] if k < 2 and x == 0 else 0, "Delta": 2,
    "o": lambda h, x, y: (1, -1)[h % 2] if x == y == 0 else 0,
    "gamma": 2, "Qstar": diagonal(1), "near": lambda k, n: int((k, n) == (0, 1)),
}  # fmt: skip
#: Two orthonormal features and any attention.
ORTHONORMAL: dict[str, Any] = {
    "K": 2, "r": 2, "v": diagonal(1, 1), "same": lambda l, k: 1 if l == k < 2 else -1,
    "loga": lambda x, y: Fraction(x - 2 * y, 3),
}  # fmt: skip
#: Claims on the flow of attention over features, and on a step of descent.
FLOWS = (
    "OURS:R11.lower", "OURS:R12.lower", "OURS:R12.orbit", "OURS:R12.steps", "OURS:R7.flow/step",
    "OURS:R7.only",
)  # fmt: skip
#: Claims on Gaussian vectors whose hypotheses speak of no law.
GAUSSIAN = (
    "BB:B.1.a", "BB:LF.1", "BB:LF.1.i", "BB:LF.1.i/query", "BB:LF.1.ii.f", "BB:R3.2/exponent",
    "BB:R5.3.risk0", "OURS:LF.1/sub_gaussian", "OURS:R4.self/nu", "OURS:T5.2.gap/gaussian",
    "OURS:T5.2.gap/moments",
)  # fmt: skip
MODELS: dict[str, dict[str, Any]] = {
    "minimum": MINIMUM, "saddle": MINIMUM | {"U": diagonal(), "u": 0, "q": 28, "k": 4},
    "invertible": MINIMUM | INVERTIBLE, "at the end": MINIMUM | {"v": half},
    "outside the range": MINIMUM | {"X": diagonal(0, 5), "Y": diagonal(0, 7)},
    "kept away": MINIMUM | AWAY, "three tokens": TOKENS_OF_ONE_SIZE,
    "on the ray": MINIMUM | {"X": diagonal(quarter, half)}, "one token": WEIGHTS, "covariance": COVARIANCE,
    "independent tokens": TOKENS, "features": FEATURES,
    "labelled tokens": LABELLED, "two classes": CLASSES, "orbit": ORBIT, "orthonormal": ORTHONORMAL,
    "opposite": OPPOSITE,
    "a query": dict.fromkeys("vcq", vector(1)) | {"eta": 1, "L": 3},
}  # fmt: skip
for model in MODELS.values():
    model |= {"U_block": model["U"]} if "U" in model else {}


def met(a: Assumption, model: Model) -> bool:
    """Whether an assumption is true at the first indices, with functions that are tried."""
    moving = [v for v in a.every if isinstance(v, Variable) and v.of is Sort.INDEX]
    functions = [f for f in a.every if isinstance(f, Function)]
    tried: list[Mapping[str, Any]] = [{}]
    if functions:
        tried = [
            {f.name: lambda *at, n=n: (7 * sum(at) + 3 * n) % 5 - 2 for f in functions} for n in range(3)
        ]
        tried += [{f.name: lambda *at, n=n: int(at[0] == n) for f in functions} for n in INDICES]
    for at, more in itertools.product(itertools.product(INDICES, repeat=len(moving)), tried):
        here = copy.copy(model)
        here.numbers, here.memory = dict(zip(moving, at, strict=True)), {}
        here.given = {**model.given, **more}
        try:
            left, right = (arb(here.value(e)) for e in (a.lhs, a.rhs))
        except Undecided:  # the model has no such function; what others have proved is true in all of them
            return a.cited or bool(a.argument)
        if not {"==": left.overlaps(right), "<=": not left > right, "<": left < right}[a.op]:
            return False
    return True


def unmet(statement: Statement) -> dict[str, list[str]]:
    found = {}
    for name, given in MODELS.items():
        model = Model(random.Random(0), given=given)
        found[name] = [a.name for a in statement.assumptions if not met(a, model)]
    return found


@pytest.mark.parametrize("id", [*of_room("linear_attention"), *GAUSSIAN, *FLOWS])
def test_a_model_meets_the_hypotheses(id):
    for statement in PROOFS[id].statements():
        found = unmet(statement)
        assert any(not names for names in found.values()), found


def test_an_orbit_with_a_least_distance_meets_all_hypotheses_on_it():
    """Nothing moves in a model, so that it cannot meet a flow that leaves its start."""
    *margin, late = PROOFS["OURS:R12.margin"].statements()
    assert [unmet(statement)["opposite"] for statement in margin] == [[], [], []]
    for statement in (late, *PROOFS["OURS:R12.upper"].statements()):
        assert set(unmet(statement)["opposite"]) == {"gradient flow", "the scalar flow"}
        assert "the least distance" in unmet(statement)["orbit"]


#: Two tokens that are independent signs, with the weights 1 and e^{1/2}; the first one stands once
#: more beyond them.
SIGNS: dict[str, Any] = {
    "X": lambda x, y, k: 1 - 2 * (k >> (x == 1) & 1) if y == 0 else 0, "p": vector(1),
    "log alpha": vector(0, half), "log R": vector(half, 0, beyond=half),
    "D": lambda x, y: int(y != (x if x < 2 else 0)), "n": 2, "d": 1,
} | dict.fromkeys(("c", "c_a", "c_u", "sigma"), 1)  # fmt: skip


@pytest.mark.parametrize("tokens", [1, 2])
def test_two_signs_meet_the_hypotheses_on_the_direction_and_one_sign_does_not(tokens):
    """With one token the sum of the weights of the others would have to be positive."""
    model = Model(random.Random(0), given=SIGNS | {"n": tokens})
    model.weights = (fmpq(1, 4),) * 4
    for statement in PROOFS["COL:H.5.noise/positive"].statements():
        missed = [a.name for a in statement.assumptions if not met(a, model)]
        assert any(name.startswith("n >= 2") for name in missed) if tokens == 1 else missed == []


def test_an_identity_of_every_index_is_met_by_no_matrix():
    """What the identity does next to any function is true of the first two indices only."""
    f, picked = eigenbasis.f, over((j,), eigenbasis.delta(i, j) * eigenbasis.f(j))
    picks = assume("picks", picked, "==", f(i), every=(i, f))
    statement = Statement(eigenbasis.l(i), "==", eigenbasis.l(i), picks.assumptions)
    assert all(names == ["picks"] for names in unmet(statement).values())
