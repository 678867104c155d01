"""Many people's answers: each file read and marked in a process of its own, with limits, then told in pages."""
