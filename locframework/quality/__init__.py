"""Checks on texts: pure, quick, and the same on every path."""
