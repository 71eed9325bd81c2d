"""Places the nodes of a directed graph in layers from top to bottom, with few crossings and short
edges, by the method of Sugiyama, Tagawa and Toda (1981). Its last step is exact: within a layer the
squared distances from where the neighbours want a node are minimised under the order and the gaps,
which is an isotonic regression.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Layout", "isotonic", "layered"]

Point = tuple[float, float]
#: A node, or the place where the edges of a node cross a layer further down.
Key = tuple[str, int]


@dataclass(frozen=True)
class Layout:
    """Centres of the nodes, corners of the edges (from the upper to the lower end), and the size of
    it all.
    """

    centres: Mapping[str, Point]
    routes: Mapping[tuple[str, str], Sequence[Point]]
    width: float
    height: float


def isotonic(targets: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The nondecreasing sequence nearest to the targets in weighted squares, by pooling adjacent
    violators.
    """
    pools: list[tuple[float, float, int]] = []
    for target, weight in zip(targets, weights):
        value, count = target, 1
        while pools and pools[-1][0] > value:
            above, heavy, many = pools.pop()
            value = (above * heavy + value * weight) / (heavy + weight)
            weight += heavy
            count += many
        pools.append((value, weight, count))
    return [value for value, _, count in pools for _ in range(count)]


def layered(
    sizes: Mapping[str, Point],
    edges: Iterable[tuple[str, str]],
    *,
    widest: float = 1200.0,
    gap: Point = (22.0, 46.0),
) -> Layout:
    """Lay a graph out whose nodes have these widths and heights; their order breaks every tie, so
    that equal graphs look alike. Of a circle, one edge is turned; a layer is no wider than
    `widest`; the gaps are those between neighbours and between layers.
    """
    given = list(dict.fromkeys((u, v) for u, v in edges if u != v and u in sizes and v in sizes))
    forward = _acyclic(list(sizes), given)
    level = _levels(sizes, forward, widest, gap[0])
    layers, links = _proper(sizes, forward, level)
    layers = _few_crossings(layers, links)
    x = _abscissae(layers, links, sizes, gap[0])
    tall = [max((sizes[n][1] for n, at in layer if at == level[n]), default=0.0) for layer in layers]
    y, top = [], 0.0
    for i, height in enumerate(tall):
        y.append(top + height / 2)
        crowd = len({(u, v) for u, v in links if u in set(layers[i])})
        top += height + gap[1] + min(2.2 * crowd, 70.0)
    ways = [x[u, i] for u, v in forward for i in range(level[u] + 1, level[v])]
    left = min([x[n, level[n]] - w / 2 for n, (w, _) in sizes.items()] + ways, default=0.0)
    centres = {n: (x[n, level[n]] - left, y[level[n]]) for n in sizes}
    routes = {}
    for u, v in given:
        a, b = (u, v) if (u, v) in forward else (v, u)
        # Straight through the layers between, so that an edge bends only where there are no nodes.
        inner = [
            (x[a, i] - left, y[i] + side * tall[i] / 2)
            for i in range(level[a] + 1, level[b])
            for side in (-1, 1)
        ]
        start, end = (
            (centres[a][0], centres[a][1] + sizes[a][1] / 2),
            (centres[b][0], centres[b][1] - sizes[b][1] / 2),
        )
        routes[u, v] = [start, *inner, end] if a == u else [start, *inner, end][::-1]
    across = [p[0] for route in routes.values() for p in route]
    right = max([c[0] + sizes[n][0] / 2 for n, c in centres.items()] + across, default=0.0)
    return Layout(centres, routes, right, y[-1] + tall[-1] / 2 if y else 0.0)


def _acyclic(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """The edges, few of them turned so that no circle is left (Eades, Lin and Smyth 1993)."""
    above = {n: {u for u, v in edges if v == n} for n in nodes}
    below = {n: {v for u, v in edges if u == n} for n in nodes}
    left = dict.fromkeys(nodes)
    first: list[str] = []
    last: list[str] = []
    while left:
        sink = next((n for n in reversed(left) if not below[n]), None)
        source = next((n for n in left if not above[n]), None)
        chosen = sink or source or max(left, key=lambda n: len(below[n]) - len(above[n]))
        (last if chosen == sink else first).append(chosen)
        del left[chosen]
        for n in left:
            above[n].discard(chosen)
            below[n].discard(chosen)
    rank = {n: i for i, n in enumerate([*first, *reversed(last)])}
    return {(u, v) if rank[u] < rank[v] else (v, u) for u, v in edges}


def _levels(
    sizes: Mapping[str, Point], edges: set[tuple[str, str]], widest: float, gap: float
) -> dict[str, int]:
    """Each node below all it comes from, in layers that are not too wide; then each as near to what
    follows as there is room.
    """
    above = {n: [u for u, v in sorted(edges) if v == n] for n in sizes}
    below = {n: [v for u, v in sorted(edges) if u == n] for n in sizes}
    level: dict[str, int] = {}
    used: dict[int, float] = {}
    waiting = list(sizes)
    order = []
    while waiting:
        # Of the nodes that are ready, the one whose parents were placed first: families stay
        # together.
        ready = [n for n in waiting if all(u in level for u in above[n])]
        for n in ready:
            at = max((level[u] + 1 for u in above[n]), default=0)
            while used.get(at, 0.0) + sizes[n][0] > widest and used.get(at, 0.0) > 0:
                at += 1
            level[n] = at
            used[at] = used.get(at, 0.0) + sizes[n][0] + gap
            order.append(n)
        waiting = [n for n in waiting if n not in level]
    for n in reversed(order):
        lowest = min((level[v] for v in below[n]), default=0) - 1
        for at in range(lowest, level[n], -1):
            if used.get(at, 0.0) + sizes[n][0] <= widest:
                used[level[n]] -= sizes[n][0] + gap
                used[at] = used.get(at, 0.0) + sizes[n][0] + gap
                level[n] = at
                break
    kept = {old: new for new, old in enumerate(sorted(set(level.values())))}
    return {n: kept[at] for n, at in level.items()}


def _proper(
    sizes: Mapping[str, Point], edges: set[tuple[str, str]], level: Mapping[str, int]
) -> tuple[list[list[Key]], list[tuple[Key, Key]]]:
    """Edges from layer to layer only; those that leave one node share their way down."""
    layers: list[list[Key]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for n in sizes:
        layers[level[n]].append((n, level[n]))
    links: dict[tuple[Key, Key], None] = {}
    rank = {n: i for i, n in enumerate(sizes)}
    for u, v in sorted(edges, key=lambda e: (rank[e[0]], rank[e[1]])):
        for at in range(level[u] + 1, level[v]):
            if (u, at) not in layers[at]:
                layers[at].append((u, at))
            links[(u, at - 1), (u, at)] = None
        links[(u, level[v] - 1), (v, level[v])] = None
    return layers, list(links)


def _neighbours(links: Sequence[tuple[Key, Key]]) -> tuple[dict[Key, list[Key]], dict[Key, list[Key]]]:
    up: dict[Key, list[Key]] = {}
    down: dict[Key, list[Key]] = {}
    for u, v in links:
        up.setdefault(v, []).append(u)
        down.setdefault(u, []).append(v)
    return up, down


def _crossings(layers: Sequence[Sequence[Key]], down: Mapping[Key, Sequence[Key]]) -> int:
    total = 0
    for upper, lower in pairwise(layers):
        place = {k: i for i, k in enumerate(lower)}
        ends = [place[v] for u in upper for v in sorted(down.get(u, ()), key=place.__getitem__)]
        total += sum(a > b for i, a in enumerate(ends) for b in ends[i + 1 :])
    return total


def _few_crossings(
    layers: list[list[Key]], links: Sequence[tuple[Key, Key]], sweeps: int = 24
) -> list[list[Key]]:
    """Sort each layer by the mean place of the neighbours, down and up in turn; keep the best."""
    up, down = _neighbours(links)
    best, fewest = [list(layer) for layer in layers], _crossings(layers, down)
    for sweep in range(sweeps):
        downwards = sweep % 2 == 0
        near = up if downwards else down
        steps = range(1, len(layers)) if downwards else range(len(layers) - 2, -1, -1)
        for i in steps:
            place = {k: j for j, k in enumerate(layers[i - 1 if downwards else i + 1])}
            here = {k: j for j, k in enumerate(layers[i])}
            scale = len(place) / max(len(here), 1)
            mean = {
                k: sum(place[n] for n in near[k]) / len(near[k]) if k in near else here[k] * scale
                for k in here
            }
            layers[i] = sorted(layers[i], key=lambda k: (mean[k], here[k]))
        now = _crossings(layers, down)
        if now < fewest:
            best, fewest = [list(layer) for layer in layers], now
    return best


def _abscissae(
    layers: Sequence[Sequence[Key]],
    links: Sequence[tuple[Key, Key]],
    sizes: Mapping[str, Point],
    gap: float,
    sweeps: int = 60,
) -> dict[Key, float]:
    up, down = _neighbours(links)
    real = {
        k for i, layer in enumerate(layers) for k in layer if not any(k[0] == u[0] for u in up.get(k, ()))
    }
    half = {k: sizes[k[0]][0] / 2 if k in real else 3.0 for layer in layers for k in layer}
    x: dict[Key, float] = {}
    for layer in layers:
        at = 0.0
        for k in layer:
            x[k] = at + half[k]
            at += 2 * half[k] + gap
        for k in layer:
            x[k] -= at / 2
    for sweep in range(sweeps):
        order = layers if sweep % 2 == 0 else layers[::-1]
        for layer in order:
            if not layer:
                continue
            shift, offsets = 0.0, []
            for before, k in zip([None, *layer], layer):
                shift += 0.0 if before is None else half[before] + half[k] + gap
                offsets.append(shift)
            wanted, weights = [], []
            for k in layer:
                near = up.get(k, []) + down.get(k, [])
                # A way down should be straight.
                pull = {
                    n: 8.0
                    if n[0] == k[0] and k not in real and n not in real
                    else 2.0
                    if n[0] == k[0]
                    else 1.0
                    for n in near
                }
                weight = sum(pull.values())
                wanted.append(sum(x[n] * p for n, p in pull.items()) / weight if near else x[k])
                weights.append(weight or 0.2)
            fitted = isotonic([w - o for w, o in zip(wanted, offsets)], weights)
            for k, value, offset in zip(layer, fitted, offsets):
                x[k] = value + offset
    return x
