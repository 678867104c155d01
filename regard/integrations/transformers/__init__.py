"""`attn_implementation="regard"` for the models of Hugging Face's transformers."""

from regard.integrations.transformers.registration import register

__all__ = ["register"]
