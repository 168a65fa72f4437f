"""Example application: serves locframework with a demo project."""
