"""The results of the public functions show and draw themselves."""

import subprocess
import sys
from fractions import Fraction
from types import ModuleType, SimpleNamespace
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
import sympy as sp

import numerics
import theory
from tests.hostile.targets import TARGETS

SETTING = numerics.AttentionSetting(
    np.diag([1.0, 2.0]), np.eye(2) / 2, np.eye(1, 2), query=[1.0, 0.0], name="<i>mine</i>"
)
LENGTHS = [10, 20, 40, 80, 160, 320, 640]


def _exact():
    return numerics.exact_errors(SETTING, lengths=LENGTHS)


def _sampled():
    return numerics.attention_errors(SETTING, lengths=LENGTHS, replicates=64, seed=1)


def _trained(attention):
    return numerics.train(attention, 5, d=2, noise=0.1, task_variance=0.5, steps=40, every=10, batch=4)


RESULTS = {
    "exact": _exact,
    "sampled": _sampled,
    "rates": lambda: numerics.assess(SETTING, _sampled()),
    "training": lambda: _trained("softmax"),
    "coupled": lambda: _trained("coupled"),
    "limit": lambda: theory.limit_parameters(np.diag([1.0, 2.0, 0.0])),
}


@pytest.fixture(autouse=True)
def close_figures():
    import matplotlib

    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_a_page_a_text_and_a_plot(name):
    result = RESULTS[name]()
    page = fromstring(f"<div>{result._repr_html_()}</div>")
    assert "i" not in {e.tag for e in page.iter()}
    assert "array(" not in repr(result)
    assert len(repr(result)) < 2500
    ax = result.plot()
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert ax.lines


def _results():
    """What the public functions return that is of ours, or made of ours, by their names."""
    public = {*theory.__all__, *numerics.__all__} - {"Algebra", "Integers", "Iid"}  # what provers are asked
    for name, target in TARGETS.items():
        if target.function.__name__ in public:
            result = target.call(target.good())
            for one in result if type(result) is list else [result]:
                if type(one).__module__.partition(".")[0] in ("theory", "numerics"):
                    yield name, one


def _is_a_curve(result):
    """Whether it keeps times or lengths with a number for each."""
    fields = {name: np.asarray(getattr(result, name, ())) for name in ("lengths", "L", "t", "time", "steps")}
    along = [x for x in fields.values() if x.ndim == 1 and x.dtype.kind in "iuf" and len(x)]
    values = (
        [x for x in vars(result).values() if isinstance(x, np.ndarray)] if hasattr(result, "__dict__") else []
    )
    return any(len(y) == len(x) and y is not x for x in along for y in values if y.ndim)


@pytest.mark.filterwarnings("ignore")
def test_whatever_a_public_function_returns_shows_itself_and_draws_its_curve():
    curves, seen = set(), set()
    for name, result in _results():
        kind = type(result)
        if kind in seen:
            continue
        seen.add(kind)
        page = fromstring(f"<div>{result._repr_html_()}</div>")
        assert "".join(page.itertext()).strip(), name
        assert "array(" not in repr(result), name
        if _is_a_curve(result):
            curves.add(kind.__name__)
            ax = result.plot()
            assert ax.lines, name
            assert ax.get_xlabel(), name
            assert ax.get_ylabel(), name
    assert {"BestWindow", "AttentionSetting", "TaskClass"} <= {kind.__name__ for kind in seen}
    assert {"HowLinear", "Flow", "AttentionPath", "ExactErrors"} <= curves


def test_a_plot_goes_where_it_is_asked_to():
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert _exact().plot(ax) is ax
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), _exact().output)


def test_a_single_length_is_one_line_of_a_table():
    text = repr(numerics.exact_errors(SETTING, lengths=[50]))
    assert "1 prompt length\n" in text
    assert text.splitlines()[2].split()[0] == "50"


def test_a_limit_with_symbols_shows_formulas_and_draws_nothing():
    a, b = sp.symbols("a b", positive=True)
    limit = theory.limit_parameters(sp.diag(a, b))
    assert "mfrac" in {e.tag for e in fromstring(f"<div>{limit._repr_html_()}</div>").iter()}
    with pytest.raises(ValueError, match=r"symbols a, b .*Sigma of numbers"):
        limit.plot()


def test_nothing_public_dumps_its_arrays():
    law = numerics.edge_case_laws(3)[0]
    task = theory.RegressionTask(np.eye(40), noise=0.1, task_variance=1)
    flow = numerics.integrate_flow(np.eye(2), np.eye(2), 1.0)
    others = [law, task, flow, numerics.softmax_moments(np.ones(99), 10), theory.affine(3)]
    others += [theory.affine(3).spectrum(3), theory.ReducedAttention(4, 1.0), theory.Algebra(symmetric=["S"])]
    others += [numerics.AttentionSetting(law, np.eye(3), np.eye(3), np.ones(3))]
    for result in others:
        assert len(repr(result)) < 400
        assert "array(" not in repr(result)
        assert " at 0x" not in repr(result)


def test_evidence_is_lines_in_a_terminal_and_a_typeset_table_in_jupyter():
    x = sp.Symbol("x", positive=True)
    evidence = numerics.forall(x / (1 + x), "<=", sp.Integer(1), {x: (0, sp.oo)})
    assert repr(evidence) == str(evidence)
    assert "mfrac" in {e.tag for e in fromstring(f"<div>{evidence._repr_html_()}</div>").iter()}


def test_matplotlib_is_imported_by_a_plot_and_not_before():
    code = (
        "import sys, numpy as np, theory\n"
        "limit = theory.limit_parameters(np.eye(2)); repr(limit); limit._repr_html_()\n"
        "assert 'matplotlib' not in sys.modules\n"
        "import matplotlib; matplotlib.use('Agg')\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "limit.plot(); assert 'matplotlib.pyplot' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_jupyter_shows_theorems_typeset(monkeypatch):
    from numerics.derivations import typeset
    from numerics.derivations.kernel.rules import assume
    from numerics.derivations.kernel.sorts import REALS
    from numerics.derivations.kernel.terms import Variable, term

    shown = {}
    formatter = SimpleNamespace(for_type=shown.__setitem__)
    shell = SimpleNamespace(display_formatter=SimpleNamespace(formatters={"text/html": formatter}))
    ipython = ModuleType("IPython")
    vars(ipython)["get_ipython"] = lambda: shell
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    typeset._tell_jupyter()
    theorem = assume("the <hypothesis>", Variable("x", range=REALS) ** 2, "<=", term(Fraction(1, 2)))
    page = fromstring(f"<div>{shown[type(theorem)](theorem)}</div>")
    assert "msup" in {e.tag for e in page.iter()}
    assert "the <hypothesis>" in "".join(page.itertext())
