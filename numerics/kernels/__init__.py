"""Numba kernels, compiled at first use and never at import."""
