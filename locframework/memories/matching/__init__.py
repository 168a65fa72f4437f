"""Fuzzy matching and concordance search in translation memories."""
