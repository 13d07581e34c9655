"""Bracket scores equal to EVALB's, and further scores and reports on the same matches."""
