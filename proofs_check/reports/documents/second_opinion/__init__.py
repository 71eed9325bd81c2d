"""Who else confirms the arithmetic that verdicts rest on: what was asked, and the kept answers."""
