"""EM over any model: the loop, stopping, monitor, checkpoint; and EM for mixture weights."""
