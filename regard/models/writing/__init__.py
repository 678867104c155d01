"""Generate text with models."""
