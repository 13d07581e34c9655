"""Numbers without a meaning of their own: grouping, ragged arrays, kernels that several rooms share."""
