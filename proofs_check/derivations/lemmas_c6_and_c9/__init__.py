"""Derivations that join the steps of a proof of Boursier & Boyer in Appendices C and D."""
