"""Appendix H of Collins et al. in every dimension and for every number of tokens."""
