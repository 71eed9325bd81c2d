"""The setting of Li, Duan & Liang, Lemmas 1 and 2 with their proofs, and Proposition 1."""
