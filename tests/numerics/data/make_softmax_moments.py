"""Write softmax_moments.json: P2, P3, Q to 20 digits by mpmath (by hand; about half an hour).
Nothing is shared with `attention.quadrature` but 1/X^k = int r^{k-1} e^{-rX} dr / (k-1)!. Only M(v)
= E exp(-e^{v + y}), y ~ N(0, s), is tabulated; moments come by the tilt E[e^{k(v+y)} exp(-e^{v+y})]
= e^{kv + k^2 s/2} M(v + ks), in 45 digits and with two unrelated steps, which must agree to 22
digits.
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

from mpmath import mp, mpf

DIGITS, AGREE = 20, mpf("1e-22")
S = ["0", "1e-8", "1e-3", "0.1", "0.5", "1", "2", "4", "9", "16", "36", "64", "150", "400", "1000"]
L = ["1", "2", "3", "10", "100", "1e3", "1e6", "1e12", "1e20", "1e50", "1e100"]


class Laplace:
    """M and 1 - M at v = i * h, by a trapezoid sum over y with step h / fine."""

    def __init__(self, s, h):
        self.s, self.h = s, h
        self.fine = 1
        while h / self.fine > mp.sqrt(s) * mpf("0.35"):
            self.fine *= 2
        self.dy = h / self.fine
        self.weight = self.dy / mp.sqrt(2 * mp.pi * s)
        self._gauss, self._decay, self._rise = {}, {}, {}

    def _table(self, table, f, lo, hi):
        for j in range(lo, hi):
            if j not in table:
                table[j] = f(j * self.dy)
        return [table[j] for j in range(lo, hi)]

    def window(self, v, rise):
        """Indices of y outside of which the integrand is below e^-90 of its maximum."""
        reach = mp.sqrt(180 * self.s)
        lo = -mp.sqrt(v * v + 180 * self.s) if v > 0 else -reach
        hi = (self.s + reach) if rise else min(reach, mpf("4.8") - v)
        return int(mp.floor(lo / self.dy)), int(mp.ceil(hi / self.dy)) + 1

    def M(self, i):
        lo, hi = self.window(i * self.h, False)
        gauss = self._table(self._gauss, lambda y: mp.exp(-y * y / (2 * self.s)), lo, hi)
        decay = self._table(self._decay, lambda x: mp.exp(-mp.exp(x)), lo + i * self.fine, hi + i * self.fine)
        return self.weight * mp.fdot(gauss, decay)

    def one_minus_M(self, i):
        lo, hi = self.window(i * self.h, True)
        gauss = self._table(self._gauss, lambda y: mp.exp(-y * y / (2 * self.s)), lo, hi)
        rise = self._table(
            self._rise, lambda x: -mp.expm1(-mp.exp(x)), lo + i * self.fine, hi + i * self.fine
        )
        return self.weight * mp.fdot(gauss, rise)


def shifted(s, h):
    """M(v_i + k s): the same table if s is a multiple of h, else one of its own (s tiny)."""
    ratio = s / h
    if ratio == mp.nint(ratio):
        f, n = Laplace(s, h), int(ratio)
        cache = {}

        def M(k, i):
            j = i + k * n
            if j not in cache:
                cache[j] = f.M(j)
            return cache[j]

        return f, M
    f = Laplace(s, h)
    dy = mp.sqrt(s) * mpf("0.35")
    ys = [j * dy for j in range(-40, 41)]
    ws = [dy / mp.sqrt(2 * mp.pi * s) * mp.exp(-y * y / (2 * s)) for y in ys]
    f.one_minus_M = lambda i: mp.fdot(ws, [-mp.expm1(-mp.exp(i * h + y)) for y in ys])
    return f, lambda k, i: mp.fdot(ws, [mp.exp(-mp.exp(i * h + k * s + y)) for y in ys])


def moments(s, lengths, h):
    """{L: (P2, P3, Q)} for the given s > 0 with step h in v."""
    f, M = shifted(s, h)
    log_L = mp.log(max(lengths))
    tau = mp.sqrt(s)
    # M(v + ks) e^{kv + k^2 s/2} <= exp(av + a^2 s/2) for every a from 0 to k; the best a is taken
    rare = 3 * log_L + 75
    lo = -(rare / 2 + s) if 2 * s <= rare else -tau * mp.sqrt(2 * rare)
    hi = 5 + tau * mp.sqrt(150)
    grid = range(int(lo / h), int(hi / h) + 1)
    rows = []
    for i in grid:
        v = i * h
        log_M0 = mp.log1p(-f.one_minus_M(i)) if v < 0 else mp.log(M(0, i))
        rows.append([log_M0] + [mp.exp(k * v + k * k * s / 2) * M(k, i) for k in (2, 3, 4)])
    out = {}
    for n in lengths:
        one = [n * mp.exp((n - 1) * r[0]) for r in rows]
        P2 = h * mp.fdot(one, [r[1] for r in rows])
        P3 = h * mp.fdot(one, [r[2] for r in rows]) / 2
        Q = h * mp.fdot(one, [r[3] for r in rows]) / 6
        if n > 1:
            Q += h * n * (n - 1) * mp.fsum(mp.exp((n - 2) * r[0]) * r[1] ** 2 for r in rows) / 6
        out[n] = (P2, P3, Q)
    return out


def main(path):
    mp.dps = 45
    lengths = [int(Fraction(x)) for x in L]
    rows = []
    for name in S:
        s = mpf(name)
        if s == 0:
            table = {n: (mpf(1) / n, mpf(1) / n**2, mpf(1) / n**2) for n in lengths}
        else:
            # multiples of s where s >= 0.1, so that one table serves all shifts
            steps = [
                s / (mp.ceil(8 * s) + more) if s >= mpf("0.09") else mpf("0.125") / (1 + more / 4)
                for more in (mpf(0), mpf(1))
            ]
            table, again = (moments(s, [mpf(n) for n in lengths], h) for h in steps)
            worst = max(
                abs(a / b - 1) for n in lengths for a, b in zip(table[mpf(n)], again[mpf(n)], strict=True)
            )
            print(f"s = {name}: the two steps differ by {mp.nstr(worst, 2)}", flush=True)
            if worst > AGREE:
                raise SystemExit("the two steps disagree; nothing is written")
        for n, text in zip(lengths, L, strict=True):
            P2, P3, Q = (mp.nstr(x, DIGITS) for x in table[mpf(n) if s else n])
            rows.append({"s": name, "L": text, "P2": P2, "P3": P3, "Q": Q})
    Path(path).write_text("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("softmax_moments.json"))
