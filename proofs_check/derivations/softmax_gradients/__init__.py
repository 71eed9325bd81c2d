"""Derivations about the gradients of the output in U and in V, and about the tilted law."""
