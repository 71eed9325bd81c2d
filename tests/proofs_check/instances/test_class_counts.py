"""The exact probability of the numbers of tokens of each class, against every prompt by itself."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from proofs_check.instances.class_counts import all_within, balanced

LAWS = ([Fraction(1, 2)] * 2, [Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)])


@pytest.mark.parametrize("p", LAWS, ids=len)
@pytest.mark.parametrize("delta", [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)])
def test_every_prompt_is_counted(p: list[Fraction], delta: Fraction) -> None:
    N, found = 6, Fraction(0)
    for prompt in product(range(len(p)), repeat=N):
        if all(abs(Fraction(prompt.count(k), N) - p[k]) <= delta for k in range(len(p))):
            found += prod(p[k] for k in prompt)
    assert all_within(p, N, delta) == found


def test_balance_is_likely_in_long_prompts_only() -> None:
    assert balanced(3, 2) == 0
    assert balanced(3, 100) > Fraction(99, 100) > balanced(3, 20)
