"""The experiments of Collins et al.: what Section 3.2 and Appendix J say about their figures."""
