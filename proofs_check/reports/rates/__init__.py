"""Reports of rates: measured exponents beside the laws that the papers and we state."""
