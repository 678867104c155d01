"""How quickly models go, by the clock: a step, training, writing, and the share of the machine's peak."""
