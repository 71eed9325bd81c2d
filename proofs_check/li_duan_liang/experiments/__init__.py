"""The experiments of Li, Duan & Liang: what Section 6 and Appendix A say about their figures."""
