"""Grids of runs, cut into blocks that are computed once, kept in a store, and spread over threads
or machines.

=============  ===============================================================================================
`spec`         a grid as a person writes it (TOML), read and checked before anything is computed
`entries`      its named token laws, matrices and queries
`matrices`     their shorthand for vectors and matrices
`laws`         the token laws of a grid as JSON, a user's own included, and back
`blocks`       the pieces of work: what determines their numbers, and the key under which these are stored
`run`          asks the store, runs what is missing, joins what is there
`cluster`      the same blocks on a Dask cluster
`cli`          the command ``sweep``
=============  ===============================================================================================
"""
