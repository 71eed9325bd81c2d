"""The papers' statements as executable claims, and the ledger of their verdicts."""
