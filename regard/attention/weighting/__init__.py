"""How logits become weights."""
