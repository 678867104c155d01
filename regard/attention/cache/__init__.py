"""What is kept from token to token."""
