"""Published models: their configurations, weights and preprocessing."""
