"""IST Lisbon, Deep Learning practical 10."""

CLAIMS = ()
