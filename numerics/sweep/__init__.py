"""Sweeps over grids of runs: every law of tokens with every U, V and query, at every prompt length,
cut into blocks that are computed once, kept in a store, and spread over threads or machines.

===============  ===================================================================================
`grid`           a grid as a person writes it in TOML, read and checked before anything is computed
`grid_tables`    its tables: named laws of tokens, matrices and queries
`matrices`       the shorthands for vectors and matrices in them
`laws`           laws of tokens as JSON, a user's own included, and back
`blocks`         the pieces of the runs: what their numbers depend on, and how these are computed
`run`            takes from the store what it has, computes the rest, and joins the blocks
`cluster`        computes the same blocks on a Dask cluster
`cli`            the command ``sweep``
===============  ===================================================================================
"""
