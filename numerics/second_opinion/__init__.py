"""Asks z3 what is algebraic, with facts about exp and log that Arb supplies: again, the questions that
verdicts of claims rest on, and first, what the engines of `forall` leave open and no claim rests on.
Nothing here is shared with those engines.
"""
