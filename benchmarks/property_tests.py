"""Best ratios of the worst-case search beside those of property tests, statement by statement:
`python -m benchmarks.property_tests [ID ...]`.

Of the search it shows the best of each family and of the hostile cases; a ratio is left side over
right side without its constant. "+" marks what property tests found beyond the search.
"""

import sys
import time
from collections.abc import Iterator

from numerics.counterexamples.drawn.averages import AverageBound
from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.worst_case.edge_cases import worst_edge_case
from numerics.counterexamples.worst_case.families import THREE_ATOMS, TWO_ATOMS
from numerics.counterexamples.worst_case.reference import StatisticBound
from numerics.counterexamples.worst_case.worst_average import best_by_length
from numerics.evidence import Evidence
from numerics.seeds import seeded
from proofs_check.core.judging import load_claims

EXAMPLES = (100, 2000)


def bounds(evidence: Evidence) -> Iterator[StatisticBound]:
    """The bounds on statistics of the prompt that were judged."""
    yield from dict.fromkeys(s for s in evidence.sides if isinstance(s, StatisticBound))


if __name__ == "__main__":
    print(
        f"{'claim':24}{'two atoms':>18}{'three atoms':>18}{'hostile':>12}"
        + "".join(f"{f'{n} examples':>16}{'s':>6}" for n in EXAMPLES)
    )
    for id, claim in load_claims().items():
        if (sys.argv[1:] and id not in sys.argv[1:]) or "worst_ratio" not in claim.check.__code__.co_names:
            continue
        with seeded(id):
            for bound in bounds(claim(**claim.repair)):
                tried = AverageBound(bound)
                best = [best_by_length(tried.normal.statement, family) for family in (TWO_ATOMS, THREE_ATOMS)]
                tops = [max(b.items(), key=lambda item: item[1]) for b in best]
                hostile = worst_edge_case(tried.normal.statement, float(tried.normal.limit)).ratio
                known = max(hostile, *(ratio for _, ratio in tops))
                line = (
                    f"{id:24}" + "".join(f"{ratio:10.5g} L={L:<5}" for L, ratio in tops) + f"{hostile:12.5g}"
                )
                for n in EXAMPLES:
                    start = time.perf_counter()
                    found = holds(tried, examples=n)
                    ratio = float(tried.normal.limit) / found.slack if found.slack else 0.0
                    more = "+" if ratio > known * 1.0001 else " "
                    line += f"{ratio:15.5g}{more}{time.perf_counter() - start:6.1f}"
                print(line, flush=True)
