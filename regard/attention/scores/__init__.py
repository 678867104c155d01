"""What is scored."""
