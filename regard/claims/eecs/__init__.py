"""UC Berkeley, EECS 182, final review."""

CLAIMS = ()
