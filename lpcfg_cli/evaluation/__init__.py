"""Bracket scores that equal EVALB's, and richer reports on the same matches."""
