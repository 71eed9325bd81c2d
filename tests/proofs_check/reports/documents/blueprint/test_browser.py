"""The blueprint in Chromium: hash routes, search, widths of a phone, a silent console."""

import json
from urllib.parse import quote

import pytest

from proofs_check.papers.statements import rows
from proofs_check.reports.documents.blueprint import Site, as_html
from tests.proofs_check.reports.documents.blueprint.blueprint_sample import document
from tests.proofs_check.reports.documents.chromium import answer

PAGES = {
    "": "overview",
    "errata": "overview",
    "nowhere": "overview",
    "BB:CC.3.b": "BB:CC.3.b",
    "BB:LC.1.am/choice": "BB:LC.1.am",
    "BB/Lemma-C.4": "BB/Lemma-C.4",
    "graph/BB/Appendix-C.2": "graph",
}
FOUND = {"LC.4.lo": "BB:LC.4.lo", r"refuted \frac{139 C.3": "BB:CC.3.b", r"\xrightarrow a.s.": "BB:2.lln"}
TYPESET, NOTHING = "BB:L2.1.a/mgf", "<b>zzz</b>"
FRAGMENTS = [*PAGES, *("search=" + asked for asked in (*FOUND, TYPESET, NOTHING)), "graph/BB"]

#: Starting Chromium takes longer than all that it is asked, so it is asked once: each fragment is
#: opened in a frame of its own, then followed as a link in one frame, the last ones first.
ASK = """
const snapshot = (frame) => {
  const page = frame.contentDocument, ids = (query) => [...page.querySelectorAll(query)].map((one) => one.id);
  return {
    pages: ids(".page.current"), views: ids(".view.current"), selected: page.querySelector("#views").value,
    results: page.querySelector("#results").outerHTML, said: page.querySelector("#found").outerHTML,
    formulas: page.querySelectorAll("math").length,
  };
};
const load = (fragment) => new Promise((loaded) => {
  const frame = document.createElement("iframe");
  frame.onload = () => loaded(frame);
  frame.src = "blueprint.html#" + fragment;
  document.body.append(frame);
});
const opened = {}, followed = {}, fragments = %s;
for (const fragment of fragments) {
  const frame = await load(fragment);
  opened[fragment] = snapshot(frame);
  frame.remove();
}
const frame = await load("OURS:R4.A");
for (const fragment of fragments.toReversed()) {
  await new Promise((heard) => {
    frame.contentWindow.addEventListener("hashchange", heard, { once: true });
    frame.contentWindow.location.hash = fragment;
  });
  followed[fragment] = snapshot(frame);
}
return { opened, followed };
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("blueprint")


@pytest.fixture(scope="module")
def asked(browser, folder):
    judged = document()
    next(c for c in judged["claims"] if c["id"] == TYPESET)["summary"] = r"At most $\frac{1}{2}$."
    (folder / "blueprint.html").write_text(as_html(Site(judged)).html, encoding="utf-8")
    return answer(browser, folder / "ask.html", ASK % json.dumps([*map(spelled, FRAGMENTS)]))


def spelled(fragment):
    key, equals, text = fragment.partition("=")
    return key + equals + quote(text) if equals else quote(fragment, safe=":/")


@pytest.fixture(params=["opened", "followed"])
def shown(request, asked):
    """What is shown at each fragment."""
    return {fragment: asked[request.param][spelled(fragment)] for fragment in FRAGMENTS}


@pytest.mark.parametrize(("fragment", "page"), PAGES.items())
def test_a_hash_opens_its_page(fragment, page, shown):
    assert shown[fragment]["pages"] == [page]
    assert shown[fragment]["formulas"] > 500


def test_the_search_finds_an_id_words_and_latex(shown):
    for text, id in FOUND.items():
        seen = shown["search=" + text]
        assert seen["pages"] == ["search"]
        assert f'href="#{id}"' in seen["results"]


def test_a_search_for_nothing_says_so(shown):
    seen = shown["search=" + NOTHING]
    assert "Nothing holds" in seen["said"]
    assert "<b>" not in seen["said"] + seen["results"]
    assert "<li>" not in seen["results"]


def test_a_graph_is_drawn_and_its_selector_follows(shown):
    assert shown["graph/BB"]["views"] == ["graph/BB"]
    assert all(shown[part]["selected"] == part for part in ("graph/BB", "graph/BB/Appendix-C.2"))


def test_the_search_shows_typeset_words(shown):
    results = shown["search=" + TYPESET]["results"]
    assert "<mfrac>" in results
    assert "$" not in results


PHONE = 390
#: How wide pages are in a frame, everything unfolded: a browser's own window is not as narrow as a
#: phone.
WIDTHS = """
const widths = [];
for (const [name, ids] of %(asked)s) {
  const frame = document.createElement("iframe");
  frame.style = "border: 0; width: %(width)dpx; height: 800px";
  await new Promise((loaded) => { frame.onload = loaded; frame.src = name; document.body.append(frame); });
  const page = frame.contentDocument, shown = [...page.querySelectorAll(".page")], found = {};
  for (const folded of page.querySelectorAll("details")) folded.open = true;
  for (const one of shown) {
    if (ids && !ids.includes(one.id)) continue;
    for (const other of shown) other.classList.toggle("current", one === other);
    found[one.id] = page.documentElement.scrollWidth;
  }
  widths.push(found);
}
return widths;
"""


def test_no_page_is_wider_than_a_phone(browser, tmp_path):
    spoiled = document()
    wide = "It is $" + "a_{1}" * 60 + "$, $" + r"\frac{" + "b" * 80 + "}{2}" + "$ and " + "word" * 30 + "."
    claim = next(c for c in spoiled["claims"] if c["id"] == "BB:CC.3.b")
    for name in ("says", "summary", "why", "details", "instead", "argument", "unproved", "fragment"):
        claim[name] = wide
    claim["checked"] = "c" * 200
    claim["evidence"]["covered"] = wide
    blueprint = as_html(Site(spoiled)).html
    styles = [line for line in blueprint.splitlines() if "overflow-x: auto" not in line]
    (tmp_path / "blueprint.html").write_text(blueprint, encoding="utf-8")
    (tmp_path / "unstyled.html").write_text("\n".join(styles), encoding="utf-8")
    asked = json.dumps([("blueprint.html", None), ("unstyled.html", [claim["id"]])])
    found, without = answer(browser, tmp_path / "ask.html", WIDTHS % {"asked": asked, "width": PHONE})
    assert len(found) > len(rows())
    assert {id: width for id, width in found.items() if width > PHONE} == {}
    assert without[claim["id"]] > PHONE  # so the measure sees what is too wide
