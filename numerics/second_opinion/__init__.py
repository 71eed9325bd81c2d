"""Asks z3 what is algebraic, with facts about exp and log that Arb supplies: a second time, what
verdicts of claims rest on; and what the engines of `forall` leave open, on which no claim rests.
Nothing here is shared with those engines.
"""
