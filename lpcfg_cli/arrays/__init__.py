"""Arrays of any content: grouping, ragged arrays, and kernels that several folders share."""
