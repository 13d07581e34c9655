"""The stages of training, one module each: read artefacts, call the core, write artefacts, return a report."""
