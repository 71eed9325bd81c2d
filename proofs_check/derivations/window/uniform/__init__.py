"""Uniform tokens of the sphere in every dimension: Theorem 3.4 of Collins et al. and its needs."""
