"""The command line: one file for each subcommand.  All printing is done here."""
