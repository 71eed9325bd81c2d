"""Derivations about the loss and the updates of attention over features, for any law of prompts."""
