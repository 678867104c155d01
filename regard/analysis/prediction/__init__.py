"""How long a model takes and what it needs, on one machine or on many, before anything is run."""
