"""One suite of tests per port; a plugin subclasses it and gives a fixture."""
