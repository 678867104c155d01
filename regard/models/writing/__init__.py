"""Text out of models."""
