"""What people read, above the claims whose verdicts it prints: documents, figures, rates."""
