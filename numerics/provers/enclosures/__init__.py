"""Enclosures of expressions on boxes (intervals) and of constants and integrands (Arb balls)."""
