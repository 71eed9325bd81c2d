"""A colour never stands without its letter; green: nothing is left to believe."""

import io

from _pytest._io import TerminalWriter
from rich.color import ColorSystem
from rich.style import Style

from numerics.evidence import Verdict
from numerics.terminal.colours import COLOURS, LETTERS, pytest_markup


def test_every_verdict_has_a_letter_of_its_own_and_a_colour_that_says_what_was_executed():
    assert set(COLOURS) == set(LETTERS) == {*Verdict, "not settled"}
    assert len(set(LETTERS.values())) == len(LETTERS)
    of = lambda wanted: {v for v, colour in COLOURS.items() if colour == wanted}
    assert (of("green"), of("red")) == ({v for v in Verdict if v.executed}, {Verdict.REFUTED})


def test_rich_and_pytest_know_the_colours():
    writer = TerminalWriter(io.StringIO())
    writer.hasmarkup = True
    for verdict, colour in COLOURS.items():
        ours = Style.parse(colour).render("x", color_system=ColorSystem.STANDARD)
        assert ours == writer.markup("x", **pytest_markup(verdict))
