"""What may reach an output: patterns of masks, their composition over layers, receptive fields and path lengths."""
