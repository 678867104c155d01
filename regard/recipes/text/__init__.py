"""Recipes that learn from text: language models, BERT's objectives, translation."""
