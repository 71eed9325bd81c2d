"""The runs behind the figures of the papers, and nothing of their pages."""
