"""Exact engines: a normal form for identities, and signs of polynomials and rational functions."""
