"""Derivations about the attention window."""
