"""Caps of the sphere, kernel sums and the noise term of Collins et al. (Appendices D, G, I)."""
