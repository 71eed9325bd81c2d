"""Section 2: a score s outside of {score >= c} comes in when M is doubled."""
s, c = 1, 2
print("s, c =", s, c, "; with 2M the score is", 2 * s)
assert s < c <= 2 * s
