"""Telling transformers the name `regard`: what computes attention, and what makes masks."""

import importlib

from regard.checks import MissingExtra

NAME = "regard"
# Models that choose among classes of their own, which compute attention themselves.
CHOOSERS = (
    "bark.modeling_bark", "data2vec.modeling_data2vec_vision", "deepseek_ocr2.modeling_deepseek_ocr2",
    "git.modeling_git", "gpt_neo.modeling_gpt_neo", "gptj.modeling_gptj", "sam.modeling_sam", "sam_hq.modeling_sam_hq",
    "superglue.modeling_superglue", "unlimited_ocr.modeling_unlimited_ocr",
)  # fmt: skip


def register() -> None:
    """Make `attn_implementation="regard"` known to transformers; a second call changes nothing.

    >>> register()
    >>> from transformers import BertConfig, BertModel
    >>> config = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    >>> BertModel._from_config(config, attn_implementation="regard").config._attn_implementation
    'regard'
    """
    try:
        from transformers import AttentionInterface
        from transformers.masking_utils import AttentionMaskInterface
        from transformers.models.falcon import modeling_falcon

        from regard.integrations.transformers.calls import attend_for_module
        from regard.integrations.transformers.falcon import attention_class
        from regard.integrations.transformers.masks import make_mask
    except ImportError as error:
        raise MissingExtra("attn_implementation='regard'", "transformers 5.22 or newer", "transformers") from error

    # Both, always: a model whose implementation has no mask function silently gets no mask.
    AttentionInterface.register(NAME, attend_for_module)
    AttentionMaskInterface.register(NAME, make_mask)
    modeling_falcon.FALCON_ATTENTION_CLASSES.setdefault(NAME, attention_class())
    for module in CHOOSERS:
        try:
            names = vars(importlib.import_module(f"transformers.models.{module}"))
        except ModuleNotFoundError:  # other versions of transformers have other models
            continue
        for table in [value for name, value in names.items() if name.endswith("_ATTENTION_CLASSES")]:
            table.setdefault(NAME, table.get("sdpa", table["eager"]))  # as where no implementation is named
