"""Makes ``reference_losses.json`` with FLINT at 192 bits, in some minutes, as ``python -m``. It
shares no code with the package: spectra from integrals of the classes' correlations, the law of a
token by Gauss's rule in the angle, the integral over v by trapezoids, all with other nodes than the
kernel.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from flint import arb, arb_mat, ctx

TABLE = Path(__file__).with_name("reference_losses.json")
ctx.prec = 192
#: Of a class and a noise the rows of d, n and w.
CASES: dict[tuple[str, float], tuple[tuple[int, int, float], ...]] = {
    ("affine", 0.01): ((2, 2, 0.5), (3, 2, 30.0), (3, 20, 2.0), (5, 3, 8.0), (10, 20, 5.0)),
    ("affine", 0.0): ((3, 1000, 50.0), (5, 10**5, 20.0), (2, 10**6, 1e3), (10, 10**6, 40.0), (8, 200, 1.0)),
    ("relu", 0.01): ((2, 2, 1.0), (3, 20, 3.0), (5, 20, 3.4), (5, 200, 8.0), (10, 50, 6.0)),
    ("relu", 0.0): (
        *((5, 10**5, 30.0), (3, 10**6, 300.0), (2, 10**4, 100.0), (2, 10**5, 1.0), (6, 1000, 0.01)),
        (7, 3, 12.0),
    ),
    ("cosine6", 0.01): ((2, 2, 0.5), (3, 3, 4.0), (5, 200, 5.0), (5, 20, 0.0), (10, 1000, 9.0)),
    ("cosine6", 0.0): ((2, 10**6, 1000.0), (3, 10**5, 100.0), (4, 500, 20.0), (5, 10**6, 60.0), (9, 10, 2.0)),
    ("own", 0.25): ((2, 3, 10.0), (3, 2, 1e-3), (4, 10, 5.0), (5, 50, 0.3), (10, 10**6, 100.0)),
    ("own", 0.0): ((2, 10**5, 500.0), (3, 10**6, 1000.0), (5, 7, 20.0), (6, 10**4, 25.0), (8, 1, 3.0)),
}
#: Class, d, n, w, noise.
ROWS = [(name, *row, noise) for (name, noise), rows in CASES.items() for row in rows]
#: b_0, b_1, ... of the class "own".
OWN = (0.1, 0.0, 0.5, 0.0, 0.25, 0.125)


def correlation(name: str, d: int) -> Callable[[arb], arb]:
    """rho as a function of the angle, of a class that is no polynomial."""
    if name == "relu":
        return lambda a: (1 + (a.sin() + (arb.pi() - a) * a.cos()) / (arb.pi() * d)) / 3
    # The mean of cos(L u'y) over the sphere is 0F1(d/2; -L^2 |y|^2/4), at the half sum and the
    # half difference of the two points.
    mean = lambda square: (-square * 9).hypgeom_0f1(arb(d) / 2)
    return lambda a: (mean(4 * (a / 2).sin() ** 2) + mean(4 * (a / 2).cos() ** 2)) / 2


def rule(pieces: int, nodes: int, low: arb, high: arb) -> list[tuple[arb, arb]]:
    out = []
    half = (high - low) / (2 * pieces)
    for i in range(nodes):
        y, p = arb.legendre_p_root(nodes, i, weight=True)
        out += [(low + half * (2 * j + 1 + y), half * p) for j in range(pieces)]
    return out


def columns(d: int, angles: list[arb], degrees: int) -> list[list[arb]]:
    """P_0, P_1, ... at each angle; midpoints go on, as the radii of the balls grow like a power."""
    out = []
    for a in angles:
        t = a.cos()
        row = [arb(1), t]
        for k in range(1, degrees):
            row.append((((2 * k + d - 2) * t * row[k] - k * row[k - 1]) / (k + d - 2)).mid())
        out.append(row[: degrees + 1])
    return out


def spectrum(name: str, d: int, degrees: int) -> list[arb]:
    """b_0, b_1, ..., and as the last entry the sum of all others."""
    if name == "affine":
        return [arb(1) / 3, arb(1) / (3 * d), arb(0)]
    if name == "own":
        return [*map(arb, OWN), arb(0)]
    rho, nodes = correlation(name, d), rule(max(4, degrees // 12), 40, arb(0), arb.pi())
    P = columns(d, [a for a, _ in nodes], degrees)
    weights = [p * a.sin() ** (d - 2) for a, p in nodes]
    values = [rho(a) for a, _ in nodes]
    b = []
    for k in range(degrees + 1):
        top, below = arb(0), arb(0)
        for j, weight in enumerate(weights):
            top += weight * values[j] * P[j][k]
            below += weight * P[j][k] ** 2
        b.append(top / below)
    return [*b, rho(arb(0)) - sum(b, arb(0))]


def loss(name: str, d: int, n: int, w: float, noise: float) -> arb:
    """The loss by our R13; the integral over v ends where no token is left."""
    if n == 1:
        b = spectrum(name, d, 0)
        return 2 * (sum(b, arb(0)) - b[0]) + arb(noise)
    last = min(4 * w + 8.0, 4 * w * min(1.0, (70.0 / n) ** (2 / (d - 1)) * 3) + 12.0)
    degrees = 6 if name in ("affine", "own") else min(400, 60 + int(16 * math.sqrt(w * max(1.0, last))))
    b = spectrum(name, d, degrees)
    far = min(4 * w, last + 60.0)
    largest = arb.pi() if far >= 4 * w else 2 * (arb(far) / (4 * arb(w))).sqrt().asin()
    pieces = max(6, int(far / 2), int(2.0 * math.sqrt(max(w, 1.0)) * float(largest)))
    nodes = rule(pieces, 24, arb(0), largest)
    area = sum((p * a.sin() ** (d - 2) for a, p in rule(4, 60, arb(0), arb.pi())), arb(0))
    omega = [p * a.sin() ** (d - 2) / area for a, p in nodes]
    beyond = 1 - sum(omega, arb(0))
    x = [4 * arb(w) * (a / 2).sin() ** 2 for a, _ in nodes]
    P = columns(d, [a for a, _ in nodes], len(b) - 2)
    gaps = [[1 - value for value in row[1:]] for row in P]
    if name in ("relu", "cosine6"):
        rho = correlation(name, d)
        top = rho(arb(0))
        s = [top - rho(a) for a, _ in nodes]
    else:
        s = [sum((b[k + 1] * gap for k, gap in enumerate(row)), arb(0)) for row in gaps]
    Q = arb_mat([[arb(1), s[j], *row] for j, row in enumerate(gaps)])
    v = np.arange(-math.log(n) - 50.0, last, 0.125)
    total = arb(0)
    for part in np.array_split(v, max(1, len(v) // 64)):
        single, double, masses = [], [], []
        for value in part:
            u = [(arb(float(value)) - y).exp() for y in x]
            e = [weight * (-y).exp() for weight, y in zip(omega, u)]
            masses.append(sum(e, arb(0)) + beyond)
            single.append([y * z for y, z in zip(u, e)])
            double.append([y * y * z for y, z in zip(u, e)])
        first, second = arb_mat(single) * Q, arb_mat(double) * Q
        for i, m in enumerate(masses):
            pairs = b[-1] * first[i, 0] ** 2 + sum(
                (b[k + 1] * first[i, k + 2] ** 2 for k in range(len(gaps[0]))), arb(0)
            )
            total += n * m ** (n - 1) * (2 * second[i, 1] + arb(noise) * second[i, 0])
            total += n * (n - 1) * m ** (n - 2) * pairs
    return total * arb(0.125)


if __name__ == "__main__":
    table = []
    for row in ROWS:
        found = loss(*row)
        assert found.rel_accuracy_bits() > 55, (row, found)
        table.append([*row, float(found)])
        print(*row, found.str(20), flush=True)
    TABLE.write_text(json.dumps(table, indent=0) + "\n")
