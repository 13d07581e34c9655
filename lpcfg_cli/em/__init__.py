"""What all EM shares: the loop over a model, stopping, monitor, checkpoint; mixture weights."""
