"""The layout of graphs: edges run downwards, boxes do not touch, and equal graphs look alike."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_check.reports.documents.blueprint.layout import isotonic, layered

pairs_of = lambda n: st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=20)
graphs = st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), pairs_of(n)))


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0.2, 4)), min_size=1, max_size=7))
def test_isotonic_regression_by_the_formula_of_minima_and_maxima(pairs):
    targets, weights = np.array(pairs).T
    count = len(pairs)
    mean = lambda a, b: float(np.average(targets[a:b], weights=weights[a:b]))
    least = lambda a, i: min(mean(a, b) for b in range(i + 1, count + 1))
    expected = [max(least(a, i) for a in range(i + 1)) for i in range(count)]
    assert np.allclose(isotonic(targets.tolist(), weights.tolist()), expected)


@settings(deadline=None)
@given(graphs)
def test_edges_run_downwards_and_boxes_keep_apart(graph):
    count, pairs = graph
    sizes = {f"n{i}": (60.0 + 5 * i, 40.0) for i in range(count)}
    edges = [(f"n{u}", f"n{v}") for u, v in pairs if u < v]  # no circles
    found = layered(sizes, edges, widest=300)
    for u, v in edges:
        assert found.centres[u][1] + 40 < found.centres[v][1]
        assert found.routes[u, v][0] == (found.centres[u][0], found.centres[u][1] + 20)
        assert found.routes[u, v][-1] == (found.centres[v][0], found.centres[v][1] - 20)
    for a, b in combinations(sizes, 2):
        apart = abs(found.centres[a][0] - found.centres[b][0]) >= (sizes[a][0] + sizes[b][0]) / 2
        assert apart or abs(found.centres[a][1] - found.centres[b][1]) >= 40
    for x, y in (place for route in found.routes.values() for place in route):
        assert 0 <= x <= found.width
        assert 0 <= y <= found.height


@settings(deadline=None)
@given(graphs)
def test_circles_are_drawn_too_and_twice_the_same(graph):
    count, pairs = graph
    sizes = {f"n{i}": (60.0, 40.0) for i in range(count)}
    edges = [(f"n{u}", f"n{v}") for u, v in pairs]
    found = layered(sizes, edges)
    assert set(found.routes) == {e for e in edges if e[0] != e[1]}
    assert layered(sizes, edges) == found


def test_few_crossings_where_none_are_needed():
    sizes = dict.fromkeys("abcxyz", (40.0, 20.0))
    found = layered(sizes, [("a", "z"), ("b", "y"), ("c", "x")])
    above = sorted("abc", key=lambda n: found.centres[n][0])
    partner = {"a": "z", "b": "y", "c": "x"}
    assert [partner[n] for n in above] == sorted("xyz", key=lambda n: found.centres[n][0])


def test_nothing_is_a_graph():
    assert layered({}, []).width == 0
