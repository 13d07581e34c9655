"""Arrays of any content: grouping, ragged arrays, random streams; how kernels are compiled and cached."""
