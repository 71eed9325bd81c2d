"""Runs the attacks alike: asks the prover, and says the verdict and what is wrong with it."""

import random
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice, repeat
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from numerics.provers import inequalities
from numerics.provers.doors import FAULT, refusal
from tests.numerics.provers import attack, generation
from tests.numerics.provers.soundness import generator

__all__ = ["ATTACKS", "Result", "attacked", "blind", "no_false_verdict"]


@contextmanager
def blind() -> Iterator[None]:
    """Let `forall` look for no counterexample inside the block: its proofs are attacked alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            inequalities, "scan", lambda st, scan=inequalities.scan: replace(scan(st), witness=None)
        )
        patch.setattr(inequalities._Run, "keep", lambda self, point: False)
        yield


@dataclass(frozen=True)
class Result:
    """`fault` is empty unless the verdict is false or there is none; counted for each kind."""

    verdict: str
    fault: str
    kinds: frozenset[str]


def attacked(st: Any, effort: int, judge: Callable[[Any], str], kinds: frozenset[str]) -> Result:
    try:
        answer = st.ask(effort)
    except Exception as error:  # whatever is raised without a word of ours is a crash, and is reported as one
        if refusal(error) and FAULT not in str(error):
            return Result("refused", "", kinds)
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        return Result("crash", f"{type(error).__name__} at {where}, {error}: {st}", kinds)
    if getattr(answer, "reason", "").startswith(FAULT):
        return Result("crash", f"{answer.reason}: {st}", kinds)
    return Result(answer.verdict.value if hasattr(answer, "verdict") else "a ball", judge(answer), kinds)


def _first(seed: int, efforts: Iterable[int]) -> Iterator[Result]:
    rng = random.Random(seed)
    for st, effort in zip(generation.statements(seed), efforts):
        parts = sp.preorder_traversal(st.big - st.small)
        heads = {type(a).__name__ for a in parts if isinstance(a, (sp.Function, sp.Max, sp.Min))}
        heads |= {"hypotheses"} if st.where else set()
        heads |= {"integers"} if any(r.integer for r in st.ranges.values()) else set()
        kinds = frozenset(heads or {"polynomials and roots"})
        yield attacked(st, effort, lambda e, st=st: attack.fault(st, e, rng), kinds)


def _judging_themselves(source):
    def results(seed: int, efforts: Iterable[int]) -> Iterator[Result]:
        rng = random.Random(seed)
        for (family, st), effort in zip(source(seed), efforts):
            yield attacked(st, effort, lambda e, st=st: st.fault(e, rng), frozenset({family}))

    return results


#: For each generator, its statements from a seed on, each asked with an effort and judged.
ATTACKS: dict[str, Callable[[int, Iterable[int]], Iterator[Result]]] = {
    "first": _first,
    "second": _judging_themselves(generator.statements),
    "third": _judging_themselves(generator.near_ties),
    "fourth": _judging_themselves(generator.near_misses),
}


def no_false_verdict(
    name: str, seed: int, effort: int, refused: int, refuted: int, accepted: int, shrugs: int = 25
) -> set[str]:
    """The kinds of a hundred statements. A prover that shrugs, or refuses all, is sound as well."""
    results = list(islice(ATTACKS[name](seed, repeat(effort)), 100))
    assert [r.fault for r in results if r.fault] == []
    found = Counter(r.verdict for r in results)
    assert found["OPEN"] <= shrugs, found
    assert found["refused"] <= refused, found
    assert found["REFUTED"] >= refuted, found
    assert found["PROVED"] + found["CERTIFIED"] >= accepted, found
    return {kind for r in results for kind in r.kinds}
