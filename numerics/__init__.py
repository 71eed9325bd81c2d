"""Engines: provers, enumeration, quadrature, Monte Carlo, flows, fits and rate reports. Imports `theory`, never `proofs_check`."""
