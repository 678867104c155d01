"""Falcon chooses its attention by a table of classes rather than of functions: the class for ours."""

from typing import Any

from torch import Tensor


def attention_class() -> type:
    """Falcon's attention with the projections and the cache of its own, and `attend` between them."""
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
    from transformers.models.falcon.modeling_falcon import FalconAttention, apply_rotary_pos_emb

    class FalconRegardAttention(FalconAttention):
        """`FalconAttention` by `attend`."""

        def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
            self,
            hidden_states: Tensor,
            alibi: Tensor | None,
            attention_mask: Any,
            layer_past: Any = None,
            output_attentions: bool = False,
            position_embeddings: Any = None,
            **_: Any,
        ) -> tuple[Tensor, Tensor | None]:
            q, k, v = [x.transpose(1, 2) for x in self._split_heads(self.query_key_value(hidden_states))]
            if alibi is None:
                q, k = apply_rotary_pos_emb(q, k, *position_embeddings)
            if layer_past is not None:
                k, v = layer_past.update(k, v, self.layer_idx)
            bias, dropout = None, 0.0
            if alibi is not None:  # (B·H, 1, S); only beside it does Falcon drop weights
                bias = self.inv_norm_factor * alibi.view(q.shape[0], self.num_heads, 1, -1).expand(
                    -1, -1, q.shape[2], -1
                )
                dropout = self.attention_dropout.p if self.training else 0.0
            out, maps = ALL_ATTENTION_FUNCTIONS[self.config._attn_implementation](
                self,
                q,
                k,
                v,
                attention_mask,
                dropout=dropout,
                scaling=self.inv_norm_factor,
                output_attentions=output_attentions,
                position_bias=bias,
            )
            return self.dense(out.flatten(2)), maps

    return FalconRegardAttention
