"""Artefact files: headers, versions, hashes, atomic writes; the lock of a run directory."""
