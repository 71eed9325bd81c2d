"""Lemma G.4 of Collins et al.: the sums g_p over n tokens, by their numbers in caps and rings."""
