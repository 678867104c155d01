"""IST Lisbon, Deep Learning practical 10."""

from regard.claims.claim import claims_in
from regard.claims.ist import numbers, reversal, sums

CLAIMS = claims_in(numbers, sums, reversal)
