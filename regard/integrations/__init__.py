"""Doors into other libraries, each imported only where it is opened."""
