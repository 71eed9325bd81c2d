"""Hostile input for every public function and command, and what counts as a good end."""
