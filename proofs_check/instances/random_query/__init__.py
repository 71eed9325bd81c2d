"""Errors of attention averaged over a random query: bounds, their steps, and weighted moments."""
