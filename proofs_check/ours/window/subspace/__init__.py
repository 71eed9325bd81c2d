"""What is true of tasks of low rank beyond Appendix H of Collins et al."""
