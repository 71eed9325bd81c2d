"""Statements as data, the search for counterexamples, and the ways in which they are proved."""
