"""Section 5.3 has two phases of the sharp regime, I and III; Proposition 4 and Lemma 10 end Phase
II; Section 6 counts three."""

phases_in_6, phases_in_5_3 = 3, len({"I", "III"})
print(phases_in_6, "against", phases_in_5_3)
assert phases_in_6 > phases_in_5_3
