"""Experiments on images: models of heads alone, of convolutions, and vision transformers."""
