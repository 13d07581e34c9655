"""The commands on dependency trees, one module each."""
