"""Lemma B.5 of Collins et al.: every minimiser of the loss is a multiple of the identity."""
