"""Asks the questions that verdicts rest on again, of somebody else: z3 for what is algebraic, with
facts about exp and log that Arb supplies. Nothing here is shared with the provers.
"""
