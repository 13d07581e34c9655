"""Sentences with heads and relations: files, projectivity, conversion of constituency trees, drawing, scores."""
