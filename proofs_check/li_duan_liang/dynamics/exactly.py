"""The repairs that many statements on the phases share: what holds where training is known exactly.
A claim is its printed half, refuted along slow training, with one of these; `exact` says which is
asked. In the statements that are derived Attn_k enters as its mean over the classes, which by
OURS:R7.flow it is for each.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import update_wrapper
from typing import Any

from numerics.evidence import Evidence, all_of
from proofs_check.core.robust import Diverging
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features import exact_training as exact
from proofs_check.instances.features.aligned_features import HYPOTHESES as ALIGNED
from proofs_check.instances.features.slow_attention import along

#: The keywords of a claim that holds for orthonormal features, and not for those of Section 3.1.
ON_ORTHONORMAL: dict[str, Any] = {
    **{"false": "gap", "follows": "LDL:L2.raw", "costs": "a hypothesis"},
    **{"repair": {"features": "orthonormal"}, "hypotheses": ALIGNED},
}


def diverging(
    size: int, hypotheses: tuple[str, ...], ratio: Callable[..., Any], exceeds: Any, least: int = 4
) -> Diverging:
    """The problems on which attention is learned slowly, with L = size K, as a robust witness."""
    slow: dict[str, Any] = {"point": {"ratio": Fraction(size)}, "sequence": along, "hypotheses": hypotheses}
    return Diverging(**slow, ratio=ratio, exceeds=exceeds, least=least)


@dataclass(frozen=True)
class Exactly:
    """What holds, by checks with numbers of their own; how it is said; and what must be refuted of
    it. Over the printed half of a claim it makes the whole.
    """

    checks: tuple[Callable[..., Evidence], ...]
    said: str
    control: tuple[Mapping[str, Any], ...]
    #: A claim of which this is the derivation; which of the parts that are checked is tried of each
    #: of its statements; and numbers that these do not have. The other parts speak of numbers only.
    derived: str
    tried: tuple[tuple[int, ...], ...]
    apart: tuple[str, ...] = ()

    @property
    def repaired(self) -> dict[str, Any]:
        """The keywords of such a claim."""
        return {"repair": {"exact": True}, "control": self.control}

    def joined(self, found: list[Evidence], numbers: Mapping[str, Any]) -> Evidence:
        """The derivation from the flow of Q, with its searches, and the other parts."""
        parts = [part for one in found for part in _leaves(one)]
        searches = [all_of(*(parts[n] for n in of)) for of in self.tried]
        own = {name: x for name, x in numbers.items() if name not in self.apart}
        rest = [part for n, part in enumerate(parts) if not any(n in of for of in self.tried)]
        return all_of(derivation(self.derived, *searches, **own), *rest)

    def __call__(self, printed: Callable[[], Evidence]) -> Callable[..., Evidence]:
        """The check of a claim whose printed half is given."""
        own = [list(inspect.signature(one).parameters.values()) for one in self.checks]

        def check(*, exact: bool = False, **numbers: Any) -> Evidence:
            if not exact:
                return printed()
            named = ({p.name: numbers[p.name] for p in of if p.name in numbers} for of in own)
            return self.joined([one(**given) for one, given in zip(self.checks, named)], numbers)

        update_wrapper(check, printed)
        check.__doc__ = f"{inspect.getdoc(printed)} Repaired, {self.said} {MEAN}"
        given = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for of in own for p in of]
        first = inspect.Parameter("exact", inspect.Parameter.KEYWORD_ONLY, default=False)
        check.__dict__["__signature__"] = inspect.Signature([first, *given])
        # The ledger and the registry know a claim by where it stands: at its printed half.
        code = printed.__code__
        check.__code__ = check.__code__.replace(
            co_filename=code.co_filename, co_firstlineno=code.co_firstlineno
        )
        return check


MEAN = r"$\mathrm{Attn}_k$ enters as its mean over the classes, which by R7.flow it is for each."


def _leaves(e: Evidence) -> list[Evidence]:
    return [leaf for part in e.parts for leaf in _leaves(part)] if e.parts else [e]


LOGS, HALF = {"logs": Fraction(29, 10)}, {"least": Fraction(3, 5)}
LATE = r"this times $1+\frac%sr+\frac{2K+6\log((K-1)r)}{r^2}$ for $K\geq3$ and "
LATE += (
    r"$r=\frac{\mathrm{Attn}_k}{1-\mathrm{Attn}_k}\geq1$: `least` = 1 multiplies the one, and `first` "
    r"and `last` "
)
LATE += r"stand for the %s and the 2."
TOO_LATE = ({"last": 1}, {"least": Fraction(11, 10)})
IN_TIME = r"$\mathrm{Attn}_k$ is at least `least` = 1/2, also times $\frac1{1+x}$ for every $x>0$, from "
IN_TIME += r"$\frac1{\eta\sigma_f^2}(K^2+3K\log K)$ on, with `logs` for the 3"

UPDATES = Exactly(
    (exact.updates,),
    r"$g_k=p_k\mathrm{Attn}_k(1-\mathrm{Attn}_k)^2\sigma_f^2\frac K{K-1}$ with $p_k=\frac1K$, and `power` "
    "for the exponent.",
    ({"power": 1},),
    "LDL:P3/rate.lower",
    ((0,),),
)
EARLY_UPDATES = Exactly(
    (exact.early_updates,),
    r"$\frac{\sigma_f^2}{2K^2}\leq g_k\leq C\frac{\sigma_f^2}{K^2}$ while $\mathrm{Attn}_k\leq\frac12$ and "
    r"$e^{q_k-q_{k,m}}\leq C$, with `least` for the 1/2 and `most` = 1 times the right side; and "
    r"$q_k-q_{k,m}$ is `gap` = 1 times the scalar of the flow.",
    (HALF, {"most": Fraction(9, 10)}, {"gap": 2}),
    "LDL:P2/rate.lower",
    ((0, 1), (0, 2), (3,)),
)
LATE_UPDATES = Exactly(
    (exact.late_updates,),
    r"$\eta g_k$ at the time $t$ is between $\frac{K-1}{2Kt}$ and " + LATE % (3, 3),
    ({"first": 2}, *TOO_LATE),
    "LDL:P3/rate",
    ((0, 1, 2), (3,)),
)
LATE_REST = Exactly(
    (exact.late_rest,),
    r"$(1-\mathrm{Attn}_k)^2$ at the time $t$ is between $\frac{(K-1)^2}{2K\eta\sigma_f^2t}$ and "
    + LATE % (4, 4),
    ({"first": 3}, *TOO_LATE),
    "LDL:L6.2",
    ((0, 1), (2,)),
)
LATE_LOSS = Exactly(
    (exact.late_rest,),
    r"the loss $\frac{\sigma_f^2}2\frac K{K-1}(1-\mathrm{Attn}_k)^2$ at the time $t$ is between "
    r"$\frac{K-1}{4\eta t}$ and " + LATE % (4, 4),
    LATE_REST.control,
    "LDL:cmp1",
    ((0, 1), (2,)),
)
OTHER_UPDATES = Exactly(
    (exact.other_updates,),
    r"$g_{k,m}=-\frac{g_k}{K-1}<0$ for exchangeable tasks, with `classes` for the 1 and `sign` for that of "
    r"$g_{k,m}$.",
    ({"classes": 2}, {"sign": 1}),
    "LDL:P3/off",
    ((0,), (1,)),
)
TIME_TO_ONE_HALF = Exactly(
    (exact.time_to_one_half,),
    r"the time of the flow is between $\frac1{\eta\sigma_f^2}(K^2+3K\log K-5K)$ and "
    r"$\frac1{\eta\sigma_f^2}(K^2+3K\log K)$, with `below` for the 5 and `logs` for the 3 above.",
    ({"below": 4}, LOGS),
    "LDL:P2/time.upper",
    ((0, 2), (1,)),
)
HALF_IN_TIME = Exactly(
    (exact.half_in_time,),
    IN_TIME + ".",
    (LOGS, HALF),
    "LDL:P2.attn",
    ((0, 1, 2),),
)
HALF_BEFORE = Exactly(
    (exact.half_in_time, exact.half_before),
    IN_TIME + r"; and this is at most $\frac{cKl}x$ with $x$ at most $\frac{cl}{3K}$, with `most` for this "
    r"3.",
    (LOGS, HALF, {"most": 2}),
    "LDL:P3/attn",
    ((0, 1, 2),),
    ("most",),
)
SCORES = Exactly(
    (exact.scores_at_one_half,),
    r"$q_k=\frac{K-1}K\log(K-1)$ and $q_k-q_{k,m}=\log(K-1)$ where the attention is `share` = 1/2, and "
    r"$\log(K-1)$ is at least `least` = 3/5 times $\log K$ for $K\geq3$.",
    ({"share": Fraction(2, 5)}, {"least": Fraction(2, 3)}),
    "LDL:L5.off/gap",
    ((0,), (0, 1)),
    ("least",),
)
SCORES_AND_TIME = Exactly(
    (exact.scores_at_one_half, exact.time_to_one_half),
    f"{SCORES.said[:-1]}; {TIME_TO_ONE_HALF.said}",
    (*SCORES.control, *TIME_TO_ONE_HALF.control),
    "LDL:L5.1",
    ((0,), (0, 1), (3, 5), (4,)),
    ("least",),
)
ATTENTION_AT_THE_START = Exactly(
    (exact.attention_at_the_start,),
    r"$\frac1K\leq\mathrm{Attn}_k\leq\frac3K$ up to the time $\frac{2K^2}{3\eta\sigma_f^2}$, which is at "
    r"least $\frac{CK\log K}{\eta\sigma_f^2}$ for $C\leq\sqrt{K/2}$: `least`, `most`, `share` and `twice` "
    "stand for the 1, 3, 2/3 and 2.",
    ({"least": Fraction(3, 2)}, {"most": Fraction(5, 2)}, {"share": Fraction(3, 4)}, {"twice": 1}),
    "LDL:L4.attn",
    ((1,), (0, 2, 3)),
    ("twice",),
)
ATTENTION_IN_PHASE_2 = Exactly(
    (exact.attention_from_one_half, exact.speed_of_the_attention),
    r"from $\mathrm{Attn}_k=\frac12$ on it is at least `least` = 1/2 times $\frac1{1+\delta}$, and its "
    "speed has the `sign` 1.",
    (HALF, {"sign": -1}),
    "LDL:L6.1",
    ((0,), (1,)),
)
OTHER_ATTENTION = Exactly(
    (exact.other_attention,),
    r"$\mathrm{Attn}_n=\frac{1-\mathrm{Attn}_k}{K-1}$ is between `least` = 1 and `most` = 2 times "
    r"$\frac{1-\mathrm{Attn}_k}K$.",
    ({"least": Fraction(3, 2)}, {"most": Fraction(3, 2)}),
    "LDL:L6.3",
    ((0,), (1,)),
)
EVERY_REST = Exactly(
    (exact.every_rest,),
    r"training passes the gap $\log((K-1)\frac{1-a}a)$, which leaves $1-\mathrm{Attn}_k=a$, for every $a$ "
    r"below $1-\frac1K$; `whole` stands for the 1.",
    ({"whole": 2},),
    "LDL:L7.prem",
    ((0,),),
)
TIME_OF_THE_ORDER = Exactly(
    (exact.time_of_the_order,),
    r"for $K\geq3$ the time to $1-\mathrm{Attn}_k=a\leq\frac12$ is between `least` = 1/6 and `most` = 3/2 "
    r"times $\frac1{\eta\sigma_f^2}(K^2+\frac K{a^2})$.",
    ({"least": Fraction(1, 4)}, {"most": 1}),
    "LDL:L8.1",
    ((0, 1), (2,)),
)
