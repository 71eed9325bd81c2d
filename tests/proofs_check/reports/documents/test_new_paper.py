"""A paper of one's own is judged, shown and printed as ours, and its errors are told in a line."""

import json
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from proofs_check.core.claim import REGISTRY
from proofs_check.core.ledgers.losses import STANDS
from proofs_check.papers import registered
from proofs_check.papers.statements import papers
from proofs_check.reports.cli import main
from proofs_check.reports.documents.new_paper import new_paper

pytest_plugins = "pytester"
OPTIONS = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")


@pytest.fixture(autouse=True)
def nothing_stays_registered():
    with patch.dict(registered._named), patch.dict(REGISTRY):
        yield
    registered._forget()


def append(path, text):
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{text}\n", encoding="utf-8")


def said(capsys):
    return " ".join(capsys.readouterr().out.split())


def pages():
    """What the commands write of the folder, and whether it is HTML."""
    assert main(["errata", "--papers", "mine"]) == main(["blueprint", "--papers", "mine"]) == 0
    for page in ("errata/errata.html", "errata/errata.md", "blueprint.html"):
        yield Path(page).read_text(encoding="utf-8"), page.endswith("html")


@pytest.fixture
def mine(pytester):
    """A folder in the one of pytester, in which the test is."""
    folder = Path("mine")
    new_paper(folder, "On exponentials", "ME", "N. N.")
    return folder


def judged(pytester, folder, *options):
    return pytester.runpytest_inprocess(*OPTIONS, *options, str(folder.resolve()))


KEPT = {}  # the ledger of the folder as it is written, once some test has it


@pytest.fixture
def known(mine, pytester, capsys):
    """The folder with its ledger: to judge it takes longer than to look at it."""
    if not KEPT:
        judged(pytester, mine)
        KEPT.update({path.name: path.read_bytes() for path in (mine / "build").iterdir()})
        capsys.readouterr()
    (mine / "build").mkdir(exist_ok=True)
    for name, text in KEPT.items():
        (mine / "build" / name).write_bytes(text)
    return mine


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_folder_is_judged_and_its_ledger_is_kept_in_it(mine, pytester, workers):
    result = judged(pytester, mine, "-n", workers)
    result.assert_outcomes(passed=2)
    assert result.ret == 0
    document = json.loads((mine / "build/ledger.json").read_text(encoding="utf-8"))
    verdicts = {c["id"]: (c["verdict"], c["repair"] and c["repair"]["verdict"]) for c in document["claims"]}
    assert verdicts == {"ME:L1": ("CERTIFIED", None), "ME:L2": ("REFUTED", "CERTIFIED")}
    assert not document["run"]["partial"]
    assert document["run"]["faults"] == document["unsettled"] == []
    assert not (pytester.path / "build").exists()


def test_two_papers_are_judged_together_and_two_modules_of_one_name_are_told(mine, pytester):
    new_paper(Path("theirs"), "On logarithms", "TH")
    result = pytester.runpytest_inprocess(*OPTIONS, str(mine.resolve()), str(Path("theirs").resolve()))
    result.assert_outcomes(passed=4)
    for folder, key in ((mine, "me"), (Path("theirs"), "th")):
        (folder / f"lemmas_of_{key}.py").rename(folder / "lemmas.py")
    both = [arg for folder in ("mine", "theirs") for arg in ("--papers", folder)]
    show = ["-m", "proofs_check.reports.cli", "show", "TH:L1", "--set", "c=1/2"]
    told = subprocess.run([sys.executable, *show, *both], capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert "another module lemmas" in told.stderr


def test_commands_speak_of_it(known, ran):
    scope = ["--papers", str(known)]
    says = {
        ("show", "Lemma 2"): "mine/lemmas_of_me.py",
        ("show", "L1", "--set", "c=1/2"): "REFUTED",
        ("list",): "ME:L1",
        ("errata", "--out", "errata"): "1 false among 2 rows",
        ("blueprint", "--out", "page.html"): "2 claims on 2 rows",
        ("status",): f"| {STANDS} | nothing |",
    }
    for arguments, said in says.items():
        printed = ran(0, *arguments, *scope).out
        assert said in printed
        assert "BB" not in printed
    assert "On exponentials" in Path("errata/errata.html").read_text(encoding="utf-8")
    assert "BB" in papers()  # the next command speaks of the installed papers again


def test_commands_that_read_import_no_claim(known):
    """So says SECURITY.md."""
    append(known / "lemmas_of_me.py", "open('ran', 'w').close()")
    for command in ("list", "show L1", "show L1 --bibtex", "status", "blueprint", "errata"):
        assert main([*command.split(), "--papers", str(known)]) == 0
        assert not Path("ran").exists(), command
    assert main(["show", "L1", "--set", "c=1/2", "--papers", str(known)]) == 0
    assert Path("ran").exists()


REPLY = """
[[reply]]
id = "ME:L2"
who = "N. N. <script>"
when = "2026-09-01"
what = "We agree: $c=3/4$."
"""


def test_a_reply_is_shown_beside_the_verdict(known, capsys):
    (known / "replies.toml").write_text(REPLY)
    assert main(["show", "L2", "--papers", "mine"]) == 0
    assert "N. N. <script> on 2026-09-01: We agree: c = 3/4." in said(capsys)
    for text, is_html in pages():
        assert "2026-09-01" in text
        assert not (is_html and "N. N. <script>" in text)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("ME:L2", "ME:L7", "is about ME:L7, which is no statement"),
        ('who = "N. N. <script>"', "", "reply 1 does not say who"),
        ("2026-09-01", "yesterday", "write a day as 2026-09-01"),
        ("[[reply]]", "[[reply", "; save it as TOML, each reply below a line [[reply]]"),
    ],
)
def test_a_reply_that_is_wrong_is_told_in_a_line(known, ran, old, new, why):
    (known / "replies.toml").write_text(REPLY.replace(old, new))
    assert why in ran(2, "show", "L2", "--papers", "mine").err


READING = """
[[reading]]
id = "exp"
place = "Section 1 <2>"
decision = "The exponent is $x$."
alternatives = ["It is $x^2$: then Lemma 2 holds up to $x=1$."]
"""


IDLE = READING.replace('"exp"', '"idle"')


def with_reading(folder, text):
    (folder / "readings.toml").write_text(text)
    text = (file := folder / "statements.toml").read_text()
    file.write_text(text.replace('id = "ME:L2"', 'id = "ME:L2"\nreadings = ["exp"]', 1))


def test_a_reading_is_shown_at_its_rows_and_listed_once(mine, pytester, capsys):
    with_reading(mine, READING)
    judged(pytester, mine)
    capsys.readouterr()
    told = [(main(["show", id, "--papers", "mine"]), said(capsys))[1] for id in ("L1", "L2")]
    line = "read so Section 1 <2> (exp): The exponent is x. or It is x²: then Lemma 2 holds up to x = 1."
    assert [line in text for text in told] == [False, True]
    for text, is_html in pages():
        assert text.count("Lemma 2 holds up to") == 1
        assert text.count("The exponent is") == 2  # in the list, and at the row that rests on it
        assert not (is_html and "<2>" in text)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('id = "exp"', 'id = "base"', "ME:L2 rests on the reading 'exp', but"),
        ("\n[[reading]]", f"{IDLE}[[reading]]", "no row rests on the reading idle"),
        ("\n[[reading]]", f"{READING}[[reading]]", "two readings are named exp; give"),
        ('decision = "The exponent is $x$."', "", "reading 1 does not say decision; give"),
        ("It is $x^2$: then Lemma 2 holds up to $x=1$.", " ", "reading 1 does not say alternatives; give"),
        ('id = "exp"', 'id = "an exponent"', "write letters, digits and hyphens"),
        ("[[reading]]", "[[reading", "; save it as TOML, each reading below a line [[reading]]"),
    ],
)
def test_a_reading_that_is_wrong_is_told_in_a_line(mine, ran, old, new, why):
    with_reading(mine, READING.replace(old, new))
    assert why in " ".join(ran(2, "list", "--papers", mine).err.split())


def test_a_revision_is_compared_with_the_paper(known, capsys):
    revise = lambda *arguments: (main(["revise", "ME", "--papers", "mine", *arguments]), said(capsys))
    status, told = revise("--set", "L2:c=3/4", "--out", "new.json")
    assert status == 1
    assert "ME:L2. As printed, with c = 1/2, it is false at x = " in told
    assert "As revised, with c = 3/4, it holds: CERTIFIED." in told
    assert "Lemma 2 stands now, where it stood with a change before." in told
    assert "Nothing changes for the main result Lemma 1." in told
    assert main(["diff", *shlex.split(told.partition("largeprompt diff ")[2])]) == 1
    assert "ME:L2 REFUTED -> CERTIFIED" in said(capsys)
    assert main(["list", "--papers", "mine", "--ledger", "new.json", "--verdict", "REFUTED"]) == 0
    assert "ME:L2" not in capsys.readouterr().out
    false = revise("--set", "L2:c=2/3")[1]  # it stays false
    assert "As revised, with c = 2/3, it is false at" in false
    assert "Nothing changes for the main results Lemmas 1 and 2." in false
    copy, text = Path("revised.toml"), (known / "statements.toml").read_text(encoding="utf-8")
    copy.write_text(text.replace('id = "ME:L2"', 'id = "ME:L2"\nset = {c = "3/4"}', 1), encoding="utf-8")
    changed = revise("--statements", str(copy))[1]
    assert changed.startswith("ME:L2. As printed, with c = 1/2, it is false")
    copy.write_text(text.replace("\\tfrac12x^2", "x^2"), encoding="utf-8")
    unjudged = "have another formula and no number, so that nothing judges them: ME:L2"
    assert unjudged in revise("--statements", str(copy))[1]
    copy.write_text(text[: text.rindex("[[row]]")], encoding="utf-8")
    assert "Rows that are gone: ME:L2" in revise("--statements", str(copy))[1]


@pytest.mark.parametrize(
    ("numbers", "options", "faulty"),
    [('"1"', (), False), ('"1/2"', (), True), ('"1"', ("--ledger", "at"), False)],
)
def test_what_a_run_proposes_next_works(mine, pytester, capsys, numbers, options, faulty):
    """Also where a claim is out of order, whose ledger no command reads unless it is named."""
    text = (file := mine / "statements.toml").read_text(encoding="utf-8")
    file.write_text(text.replace('numbers = {c = "1"}', f"numbers = {{c = {numbers}}}"), encoding="utf-8")
    told = " ".join(line.strip() for line in judged(pytester, mine, *options).outlines)
    commands = re.findall("`largeprompt ([^`]+)`", told.partition("Next: ")[2])
    assert len(commands) == 1 if faulty else 2
    assert ("ME:L1, not in order" in told) is faulty
    for command in commands:
        assert main(shlex.split(command)) == 0
    capsys.readouterr()


def test_a_revision_owes_no_form_that_was_filled_in_for_what_was_printed(mine, pytester):
    text = (file := mine / "statements.toml").read_text(encoding="utf-8")
    accepted = 'printed = "x >= 0", used = true, same = true, whole = true, control = true'
    refuted = "witness = true, author = true, weight = true, instead = true"
    for id, answers in (("ME:L1", accepted), ("ME:L2", refuted)):
        text = text.replace(f'id = "{id}"', f'id = "{id}"\nread = {{on = 2026-11-29, {answers}}}', 1)
    file.write_text(text, encoding="utf-8")
    judged(pytester, mine)
    assert main(["revise", "ME", "--papers", "mine", "--set", "L2:c=3/4", "--out", "new.json"]) == 1
    revised = {e["id"]: e for e in json.loads(Path("new.json").read_text(encoding="utf-8"))["claims"]}
    assert revised["ME:L2"]["verdict"] == "CERTIFIED"
    assert [fault for e in revised.values() for fault in e["faults"]] == []


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "nothing is revised"),
        (("--set", "L2"), "write CLAIM:NAME=VALUE"),
        (("--set", "L2:q=1"), "no claim has the number q"),
        (("--set", "L2:c=one"), "is no number that can be set"),
        (("--set", "L9:c=1"), "no statement is called"),
        (("--statements", "nowhere.toml"), "cannot read nowhere.toml"),
    ],
)
def test_a_revision_that_is_none_is_refused(known, ran, arguments, why):
    assert why in ran(2, "revise", "ME", "--papers", "mine", *arguments).err


def test_the_integration_of_others_is_told(known, ran):
    (line,) = ran(0, "status", "--papers", "mine", "--github", "--badge", "badge.json").out.splitlines()
    assert line.startswith("::warning file=mine/lemmas_of_me.py,line=")
    assert json.loads(Path("badge.json").read_text(encoding="utf-8"))["message"] == "1 hold, 1 false"
    faulty = json.loads((path := known / "build/ledger.json").read_text(encoding="utf-8"))
    faulty["claims"][0]["faults"] = ["it cannot fail"]
    path.write_text(json.dumps(faulty), encoding="utf-8")
    assert "::error" in ran(1, "status", "--papers", "mine", "--github").out
    assert f'pytest "{known}"' in (known / "claims.yml").read_text(encoding="utf-8")


def test_a_paper_without_a_ledger_says_how_to_make_it(mine, ran):
    assert "write it with: pytest mine" in ran(2, "show", "L2", "--papers", mine).err


def test_the_script_shows_the_error(mine, capsys):
    runpy.run_path(str(mine / "witnesses/me_l2.py"))
    left, right = map(float, capsys.readouterr().out.split("<="))
    assert left > right


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('key = "ME"', 'name = "ME"', "does not say of which paper it is"),
        ('key = "ME"', 'key = "BB"', "both hold a paper BB"),
        ('kind = "INT"', 'kind = "REAL"', "has the kind 'REAL'"),
        ('where = "Section 1, Lemma 1"\n', "", "ME:L1 of ME has no where"),
        ("[[row]]", "[[row", "; save it as TOML, or make one to begin with: largeprompt new-paper"),
        ('id = "ME:L2"', 'id = "ME:L1"', "two rows are named ME:L1"),
    ],
)
def test_a_list_of_statements_that_is_wrong_is_told(mine, ran, pytester, old, new, why):
    file = mine / "statements.toml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    told = ran(2, "list", "--papers", mine).err
    assert why in told
    assert told.count("\n") == 1
    result = judged(pytester, mine)
    assert result.ret != 0
    assert why in result.stdout.str() + result.stderr.str()


def test_what_is_named_next_is_found(mine, capsys, pytester):
    judged(pytester, mine)
    capsys.readouterr()
    assert main(["list", "--papers", "mine"]) == 0
    assert said(capsys).endswith(f"One row in full: largeprompt show ID --papers {mine.resolve()}")
    assert main(["show", "ME:Q", "--papers", "mine"]) == 2
    assert capsys.readouterr().err.endswith(f"all of them: largeprompt list --papers {mine.resolve()}\n")


def test_a_module_that_cannot_be_imported_is_named(mine, capsys):
    (mine / "broken_claims_of_mine.py").write_text("1 / 0")
    assert main(["show", "L2", "--papers", str(mine), "--set", "c=1"]) == 2
    assert "broken_claims_of_mine cannot be imported: ZeroDivisionError" in capsys.readouterr().err


def test_a_claim_without_a_row_serves_for_a_quick_look(pytester):
    pytester.makepyfile(
        test_quick="""
        import sympy as sp
        from numerics.provers import Closed, forall
        from proofs_check import claim
        x = sp.Symbol("x", real=True)
        @claim("QUICK:look", sharp="c")
        def quick(*, c=1):
            "A bound."
            return forall(x, "<=", c, {x: Closed(0, 1)})
        """
    )
    result = pytester.runpytest_inprocess(*OPTIONS, "test_quick.py", "-v", "--strict-markers")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*QUICK:look PROVED*", "1 of 1 claims ran: 1 PROVED.*"])
    assert (pytester.path / "build/ledger.partial.json").is_file()


def test_an_installed_package_registers_its_papers(mine):
    package, site = Path("site/her_paper"), Path("site")
    site.mkdir()
    mine.rename(package)
    (package / "__init__.py").touch()
    (info := site / "her_paper-1.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: her-paper\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{registered.GROUP}]\nME = her_paper\n")
    code = (
        "from proofs_check.papers.statements import papers\n"
        "from proofs_check.core.judging import load_claims\n"
        "from proofs_check.papers.registered import collections\n"
        "print('ME' in papers(), 'BB' in papers(), [c.name for c in collections()])\n"
        "print('ME:L1' in load_claims([c for c in collections() if c.name == 'her-paper']))"
    )
    root = str(Path(registered.__file__).parents[2])
    path = f"import sys; sys.path[:0] = [{str(site.resolve())!r}, {root!r}]"
    command = [sys.executable, "-c", f"{path}\n{code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["True True ['her-paper', 'largeprompt']", "True"], done.stderr
