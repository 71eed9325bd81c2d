"""The provers."""
