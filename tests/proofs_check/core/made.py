"""Evidence and claims that are made up, for tests that judge them."""

from numerics.evidence import Evidence, Verdict

#: The row lends its place only.
ROW = "BB:CC.3.b"
EXACT = "exact arithmetic"


def proved(checked="", **more):
    return Evidence(verdict=Verdict.PROVED, engine=EXACT, checked=checked, **more)


def refuted(checked="", **witness):
    point = witness or {"x": 1}
    return Evidence(verdict=Verdict.REFUTED, engine=EXACT, checked=checked, witness=point, witness_by="exact")


def opened(reason="gave up", engine="branch and bound"):
    return Evidence(verdict=Verdict.OPEN, engine=engine, reason=reason)


def at_least_two(c, **witness):
    return proved("c") if c >= 2 else refuted("c", **witness)
