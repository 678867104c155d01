"""Answers as people write them: numbers, vectors, formulas and words, read into values and trees."""
