"""One module a subcommand: read artefacts, call the core, write artefacts, return a report."""
