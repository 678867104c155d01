"""IST Lisbon, Deep Learning practical 10."""

from regard.claims.ist import numbers, reversal, sums

CLAIMS = (*numbers.CLAIMS, *sums.CLAIMS, reversal.PLAIN, reversal.WITH_ATTENTION, sums.MODULE, reversal.MAP)
