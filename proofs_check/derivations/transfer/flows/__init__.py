"""Derivations about flows of parameters, by the rules for functions of time."""
