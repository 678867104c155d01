"""Side by side with the peers, in one run: first equal, then timed."""
