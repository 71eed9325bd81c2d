"""Derivations about regression over finitely many features."""
