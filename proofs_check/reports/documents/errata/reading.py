"""What a reader of the errata is told about them."""

from __future__ import annotations

__all__ = ["BOTH_SIDES", "PRINTS", "READINGS", "SEVERITY", "UNDER", "how_to_read"]

#: What the words for how grave an error is mean, in the table and everywhere else.
SEVERITY = (
    "*False in its own regime*: the counterexample keeps failing when it is moved a little. *False at* some "
    "points *only*: at the degenerate points that are named. *A false step*, *a gap in its proof* and *a "
    "missing hypothesis* are what they say. *Text and code differ*: the authors' code does otherwise than "
    "the text says. *A slip of notation* misleads nobody who knows what is meant. Below it stands what the "
    "paper loses once the line is mended, if anything."
)
#: What goes with every statement that is true instead.
UNDER = "Its hypotheses are the printed ones, except where it names others."
#: What stands above a script, and above what it prints.
BOTH_SIDES = "This script computes the numbers anew; its first line says what they are:"
PRINTS = "It prints:"
#: What the list of readings is.
READINGS = (
    "Places that are damaged or can be read in several ways were settled once for the whole paper. Each line "
    "says how one is read, which other readings there are, and what would change."
)
_HOW_TO_READ = (
    "Each entry quotes a line of the paper as it is printed, and how it was read. For each of its errors it "
    "says why the line fails, gives the smallest counterexample that was found (the shortest prompt, then "
    "the lowest dimension, then the shortest numbers) and the nearest true statement. Then it names the "
    "lines that inherit the error, with what differs there, and what becomes of the results that use the "
    "line. The lines were copied from that version: a slip of copying would be ours.",
    (
        "`largeprompt show` with an identifier, such as `{id}`, tells more of any line, also of those that "
        "only inherit an error."
    ),
    "{names}Names in the counterexamples are those of the printed formula, as a keyboard has them: `sigma2` "
    "is the square of sigma, and `left` and `right` are the two sides. Where the paper claims "
    "that constants exist, both sides are shown for one choice of them, at the first instance of a sequence "
    "at which it fails, and the sequence along which it fails for all. In the "
    "report of a search, `reached a of b` sets the largest ratio that was found against the largest that the "
    "statement allows.",
    "The script of an error has at most ten lines and needs nothing but Python with NumPy, SciPy, SymPy and "
    "mpmath, of which most scripts use none. It says what it computes, prints it, and ends with an assertion "
    "that holds because the printed line fails.",
    "A true statement is PROVED if it came out of exact symbolic or rational steps itself, CERTIFIED if some "
    "step is a rigorous enclosure over the whole stated domain, ARGUED if a human sentence joins such parts, "
    "and SUPPORTED if it withstood exact instances with a search for the worst, or statistics; what is only "
    "SUPPORTED is not proved here. Where a number of the printed line was changed to get the true one, both "
    "are given.",
)


def how_to_read(id: str, names: str) -> tuple[str, ...]:
    """The paragraphs, with an identifier as an example, and a sentence (or nothing) on what names
    in the counterexamples of the paper stand for.

    >>> how_to_read("BB:LC.4", "Here `a` is $a$.")[2].split(". ")[0]
    'Here `a` is $a$'
    """
    fill = {"{id}": id, "{names}": f"{names} Other names" if names else "Names"}
    return tuple(
        part.replace("{id}", fill["{id}"]).replace("{names}Names", fill["{names}"]) for part in _HOW_TO_READ
    )
