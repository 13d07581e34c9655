"""Artefact files: headers, versions, hashes, atomic writes."""
