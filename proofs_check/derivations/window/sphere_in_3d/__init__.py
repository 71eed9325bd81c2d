"""Tokens of the sphere of R^3, whose heights over a query are uniform."""
