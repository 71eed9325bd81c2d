"""Attack the kernel of derivations at length: ``python -m benchmarks.kernel_soundness [seeds]
[--first N]``.

Run it from the root of a checkout. For each seed random derivations are made and their theorems
evaluated in finite worlds, and every step of every stored derivation is evaluated in one more
world. It prints what fails at once, and exits with 1 if anything did.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tests.numerics.derivations.attacks.random_proofs import false_theorems
from tests.numerics.derivations.test_replay import replayed, steps


def main(arguments: list[str] | None = None) -> int:
    """Run the attacks and print what was tried."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", type=int, nargs="?", default=100)
    parser.add_argument("--first", type=int, default=1_000, help="the first seed")
    options = parser.parse_args(arguments)
    start, faults = time.perf_counter(), 0
    rules: Counter[str] = Counter()
    stored: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.seeds):
        found, tried = false_theorems(seed, 120)
        rules += tried
        try:
            stored.update(replayed(seed).values())
        except AssertionError as fault:
            found.append(str(fault))
        for fault in found:
            print(f"FAULT at seed {seed}: {fault}", flush=True)
        faults += len(found)
    print(f"{options.seeds} seeds in {time.perf_counter() - start:.0f} s, false: {faults}")
    print(f"random derivations, theorems times worlds by rule: {dict(rules.most_common())}")
    print(f"{len(steps())} steps of stored derivations, steps times worlds: {dict(stored)}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
