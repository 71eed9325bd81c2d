"""Theorem 4.4 of Collins et al. for prompts of every length, without noise."""
