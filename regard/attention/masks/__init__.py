"""Who may attend to whom."""
