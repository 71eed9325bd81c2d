"""Attack the provers with random statements: ``python -m benchmarks.soundness [statements]
[--generator first] [--seed N] [--effort N] [--deep N] [--blind]``.

Run it from the root of a checkout. Each of the generators (`tests/numerics/provers/generation`, and
three of `tests/numerics/provers/soundness`) makes the same number of statements. One statement in
ten, and every second one of the fourth generator, is asked with so many steps that the last engines
are tried, too. Every verdict that an attack shows to be false, and every crash, is printed at once;
at last come the numbers of statements by verdict and by what they attack. It exits with 1 if there
was a false verdict or a crash.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from contextlib import nullcontext
from itertools import cycle, islice

from tests.numerics.provers.soundness.running import ATTACKS, blind

BLOCK = 100
#: Of how many statements one is asked with many steps: those of the fourth generator need them.
DEEP_EVERY = {"fourth": 2}


def main(arguments: list[str] | None = None) -> int:
    """Run the attacks and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("statements", type=int, nargs="?", default=100_000)
    parser.add_argument("--generator", choices=[*ATTACKS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=0, help="another seed is another family of statements")
    parser.add_argument("--effort", type=int, default=8_000, help="steps after which the prover gives up")
    parser.add_argument("--deep", type=int, default=100_000, help="the same where all engines are attacked")
    parser.add_argument(
        "--blind", action="store_true", help="look for no counterexample, so that proofs alone are attacked"
    )
    options = parser.parse_args(arguments)
    chosen = list(ATTACKS) if options.generator == "all" else [options.generator]
    faults = 0
    for n, name in enumerate(chosen):
        count = options.statements // len(chosen) + (n < options.statements % len(chosen))
        with blind() if options.blind else nullcontext():
            faults += _attack(name, count, options.seed, (options.effort, options.deep))
    return 1 if faults else 0


def _attack(name: str, count: int, seed: int, steps: tuple[int, int]) -> int:
    """Run one generator and print its table; the number of faults."""
    effort, deep = steps
    verdicts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    faults, start = 0, time.perf_counter()
    for block in range(-(-count // BLOCK)):
        efforts = cycle((deep, *[effort] * (DEEP_EVERY.get(name, 10) - 1)))
        source = ATTACKS[name](10**6 * (seed + 1) + block, efforts)
        for result in islice(source, min(BLOCK, count - block * BLOCK)):
            verdicts[result.verdict] += 1
            kinds.update(result.kinds)
            if result.fault:
                faults += 1
                print(f"FAULT: {result.fault}", flush=True)
        if sys.stderr.isatty():
            print(
                f"\r{name} generator: {sum(verdicts.values())} statements, {faults} faults",
                end="",
                file=sys.stderr,
            )
    print(
        f"{name} generator: {count} statements in {time.perf_counter() - start:.0f} s (seed {seed}), false "
        f"or crashed: {faults}"
    )
    for title, counter in (("verdict", verdicts), ("what is attacked", kinds)):
        print(f"  {title:<32}{'statements':>12}{'share':>9}")
        for key, number in counter.most_common():
            print(f"  {key:<32}{number:>12}{number / count:>9.2%}")
    return faults


if __name__ == "__main__":
    raise SystemExit(main())
