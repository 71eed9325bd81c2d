"""The referee's list: LaTeX that needs two packages, and is whole."""

import re
import shutil
import subprocess

import pytest

from numerics.terminal.inputs import InputError
from proofs_check.reports.documents.errata import as_latex, errata_of
from proofs_check.reports.documents.errata.referee import escaped, prose
from tests.proofs_check.core.ledgers import document, line


def broken(text):
    """What keeps a text from being a LaTeX document that needs no package for its letters."""
    bare = re.sub(r"\\(?:[^a-zA-Z]|[a-zA-Z]+)", " ", text)
    outside = re.sub(r"\$[^$]*\$", " ", bare)
    spoken = re.sub(r"\\texttt\{(?:\\.|\{\}|[^{}])*\}", " ", text)  # a typewriter font has these three signs
    prose_only = re.sub(r"\$[^$]*\$", " ", spoken.replace(r"\$", " "))
    out = [f"a letter that is not ASCII: {c}" for c in text if not c.isascii()]
    out += [f"{c} outside of a formula" for c in "_^#%&~" if c in outside]
    out += [f"{c} outside of a formula" for c in "<>|" if c in prose_only]
    depth = 0
    for brace in re.findall("[{}]", bare):
        depth += {"{": 1, "}": -1}[brace]
        if depth < 0:
            return [*out, "a brace closes nothing"]
    open_ = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", text):
        if kind == "begin":
            open_.append(name)
        elif not open_ or open_.pop() != name:
            return [*out, f"{name} ends where it did not begin"]
    out += ["a brace stays open"] * (depth > 0) + ["a formula stays open"] * (bare.count("$") % 2)
    return out + open_


@pytest.fixture(scope="module")
def text(errata):
    return as_latex(errata)


def test_the_list_of_the_release_is_whole(text):
    assert broken(text) == []
    assert set(re.findall(r"\\usepackage\{([^}]*)\}", text)) == {"amsmath,amssymb"}
    for spoiled in ("{", "$", "}", "ö", "a_b", r"\begin{itemize}", r"\end{itemize}"):
        assert broken(text.replace(r"\end{document}", spoiled + r"\end{document}")) != []


def test_each_row_is_an_item_with_what_a_referee_needs(errata, text):
    items = text.split(r"\begin{enumerate}")[1].split(r"\item ")[1:]
    assert len(items) == len(errata.entries)
    for item, e in zip(items, errata.entries):
        assert item.startswith(rf"\textbf{{{prose(e.place)}}} (\emph{{{prose(e.errors[0].kind)}}}")
        assert item.count("True instead:") == item.count("Counterexample:") == len(e.errors)
        assert prose(e.errors[0].why) in item
        assert prose(e.errors[0].instead) in item


def test_the_list_can_be_typeset(text, tmp_path):
    engine = shutil.which("pdflatex")
    if engine is None:
        pytest.skip("DID NOT RUN: no pdflatex on this machine, so nobody typeset the list")
    (tmp_path / "errata.tex").write_text(text, encoding="ascii")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "errata.tex"]
    how = dict(capture_output=True, text=True, errors="replace", timeout=120, check=False)
    done = subprocess.run(command, cwd=tmp_path, **how)
    assert done.returncode == 0, done.stdout[-2000:]


def test_no_character_acts_as_a_command():
    commands = r"50 \% of a\_b \& \{c\} \#1 \textasciitilde{} \textasciicircum{}"
    assert prose("50 % of a_b & {c} #1 ~ ^") == commands
    assert prose("'Bound on S_L' and \"x\"; Erdős' law") == r"`Bound on S\_L' and ``x''; Erd\H{o}s' law"
    quoted = r"`Control of $c'_{L}$', `first' and \texttt{'x'}"
    assert prose(r"'Control of $c'_{L}$', 'first' and `'x'`") == quoted
    assert prose("a <= b < c -> |d|, `x < y`") == r"a $\leq$ b $<$ c $\to$ $|$d$|$, \texttt{x < y}"
    assert prose(r"$a_b \coloneqq \mathds{1}$, $x\%$") == r"$a_b := \mathbb{1}$, $x\%$"
    for shown in (prose("\\ { } _ ^ ~ # $ % &"), escaped("\\ { } _ ^ ~ # $ % &")):
        assert broken(shown) == []


def test_a_character_without_a_command_is_named():
    with pytest.raises(InputError, match=r"SNOWMAN.*between dollars"):
        as_latex(errata_of(document(line("BB:CC.3.b", why="It is ☃.")), "BB"))
