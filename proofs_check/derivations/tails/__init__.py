"""Derivations about the largest of several tokens and about tails."""
