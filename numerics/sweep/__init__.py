"""Sweeps over grids of runs: every law of tokens with every U, V and query, at every prompt length,
cut into blocks that are computed once, kept in a store, and spread over threads or machines.
"""
