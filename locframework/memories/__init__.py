"""Translation memories: entries, fuzzy matches, concordance."""
