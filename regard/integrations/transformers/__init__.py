"""`attn_implementation="regard"` for the models of Hugging Face's transformers."""

from typing import TYPE_CHECKING, Any

from regard.integrations.transformers.registration import register

if TYPE_CHECKING:
    from regard.integrations.transformers.packing import leave_out_pads

__all__ = ["leave_out_pads", "register"]


def __getattr__(name: str) -> Any:
    """What needs transformers itself is imported when it is asked for."""
    if name != "leave_out_pads":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from regard.integrations.transformers.packing import leave_out_pads

    return leave_out_pads
