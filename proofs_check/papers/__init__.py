"""Which papers there are, their printed statements, and what is kept beside these."""
