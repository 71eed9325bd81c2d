"""A kernel of proofs for inequalities between means over independent tokens."""
