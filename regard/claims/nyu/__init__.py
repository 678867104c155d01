"""NYU, Deep Learning homework 3, theory."""

CLAIMS = ()
