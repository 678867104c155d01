"""Models whose weights are far from those of the beginning."""

from typing import Any

import torch


def shaken(model: Any, by: float = 0.3) -> Any:
    """A model in which no weight has a value that could hide a mistake, such as a bias of zero."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += by * torch.randn_like(parameter)
    return model.eval()
