"""Derivations about prompts of independent tokens: counts of the classes, and attention by them."""
