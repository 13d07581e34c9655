"""The local server: a page to try a model on, and a JSON endpoint for programs."""
