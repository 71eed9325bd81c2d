"""The answer for the heads of a model: beside simulations, for real prompts, and as it is shown."""

import csv
import io
import json
import math

import numpy as np
import pytest

from numerics import attention_heads, how_linear, read_model
from numerics.models.model import Model
from numerics.models.real_windows import real_windows
from numerics.models.tiny import tiny_model
from numerics.terminal.inputs import InputError
from tests.numerics.models.layers import REFERENCES, D, arrays_of, llama, rotate, save
from tests.numerics.models.needed import minilm

RNG = np.random.default_rng(11)


def simulated(keys, values, queries, L, prompts, rng):
    """Mean and standard error over prompts of the squared distance, on average over the queries,
    and the mean square of linear attention.
    """
    keys, values = keys - keys.mean(0), values - values.mean(0)
    linear = queries @ (keys.T @ values) / len(keys)
    squares = np.zeros((len(queries), prompts))
    for i, q in enumerate(queries):
        held = rng.integers(0, len(keys), (prompts, L))
        w = np.exp(keys @ q)[held]
        T = np.einsum("bl,blv->bv", w / w.sum(1, keepdims=True), values[held])
        squares[i] = ((T - linear[i]) ** 2).sum(1)
    error = np.sqrt((squares.var(1) / prompts).sum()) / len(queries)
    return squares.mean(), error, (linear**2).sum(1).mean()


def test_heads_of_minilm_are_those_of_a_simulation():
    model = read_model(minilm())
    weights, table = model.weights, model.table().astype(float)
    asking, rng = table[::5000], np.random.default_rng(1)
    lengths = [128, 512, 4096]
    found = attention_heads(model, lengths, layers=[3], heads=[0, 11], queries=asking)
    for head in found.heads:
        rows = slice(32 * head.head, 32 * head.head + 32)
        part = lambda name, x, head=head, rows=rows: (
            x @ weights[f"encoder.layer.{head.layer}.attention.self.{name}.weight"][rows].T.astype(float)
            + weights[f"encoder.layer.{head.layer}.attention.self.{name}.bias"][rows]
        )
        keys, values = part("key", table), part("value", table)
        queries = part("query", asking) / math.sqrt(32)
        for i, (L, prompts) in enumerate(zip(lengths, (200, 60, 20))):
            mean, error, size = simulated(keys, values, queries, L, prompts, rng)
            assert abs(head.relative_error[i] ** 2 * size - mean) < 3.5 * error


def test_one_query_has_the_answer_of_how_linear():
    model = tiny_model()
    table = model.table()
    found = attention_heads(model, [50, 1000], queries=table[3])
    for head in found.heads[1:3]:
        exact = how_linear(model.head(head.layer, head.head).setting(table, table[3]), [50, 1000])
        np.testing.assert_allclose(head.relative_error, exact.relative_error, rtol=1e-4)
        np.testing.assert_allclose(head.off_linear, exact.off_linear.value, rtol=1e-4)
        np.testing.assert_allclose(head.slope, exact.slope, atol=1e-3)
        assert head.needed == pytest.approx(exact.needed[0.1], rel=2e-3)
        assert head.standard_error.tolist() == [0.0, 0.0]


def test_a_length_is_told_where_the_limit_is_close():
    model = tiny_model(tokens=3000)
    quiet = attention_heads(model, [10], queries=0.1 * model.table()[:2]).heads
    assert all(math.isfinite(head.needed) for head in quiet)
    for head in quiet:
        before, after = head.needed - 1 - head.needed // 500, head.needed
        at = attention_heads(model, [before, after], queries=0.1 * model.table()[:2], layers=[head.layer])
        errors = next(one for one in at.heads if one.head == head.head).relative_error
        assert errors[1] <= 0.1 < errors[0]
    loud = attention_heads(model, [10], queries=20 * model.table()[:2]).heads
    assert all(head.needed == math.inf and head.off_linear > 0.1 for head in loud)


def test_frequencies_are_rows_that_stand_there_more_often():
    model = tiny_model()
    table = model.table()
    times = RNG.integers(0, 4, len(table))
    one = attention_heads(model, [30], frequencies=times, queries=table[:3])
    other = attention_heads(model, [30], tokens=np.repeat(table, times, axis=0), queries=table[:3])
    np.testing.assert_allclose(one.relative_error, other.relative_error, rtol=1e-6)
    plain = attention_heads(model, [30], queries=table[:3])
    assert np.abs(one.relative_error / plain.relative_error - 1).max() > 0.01


def test_gaussian_queries_have_the_mean_and_the_covariance_of_the_tokens():
    model = tiny_model()
    table = model.table() + 1.0
    rng = np.random.default_rng(5)
    cov = np.cov(table.T, bias=True)
    mine = rng.multivariate_normal(table.mean(0), cov, 800)
    few = attention_heads(model, [30], tokens=table, queries="gaussian", query_count=800, layers=[0])
    other = attention_heads(model, [30], tokens=table, queries=mine, layers=[0])
    for a, b in zip(few.heads, other.heads):
        off = math.hypot(a.standard_error[0], b.standard_error[0])
        assert abs(a.relative_error[0] - b.relative_error[0]) < 4 * off
        assert off < 0.1 * a.relative_error[0]


def test_states_of_half_precision_are_normed_in_full(tmp_path):
    model = read_model(save("GPT-2", tmp_path))
    states = (300 * RNG.standard_normal((40, D))).astype(np.float16)
    one, other = (
        attention_heads(model, [30], layers=[0], tokens=tokens, queries=states[:2].astype(float))
        for tokens in (states, states.astype(float))
    )
    np.testing.assert_array_equal(one.relative_error, other.relative_error)


def test_more_queries_have_a_smaller_standard_error():
    few, many = (attention_heads(tiny_model(), [30], query_count=n).heads for n in (40, 600))
    for a, b in zip(few, many):
        assert abs(a.relative_error[0] - b.relative_error[0]) < 5 * a.standard_error[0]
        assert b.standard_error[0] < a.standard_error[0] / 2.5


@pytest.mark.parametrize(("family", "distance"), [("BERT", None), ("GPT-2", None), ("LLaMA", 0)])
def test_real_windows_are_those_of_the_definition(family, distance, tmp_path):
    arrays = arrays_of(family)
    model = read_model(save(family, tmp_path))
    X, number = RNG.standard_normal((4, 6, D)), 2
    head = model.head(1, number, rope_distance=distance)
    found = real_windows(head, np.asarray(model.seen(X, 1)), causal=model.family.causal)
    seen = model.seen(X.reshape(-1, D), 1)
    mean, keys = (seen @ head.W_V.T).mean(0), seen @ head.W_K.T
    cov = (seen @ head.W_V.T - mean).T @ (keys - keys.mean(0)) / len(seen)
    squares, sizes = [], []
    for prompt in X:
        for i in range(6):
            if model.family.causal and i < 5:
                continue
            linear = cov @ head.queries(model.seen(prompt[i : i + 1], 1))[0]
            if family == "LLaMA":
                q, k, v = _rotated(arrays, prompt, number)
                w = np.exp(k @ q / math.sqrt(2))
                T = w / w.sum() @ v
            else:
                T = REFERENCES[family](arrays, prompt, prompt[i], 1, number)
            squares.append(((T - mean - head.b_V - linear) ** 2).sum())
            sizes.append((linear**2).sum())
    np.testing.assert_allclose(found.value, math.sqrt(sum(squares) / sum(sizes)), rtol=1e-4)


def _rotated(arrays, prompt, number):
    """Query of the last token, keys and values of a head, each turned by its own position."""
    queries, keys, values = llama(arrays, prompt, 1)
    own, shared = slice(2 * number, 2 * number + 2), slice(number // 2 * 2, number // 2 * 2 + 2)
    keys = np.stack([rotate(k[shared], i) for i, k in enumerate(keys)])
    return rotate(queries[-1][own], len(prompt) - 1), keys, values[:, shared]


def test_dependent_tokens_are_farther_than_independent_ones_and_the_answer_says_so():
    model = tiny_model()
    topics = 2 * RNG.standard_normal((60, 1, 8))
    states = topics + RNG.standard_normal((60, 40, 8))
    found = attention_heads(model, [10], layers=[0], states=states)
    for head in found.heads:
        assert head.real.value > head.independent[0] + 4 * math.hypot(head.real.error, head.independent[1])
        at_window = attention_heads(model, [40], layers=[0], tokens=states.reshape(-1, 8)).heads[head.head]
        assert head.independent[0] == pytest.approx(at_window.relative_error[0], rel=1e-6)
    assert "In 60 real windows of 40 tokens (median of the heads: real windows" in found.heading()
    assert "farther in real windows: 2 of 2 heads" in found.heading()
    assert found.table()[0][-2:] == ["real windows", "independent"]
    shuffled = RNG.permutation(states.reshape(-1, 8)).reshape(states.shape)
    for head in attention_heads(model, [10], layers=[0], states=shuffled).heads:
        off = math.hypot(head.real.error, head.independent[1])
        assert abs(head.real.value - head.independent[0]) < 5 * off + 0.1 * head.real.value


def test_only_what_is_asked_for_is_answered_and_what_is_missing_is_said(tmp_path):
    model = read_model(save("GPT-2", tmp_path))
    calls = []
    found = attention_heads(
        model, [4, 2, 4], layers=[1], heads=[3, 0], progress=lambda *args, **kw: calls.append(args[:2])
    )
    assert [(head.layer, head.head) for head in found.heads] == [(1, 0), (1, 3)]
    assert found.lengths.tolist() == [2, 4]
    assert calls == [(1, 2), (2, 2)]
    text = " ".join(found.says)
    assert "after its layer norm" in text
    assert "A causal mask shows a token only those up to itself" in text
    assert "for which the table only stands in" in text
    assert "only stands in" not in " ".join(attention_heads(model, [4], layers=[0]).says)
    assert "independent here" not in " ".join(
        attention_heads(model, [4], layers=[0], states=RNG.standard_normal((3, 4, D))).says
    )


def test_rotary_distances_are_said_and_change_the_answer(tmp_path):
    path = save("LLaMA", tmp_path)
    near, far = (attention_heads(path, [20], layers=[1], query_count=4, rope_distance=i) for i in (0, 40))
    assert "all keys are taken to stand 40 tokens before the query" in " ".join(far.says)
    assert "RMS norm" in " ".join(far.says)
    assert np.abs(near.relative_error - far.relative_error).max() > 1e-3


def test_the_answer_as_a_table_as_json_as_csv_and_as_a_picture():
    from matplotlib.figure import Figure

    found = attention_heads(tiny_model(), [10, 100])
    assert len(found.table()) == 5
    assert found.table()[0][:4] == ["layer", "head", "L = 10", "L = 100"]
    assert str(found).count("\n") > 8
    assert "<table>" in found._repr_html_()
    told = json.loads(json.dumps(found.as_json(), allow_nan=False))
    rows = list(csv.DictReader(io.StringIO(found.as_csv())))
    assert len(told["heads"]) == len(rows) == 4
    for one, row, head in zip(told["heads"], rows, found.heads):
        assert list(one) == list(row)
        assert one["relative_error_100"] == float(row["relative_error_100"]) == head.relative_error[1]
        assert (one["needs_10_percent"] is None) == math.isinf(head.needed)
    axes = found.plot(Figure().subplots())
    (image,) = axes.get_images()
    expected = 100 * found.relative_error[:, 1].reshape(2, 2)
    np.testing.assert_allclose(np.asarray(image.get_array()), expected)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("head", "layer")


def test_linear_attention_that_is_zero_is_said():
    model = tiny_model()
    found = attention_heads(model, [10], queries=np.zeros(8))
    assert "is 0 for all" in found.heading()
    assert found.table()[1][2] == "unknown"
    assert found.as_json()["heads"][0]["relative_error_10"] is None
    found.plot()


WRONG = [
    (dict(layers=[2]), "0 to 1"),
    (dict(heads=[-1]), "0 to 1"),
    (dict(heads=[]), "is empty"),
    (dict(layers="0"), "no list"),
    (dict(lengths=[0]), "no prompt length"),
    (dict(lengths=[1e13]), "longest here"),
    (dict(tokens=np.ones((3, 7))), r"must have shape \(n, 8\)"),
    (dict(tokens=np.full((3, 8), np.nan)), "leave out rows with others"),
    (dict(tokens=np.ones((3, 8))), "the same state"),
    (dict(frequencies=np.ones(3)), "200 numbers"),
    (dict(frequencies=-np.ones(200)), "none of them negative"),
    (dict(frequencies=np.eye(200)[7]), "the same state"),
    (dict(queries="tables"), "neither table nor gaussian"),
    (dict(queries=np.ones((2, 7))), "queries have shape"),
    (dict(queries=1e9 * np.ones(8)), "scale them down"),
    (dict(query_count=0), "query_count"),
    (dict(seed=-1), "seed"),
    (dict(states=np.ones((2, 3, 8))), "--layer 3"),
    (dict(states=np.ones((2, 3, 7)), layers=[0]), r"\(windows, tokens, 8\)"),
    (dict(states=np.ones((2, 3, 8)), layers=[0], frequencies=np.ones(6)), "leave one of them out"),
    (dict(rope_distance=1), "no rotary positions"),
]


@pytest.mark.parametrize(("wrong", "says"), WRONG)
def test_wrong_input_is_refused(wrong, says):
    good = dict(lengths=[10])
    with pytest.raises((InputError, TypeError, ValueError), match=says):
        attention_heads(tiny_model(), **(good | wrong))


def test_a_model_shows_what_it_is():
    assert repr(tiny_model()) == "Model(tiny: tiny, 2 layers of 2 heads, states of 8 numbers)"
    assert isinstance(tiny_model(), Model)
