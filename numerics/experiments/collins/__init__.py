"""The runs of Figures 1 to 5, 7 and 9 of Collins et al., trained and exact."""
