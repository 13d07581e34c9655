"""The command line: one file a subcommand, and nothing else that prints."""
