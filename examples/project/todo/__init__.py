"""A small list of things to do."""
