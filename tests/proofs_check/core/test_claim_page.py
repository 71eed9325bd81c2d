"""A claim in Jupyter: a page that judges nothing, and a plot over the number that is varied."""

from xml.etree.ElementTree import fromstring

import pytest

from numerics.evidence import Evidence, Verdict
from proofs_check.core.claim import Claim


def _at_most(c):
    if c >= 2:
        return Evidence(verdict=Verdict.PROVED, engine="exact arithmetic")
    return Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness_by="exact", witness={"c": c})


def _fails(**numbers):
    raise AssertionError("a page judges nothing")


def _claim(check, **rest):
    return Claim(id="ME:<b>", check=check, **rest)


def test_a_page_judges_nothing_and_escapes_what_it_says():
    claim = _claim(lambda *, c=1: _fails(c=c), false="gap", why="$c<2$ & <i>", repair={"c": 2})
    page = fromstring(f"<div>{claim._repr_html_()}</div>")
    assert not {"b", "i"} & {e.tag for e in page.iter()}
    text = "".join(page.itertext())
    assert "ME:<b>" in text
    assert "c = 1" in text


def test_a_plot_shows_the_printed_number_the_repair_and_the_edge():
    from matplotlib.figure import Figure

    claim = _claim(lambda *, c=1: _at_most(c), false="gap", repair={"c": 3}, sharp="c")
    ax = claim.plot(Figure().subplots())
    points = [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in ax.lines]
    assert points[:2] == [(1, 0), (3, 2)]
    (last, high), (first, low) = points[2:]
    assert (high, low) == (2, 0)
    assert first < 2 <= last < 2.01


def test_a_claim_without_a_dial_says_what_to_do_instead():
    from matplotlib.figure import Figure

    with pytest.raises(ValueError, match=r"has no number .*call the claim"):
        _claim(lambda *, c=1: _at_most(c)).plot(Figure().subplots())
