"""Steps of the proofs of Theorems E.1 and E.2 of Collins et al., and what holds in their place."""
