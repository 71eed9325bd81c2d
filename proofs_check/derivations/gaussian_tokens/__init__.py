"""Derivations about Gaussian tokens, tasks and queries."""
