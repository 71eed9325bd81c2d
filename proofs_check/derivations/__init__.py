"""Proofs that the kernel of `numerics.derivations` checks: each returns a theorem."""
