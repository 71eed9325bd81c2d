"""Commands that are printed for a reader to type work when they are typed."""

import ast
import re
import shlex
from pathlib import Path

import pytest

from proofs_check.reports.cli import START, _parser, main

ROOT = Path(__file__).parents[3]
#: A command in a sentence, up to where it ends.
TYPED = re.compile(r"largeprompt ((?:\"[^\"\n]*\"|'[^'\n]*'|[^`;()|<\n\"'])+)")
#: Words in capitals stand for what the reader has.
OWN = re.compile(r"\b(?:DIR|FILE|ID|KEY|NAME|OLD|NEW|TITLE|X)\b")


def parsers():
    """The parser of each command."""
    (commands,) = (a for a in _parser()._actions if a.dest == "command")
    return commands.choices


def literals(path):
    """Every text in a module that names a command, with X for what is filled in."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)) if "largeprompt " in source else ():
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "X" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_command_in_a_text_of_ours_exists_with_its_options():
    known, seen = parsers(), set()
    texts = [
        t
        for folder in ("numerics", "proofs_check")
        for f in (ROOT / folder).rglob("*.py")
        for t in literals(f)
    ]
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "proofs_check").rglob("*.jinja")]
    for text in (*texts, *(page.read_text(encoding="utf-8") for page in pages)):
        for found in TYPED.findall(text):
            name, *rest = found.split()
            if name in known:
                seen.add(name)
                options = [w.split("=")[0].rstrip(".,:") for w in rest if re.match(r"--[a-z]", w)]
                unknown = [w for w in options if w not in known[name]._option_string_actions]
                assert not unknown, f"largeprompt {found}"
                needed = [a.option_strings for a in known[name]._actions if a.required and a.option_strings]
                lacking = [n for n in needed if options and not {*n} & {*options}]
                assert not lacking, f"largeprompt {found}"
    assert seen == set(known)


def typed(line):
    """The exit status of a command line."""
    try:
        return main(shlex.split(line))
    except SystemExit as stop:
        return stop.code


@pytest.mark.parametrize("line", re.findall(r"(?:^  |: )largeprompt ([^;\n]+)", START, re.M))
def test_what_people_do_works_as_it_is_printed(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert typed(line) == 0


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("show 'BB:Lemma C.4'", 0),
        ("show 'Lemma C.4'", 2),
        ("show nonsense", 2),
        ("show BB:", 2),
        ("show '(99)'", 2),
        ("show 'BB:Lemma C.4' --bibtex", 2),
        ("show CC.3.b --set d=1", 2),
        ("list BB --severity gap", 0),
        ("status", 0),
        ("status --check page.md", 1),
        ("revise BB --set nonsense:c=1", 2),
        ("second-opinion nowhere", 2),
        ("second-opinion --noted missing.json", 2),
        ("errata --ledger missing.json", 2),
        ("sweep --store store", 2),
        ("sweep missing.toml --store store", 2),
        ("figures --paper BB --only 9", 2),
        ("rates --paper LDL --lengths 10", 2),
    ],
)
def test_what_a_command_proposes_works(line, status, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")  # a line is not broken within a command
    Path("page.md").write_text("<!-- headline:begin -->\nold\n<!-- headline:end -->\n", encoding="utf-8")
    assert typed(line) == status
    told = capsys.readouterr()
    known = parsers()
    for found in TYPED.findall(told.out + told.err):
        words = shlex.split(found.split(" > ")[0].rstrip(".,"))
        if words[0] in known and not OWN.search(found):
            assert main(words) in (0, 1), found
