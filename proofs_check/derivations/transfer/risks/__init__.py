"""Derivations about risks and their gradients, finite prompts beside infinite ones."""
