"""Boursier & Boyer."""
