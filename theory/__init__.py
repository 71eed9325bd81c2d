"""What the papers, and we, say: definitions, closed forms, bounds, vector fields and limits. Imports nothing of ours."""
