"""Attack the prover with random inequalities: ``python -m benchmarks.soundness [statements] [--seed
N] [--effort N]``.

Run it from the root of a checkout. It prints how many statements came out with each verdict, how
long that took, and every verdict that the attack (`tests/numerics/provers/attack.py`) shows to be
false; it exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from tests.numerics.provers import attack
from tests.numerics.provers.generation import statements

BLOCK = 100


def main(arguments: list[str] | None = None) -> int:
    """Run the attack and print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("statements", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", type=int, default=0, help="another seed is another family of statements")
    parser.add_argument("--effort", type=int, default=40_000, help="steps after which the prover gives up")
    options = parser.parse_args(arguments)
    verdicts: Counter[str] = Counter()
    spent: Counter[str] = Counter()
    faults, start = [], time.perf_counter()
    for block in range(-(-options.statements // BLOCK)):
        source, rng = statements(10**6 * (options.seed + 1) + block), random.Random(block)
        for _ in range(min(BLOCK, options.statements - block * BLOCK)):
            st, began = next(source), time.perf_counter()
            try:
                evidence = st.ask(options.effort)
                verdict = str(evidence.verdict)
            except ValueError:
                evidence, verdict = None, "refused"
            verdicts[verdict] += 1
            spent[verdict] += time.perf_counter() - began
            found = attack.fault(st, evidence, rng) if evidence is not None else ""
            if found:
                faults.append(found)
                print(f"FALSE: {found}", flush=True)
        if sys.stderr.isatty():
            print(f"\r{sum(verdicts.values())} statements, {len(faults)} false", end="", file=sys.stderr)
    total = sum(verdicts.values())
    print(f"{'verdict':<12}{'statements':>12}{'share':>9}{'ms each':>9}")
    for name, count in verdicts.most_common():
        print(f"{name:<12}{count:>12}{count / total:>9.2%}{1000 * spent[name] / count:>9.1f}")
    print(f"{total} statements in {time.perf_counter() - start:.0f} s (seed {options.seed}); false verdicts: {len(faults)}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
