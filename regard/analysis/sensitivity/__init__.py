"""How outputs and gradients answer to a change: Jacobians, perturbed tokens, depth."""
