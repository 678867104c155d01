"""From a call to the algorithm that computes it."""
