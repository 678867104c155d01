"""Questions about attention, and answers to them: read as people write them, compared exactly, marked with reasons."""
