"""Write spread_moments.json: E D^2, E Sc and E[D pi_2] to 20 digits (by hand; some minutes). For
scores sqrt(s) g_k with weights p: gbar = sum p g, D = sum p (g - gbar)^2 - 1, Sc = sum p^2 (g -
gbar)^2. The power sums of the weights come from M(v) as in `make_softmax_moments`; the means are
the polynomials in them that Stein's lemma gives (OURS:R4.Q), in 45 digits, with two unrelated
steps.
"""

import json
import sys
from fractions import Fraction
from math import factorial
from pathlib import Path

from make_softmax_moments import shifted
from mpmath import mp, mpf

DIGITS, AGREE = 20, mpf("1e-21")
S = ["1e-12", "1e-6", "0.25", "1", "4", "9", "16", "36", "64"]
L = ["1", "2", "3", "10", "100", "1e3", "1e6", "1e12", "1e20", "1e100"]
KEYS = [(2,), (3,), (2, 2), (4,), (2, 3), (2, 2, 2), (5,), (2, 4), (3, 3), (2, 2, 3), (2, 2, 2, 2)]


def partitions(powers):
    """Block sums of every way in which the factors can fall on the same tokens."""
    if not powers:
        return [[]]
    out = []
    for blocks in partitions(powers[1:]):
        out.append([powers[0], *blocks])
        out += [[b + powers[0] * (i == j) for j, b in enumerate(blocks)] for i in range(len(blocks))]
    return out


def power_sums(s, lengths, h):
    """{L: [E pi_a pi_b ... for every key]} with step h."""
    f, M = shifted(s, h)
    log_L, tau = mp.log(max(lengths)), mp.sqrt(s)
    rare = 3 * log_L + 75
    lo = -(rare / 2 + s) if 2 * s <= rare else -tau * mp.sqrt(2 * rare)
    hi = 5 + tau * mp.sqrt(150)
    rows = []
    for i in range(int(lo / h), int(hi / h) + 1):
        v = i * h
        log_M0 = mp.log1p(-f.one_minus_M(i)) if v < 0 else mp.log(M(0, i))
        rows.append([log_M0] + [None] + [mp.exp(k * v + k * k * s / 2) * M(k, i) for k in range(2, 9)])
    products = {}
    for key in KEYS:
        for blocks in map(sorted, partitions(key)):
            if tuple(blocks) not in products:
                products[tuple(blocks)] = [mp.fprod(r[b] for b in blocks) for r in rows]
    out = {}
    for n in lengths:
        others = {j: [mp.exp((n - j) * r[0]) for r in rows] if n >= j else None for j in range(1, 5)}
        sums = {}
        for blocks, values in products.items():
            j = len(blocks)
            tokens = mp.fprod(n - i for i in range(j))
            sums[blocks] = h * tokens * mp.fdot(others[j], values) if tokens > 0 else mpf(0)
        out[n] = [
            mp.fsum(sums[tuple(sorted(b))] for b in partitions(key)) / factorial(sum(key) - 1) for key in KEYS
        ]
    return out


def spread(s, moments):
    P2, P3, Q, P4, P23, P222, P5, P24, P33, P223, P2222 = moments
    D2 = 2 * P2 + 3 * Q - 4 * P3 + s * (4 * P2 + 36 * Q - 64 * P3 + 192 * P4 - 288 * P23 + 120 * P222)
    D2 += (
        s
        * s
        * (P2 + 27 * Q - 62 * P3 + 594 * P4 - 680 * P23 + 240 * P222 - 1580 * P5 + 2480 * P24 + 1020 * P33)
    )
    D2 += s * s * (840 * P2222 - 2880 * P223)
    Sc = P2 - 2 * P3 + Q + s * (P2 + 7 * Q - 14 * P3 + 38 * P4 - 52 * P23 + 20 * P222)
    return D2, Sc, -Q + s * (4 * P3 - 4 * Q - 20 * P4 + 40 * P23 - 20 * P222)


def main(path):
    mp.dps = 45
    lengths = [mpf(int(Fraction(x))) for x in L]
    rows = []
    for name in S:
        s = mpf(name)
        steps = [
            s / (mp.ceil(11 * s) + more) if s >= mpf("0.09") else mpf("0.125") / (1 + more / 4)
            for more in (mpf(0), mpf(1))
        ]
        table, again = ({n: spread(s, m) for n, m in power_sums(s, lengths, h).items()} for h in steps)
        worst = max(
            abs(a - b) / (abs(a) + (n == 1)) for n in lengths for a, b in zip(table[n], again[n], strict=True)
        )
        print(f"s = {name}: the two steps differ by {mp.nstr(worst, 2)}", flush=True)
        if worst > AGREE:
            raise SystemExit("the two steps disagree; nothing is written")
        for n, text in zip(lengths, L, strict=True):
            exact = (mpf(1), mpf(0), mpf(-1)) if n == 1 else table[n]
            D2, Sc, D_pi2 = (mp.nstr(x, DIGITS) for x in exact)
            rows.append({"s": name, "L": text, "D2": D2, "Sc": Sc, "D_pi2": D_pi2})
    Path(path).write_text("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("spread_moments.json"))
