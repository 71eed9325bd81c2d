"""Theorem 4.3 of Boursier & Boyer for in-context linear regression: Theorem 5.2 and Remark 5.3."""
