"""The table in the README and the list of false statements are those of the ledger."""

import pytest

from numerics.terminal.inputs import InputError
from proofs_check.core.ledgers.coverage import NOT_SETTLED, row_verdict
from proofs_check.core.ledgers.ledger import write_json
from proofs_check.papers.registered import drop_folder, limited
from proofs_check.papers.statements import add_folder, rows
from proofs_check.reports.cli import main
from proofs_check.reports.documents.status import COLUMNS, errata, headline, losses, marks, replaced, status
from tests.proofs_check.core.ledgers import document, line, made_up

BEGIN, END = marks("status")
NAMES = ("", "rows", *COLUMNS, "repaired", NOT_SETTLED)


def cells(text, name):
    found = next(x for x in text.splitlines() if x.startswith(f"| {name} "))
    values = [c.strip() for c in found.strip("|").split("|")]
    return {k: int(v.replace(".", "0")) for k, v in zip(NAMES[1:], values[1:])}


def test_rows_are_counted_once_by_what_is_printed():
    part = made_up("BB:CC.3.a/part", "SUPPORTED")
    stated = made_up("BB:LC.1", "SUPPORTED")
    judged = (line("BB:CC.3.a"), part, line("BB:CC.3.b"), line("BB:LC.1/inference"), stated)
    found = cells(status(document(*judged)), "BB: statements")
    assert (found["REFUTED"], found["repaired"]) == (2, 2)
    assert found["SUPPORTED"] == 1  # a row is the least of its parts
    assert found["PROVED"] + found["CERTIFIED"] == 0
    assert found[NOT_SETTLED] == found["rows"] - 3


def test_assumptions_and_experiments_stand_apart_and_open_settles_nothing():
    of_kind = lambda k: next(id for id, r in rows().items() if r.paper == "BB" and r.kind == k)
    kind = {k: of_kind(k) for k in ("assumption", "NUM", "PROB")}
    verdicts = {"assumption": "SUPPORTED", "PROB": "OPEN", "NUM": "PROVED"}
    text = status(document(*(made_up(kind[k], verdict, kind=k) for k, verdict in verdicts.items())))
    assert cells(text, "BB: assumptions and citations")["SUPPORTED"] == 1
    assert cells(text, "BB: experiments")["PROVED"] == 1
    assert cells(text, "BB: statements")[NOT_SETTLED] == cells(text, "BB: statements")["rows"]
    groups = ("BB: statements", "BB: assumptions and citations", "BB: experiments")
    papers = [cells(text, x)["rows"] for x in groups]
    assert sum(papers) == sum(r.paper == "BB" for r in rows().values())


def test_refuted_wins_then_the_weakest_part():
    row = "BB:CC.3.a"
    main_, part = made_up(row, "PROVED"), made_up(f"{row}/a", "SUPPORTED")
    inference = made_up(f"{row}/inference", "REFUTED")
    assert row_verdict([main_, part]) == "SUPPORTED"
    assert row_verdict([main_, made_up(f"{row}/b", "CERTIFIED")]) == "CERTIFIED"
    assert row_verdict([part]) == "SUPPORTED"
    assert row_verdict([main_, inference]) == "REFUTED"
    assert row_verdict([main_, inference, made_up(f"{row}/b", "OPEN")]) == "REFUTED"
    assert row_verdict([made_up(f"{row}/inference", "PROVED")]) == NOT_SETTLED
    assert row_verdict([made_up(row, "REFUTED"), made_up(f"{row}/b", "OPEN")]) == "REFUTED"


def test_what_is_false_or_an_edge_is_listed_with_what_uses_it():
    user = made_up("BB:CC.3", "PROVED", needs=["BB:CC.3.b"])
    listed = errata(document(line("BB:CC.3.b", severity="false", repair=None), user))
    heading, _, only = listed.split("\n")
    assert heading.startswith("## BB: Softmax as Linear")
    assert only.startswith("- Appendix C.1")
    assert "`BB:CC.3.b`" in listed
    assert "(not executed)" in listed
    assert "BB:CC.3.b" not in errata(document(line("BB:CC.3.b")))
    told = dict(why="It fails.", instead="Write $2$ for $1$. Then more.")
    edge = errata(document(line("BB:LC.4/zero", **told)))
    assert "an edge, at f = 0: It fails. *Instead:* Write $2$ for $1$." in edge
    assert "(not executed)" not in edge
    # It is told of where the error that it inherits is, if that one is in the ledger.
    inherited = line("BB:LC.4/zero", follows="BB:CC.3.b")
    assert "an edge, at f = 0:" in errata(document(inherited))
    head = errata(document(line("BB:CC.3.b"), inherited))
    assert "an edge" not in head
    assert "(`BB:CC.3.b`), a false step:" in head
    assert head.endswith(" The same error is in `BB:LC.4`.")


@pytest.mark.parametrize(
    ("authors", "cited"),
    [
        ("Jane Doe, John Roe", "Doe & Roe"),
        ("Jane Doe and John Roe,", "Doe & Roe"),
        ("A Doe, B Roe, C Poe; D Moe", "Doe et al."),
        (" ", r"Odd \| even"),
    ],
)
def test_a_paper_of_the_user_is_cited_however_its_authors_are_told(tmp_path, authors, cited):
    row = 'id = "ME:L1"\nwhere = "Lemma 1"\nkind = "INT"\nsays = "x"\nprinted = "x"\n'
    told = f'[paper]\nkey = "ME"\ntitle = "Odd | even"\nauthors = "{authors}"\n[[row]]\n{row}'
    (tmp_path / "statements.toml").write_text(told)
    made = add_folder(tmp_path)
    try:
        with limited((made,)):
            last = losses({"claims": []}).splitlines()[-1]
    finally:
        drop_folder(made)
    assert last.startswith(f"| {cited} (ME) | 0 of 1 numbered results |")


def test_time_and_place_of_a_run_leave_no_trace():
    slow, fast = document(), document()
    slow["run"] |= {"date": "2001-01-01T00:00:00", "seconds": 1e6, "python": "9.9"}
    for e in slow["claims"]:
        e["seconds"] = 100.0
    assert status(slow) == status(fast)
    assert errata(slow) == errata(fast)
    assert headline(slow) == headline(fast)


def test_a_ledger_of_a_part_of_other_random_numbers_or_with_faults_is_refused():
    with pytest.raises(InputError, match="some claims only"):
        status(document(partial=True))
    with pytest.raises(InputError, match=r"not in order, the first: BB:CC\.3\.b: slip"):
        status(document(line("BB:CC.3.b", faults=["slip"])))
    other = document()
    other["run"]["reseed"] = 3
    with pytest.raises(InputError, match="--reseed 3; run all claims without it"):
        status(other)


def test_write_then_check_then_change(tmp_path, ran):
    write_json(document(), tmp_path / "ledger.json")
    readme = tmp_path / "README.md"
    readme.write_text(f"# Title\n\n{BEGIN}\n{END}\n\nend\n")
    command = ["status", "--ledger", str(tmp_path)]
    assert f"--write {readme}" in ran(1, *command, "--check", readme).err
    assert main([*command, "--write", str(readme)]) == 0
    written = readme.read_text()
    assert main([*command, "--write", str(readme)]) == 0
    assert readme.read_text() == written
    assert written.startswith(f"# Title\n\n{BEGIN}\n\n| ")
    assert written.endswith(f"\n\n{END}\n\nend\n")
    assert main([*command, "--check", str(readme)]) == 0
    write_json(document(line("BB:CC.3.a")), tmp_path / "ledger.json")
    assert main([*command, "--check", str(readme)]) == 1
    assert readme.read_text() == written


def test_the_ledger_of_the_release_is_kept_in_step(tmp_path, capsys, ran):
    write_json(document(), tmp_path / "ledger.json")
    release = tmp_path / "release.json"
    command = ["status", "--ledger", str(tmp_path)]
    assert main([*command, "--check", str(release)]) == 1
    assert main([*command, "--write", str(release)]) == 0
    written = release.read_text()
    again = document()
    again["run"]["date"] = "2001-01-01T00:00:00+00:00"
    for e in again["claims"]:
        e["seconds"] = 7.0
        e["slack"] = e["slack"] and e["slack"] * (1 + 1e-9)
    write_json(again, tmp_path / "ledger.json")
    assert main([*command, "--check", str(release)]) == 0
    assert main([*command, "--write", str(release)]) == 0
    assert release.read_text() == written
    for change in ({"verdict": "SUPPORTED"}, {"why": "another reason"}, {"line": "elsewhere.py:1"}):
        write_json(document(line("BB:CC.3.a"), line("BB:CC.3.b") | change), tmp_path / "ledger.json")
        write_json(document(line("BB:CC.3.a"), line("BB:CC.3.b")), release)
        capsys.readouterr()
        assert "BB:CC.3.b" in ran(1, *command, "--check", release).err


def test_every_file_gets_the_blocks_that_it_has_marks_for(tmp_path, ran):
    write_json(document(line("BB:CC.3.b", severity="false")), tmp_path / "ledger.json")
    first, last = marks("errata")
    readme, listed = tmp_path / "README.md", tmp_path / "errata.md"
    readme.write_text(f"{BEGIN}\n{END}\n")
    listed.write_text(f"{first}\n{last}\n")
    command, files = ["status", "--ledger", str(tmp_path)], [str(readme), str(listed)]
    assert main([*command, "--write", *files]) == 0
    assert main([*command, "--check", *files]) == 0
    assert "\n- " not in readme.read_text()
    assert "\n| " not in listed.read_text()
    assert listed.read_text().count("`BB:CC.3.b`") == 1
    listed.write_text(f"{first}\n\nold\n\n{last}\n")
    told = ran(1, *command, "--check", *files).err
    assert str(listed) in told
    assert str(readme) not in told


def test_a_text_without_its_marks_is_refused(tmp_path, capsys):
    for text in ("", BEGIN, END, f"{END}{BEGIN}", f"{BEGIN}{END}{BEGIN}{END}"):
        with pytest.raises(InputError, match=r"x\.md"):
            replaced(text, {"status": "t", "errata": "e"}, "x.md")
    write_json(document(), tmp_path / "ledger.json")
    assert main(["status", "--ledger", str(tmp_path), "--check", str(tmp_path / "none.md")]) == 2
    assert "none.md: No such file or directory; name a text file such as README.md" in capsys.readouterr().err


def test_rules_are_told_and_counted(tmp_path, ran):
    write_json(document(), tmp_path / "ledger.json")
    captured = ran(1, "status", "--ledger", tmp_path, "--rules", "BB")
    assert "of the SYM and INT rows are decided, not" in captured.err
    assert main(["status", "--ledger", str(tmp_path), "--rules", "XX"]) == 2
