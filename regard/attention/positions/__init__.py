"""Where queries and keys stand."""
