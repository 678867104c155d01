"""Recurrent sequence-to-sequence models: one LSTM reads, another writes, with attention between them or without."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.attention.scores.relative import readable
from regard.checks import check_probability, check_sizes
from regard.generation import Reader
from regard.generation.sampling import pad_rows
from regard.layers.recurrent import DotProductAttention
from regard.models.cross_entropy import score_words
from regard.models.tokens import Lengths, Maps, Output, real_tokens
from regard.models.writing.writer import Writer

State = tuple[Tensor, Tensor]  # h and c of every layer, (depth, B, hidden)


@dataclass(frozen=True, kw_only=True)
class RecurrentConfig:
    """An encoder and a decoder of `depth` LSTM layers each, `hidden` wide, on embeddings of `width`.

    Dropout acts on embeddings, between layers, and on what the head takes; never from one step to the next.

    >>> config = RecurrentConfig(vocabulary=7, width=16, hidden=32)
    >>> [tokens.shape for tokens in config.inputs(2, 5, target=6)]
    [torch.Size([2, 5]), torch.Size([2, 6])]
    """

    vocabulary: int
    width: int
    hidden: int
    depth: int = 1
    attention: bool = True
    target_vocabulary: int | None = None  # None: as vocabulary; the embeddings are two in any case
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_sizes(self, "vocabulary", "width", "hidden", "depth")
        check_sizes(self, "target_vocabulary", optional=True)
        if type(self.attention) is not bool:
            raise ValueError(f"attention must be True or False: got attention={self.attention!r}; it is dot-product")
        check_probability("dropout", self.dropout)

    @property
    def target_words(self) -> int:
        return self.vocabulary if self.target_vocabulary is None else self.target_vocabulary

    def inputs(self, batch: int = 1, tokens: int | None = None, target: int | None = None) -> tuple[Tensor, Tensor]:
        """Random sources and targets to call the model with; of 32 tokens unless given."""
        S = tokens or 32
        return torch.randint(self.vocabulary, (batch, S)), torch.randint(self.target_words, (batch, target or S))


class Recurrent(Writer):
    """A decoder LSTM begins with the final state of an encoder LSTM, and with attention looks up what it has read.

        h_j, z = LSTM(source)        s_i = LSTM(target from z)        logits_i = W s̃_i        s̃_i = tanh(W_c [c_i; s_i])

    c_i = Σ_j softmax_j(s_iᵀh_j) h_j is the context; without attention s̃_i = s_i, and z is all that the decoder knows of
    the source. s̃_i goes to the head alone: there is no input feeding, so that all positions of a target attend at
    once.

    >>> config = RecurrentConfig(vocabulary=7, width=16, hidden=32)
    >>> out = Recurrent(config)(*config.inputs(2, 5, target=6), lengths=(5, 3), maps=True)
    >>> out.logits.shape, out.maps["cross"][0].shape
    (torch.Size([2, 6, 7]), torch.Size([2, 1, 6, 5]))

    Sutskever et al., *Sequence to Sequence Learning with Neural Networks*, NIPS 2014. Luong et al., *Effective
    Approaches to Attention-based Neural Machine Translation*, EMNLP 2015.
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        between = config.dropout if config.depth > 1 else 0.0  # torch warns of dropout between no layers
        self.source_embedding = nn.Embedding(config.vocabulary, config.width)
        self.target_embedding = nn.Embedding(config.target_words, config.width)
        self.encoder, self.decoder = (
            nn.LSTM(config.width, config.hidden, config.depth, batch_first=True, dropout=between) for _ in range(2)
        )
        self.attention = DotProductAttention(config.hidden) if config.attention else None
        self.head = nn.Linear(config.hidden, config.target_words, bias=False)

    def forward(
        self,
        source: Int[Tensor, "B S"],
        target: Int[Tensor, "B T"],
        lengths: Lengths | None = None,
        maps: bool | Maps = False,
        *,
        target_lengths: Lengths | None = None,
        targets: Int[Tensor, "B T"] | None = None,
        smoothing: float = 0.0,
    ) -> Output:
        """The scores of the next word at each position of the target; `lengths` of the source's rows are real.

        Lengths are read on the host: those of a tensor on a GPU are waited for. With `targets`, the words to come,
        there is their loss in place of the scores, as of a `Decoder`.
        """
        if maps and self.attention is None:
            raise ValueError("maps are of attention: got maps=True for a model without it; use attention=True")
        if len(source) != len(target):
            raise ValueError(
                f"source and target must have the same number of rows: got B={len(source)} and B={len(target)}; "
                "give each source its target"
            )
        memory, state = self.encode(source, lengths)
        s, _ = self.decode(target, state, target_lengths)
        hidden = self.attended(s, memory, lengths)
        kept = Maps.of(maps).kept(("cross",), depth=1, num_heads=1) if maps else None
        if self.attention is not None and kept is not None:
            kept.add("cross", self.attention.weights(s, memory, lengths))
        out = Output(hidden=hidden, maps=None if kept is None else kept.all(), memory=memory)
        if targets is None:
            return replace(out, logits=self.scores(hidden))
        scored = score_words(self._dropped(hidden), self.head.weight, targets, smoothing=smoothing)
        return replace(out, **scored._asdict())

    def encode(
        self, source: Int[Tensor, "B S"], lengths: Lengths | None = None
    ) -> tuple[Float[Tensor, "B S C"], State]:
        """The states of the last layer, zero at pads, and of all layers the state after the last real token."""
        return self._through(self.encoder, self.source_embedding, source, lengths, None)

    def decode(
        self, target: Int[Tensor, "B T"], state: State, lengths: Lengths | None = None
    ) -> tuple[Float[Tensor, "B T C"], State]:
        """The same of a target, or of a piece of one, that goes on from `state`."""
        return self._through(self.decoder, self.target_embedding, target, lengths, state)

    def attended(
        self, s: Float[Tensor, "B T C"], memory: Float[Tensor, "B S C"], lengths: Lengths | None = None
    ) -> Float[Tensor, "B T C"]:
        """s̃ of a decoder's states."""
        return s if self.attention is None else self.attention(s, memory, lengths)

    def scores(self, hidden: Float[Tensor, "*B C"]) -> Float[Tensor, "*B V"]:
        """The score of each word to come next, of s̃."""
        return self.head(self._dropped(hidden))

    def reader(self, source: Int[Tensor, "B S"], lengths: Lengths | None = None) -> "RecurrentReader":
        """What reads targets of these sources piece by piece, to write them."""
        return RecurrentReader(self, source, lengths)

    def begin(self, prompts: list[list[int]], max_new: int, start: int | None) -> tuple[Reader, list[list[int]]]:
        reader = self.reader(*pad_rows(prompts, self.head.weight.device))
        return reader, [[self.start(start)] for _ in prompts]

    def room(self, prompts: list[list[int]]) -> int | None:
        return None

    def _through(
        self, lstm: nn.LSTM, embedding: nn.Embedding, tokens: Tensor, lengths: Lengths | None, first: State | None
    ) -> tuple[Tensor, State]:
        numbers = None if lengths is None else _numbers(lengths, tokens)
        x = self._dropped(embedding(real_tokens(tokens, embedding.num_embeddings, numbers)))
        if numbers is None:
            return lstm(x, first)
        count = torch.tensor(numbers, device="cpu")
        packed, state = lstm(pack_padded_sequence(x, count, batch_first=True, enforce_sorted=False), first)
        return pad_packed_sequence(packed, batch_first=True, total_length=x.shape[1])[0], state

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.config.dropout, self.training)


class RecurrentReader:
    """A model that has read its sources and the beginnings of its targets: the decoder's state, and the memory.

    It keeps no gradient, and drops out where the model trains: call `model.eval()` before.

    >>> model = Recurrent(RecurrentConfig(vocabulary=7, width=16, hidden=32)).eval()
    >>> source, target = model.config.inputs(2, 5)
    >>> reader = model.reader(source)
    >>> _ = reader.read(target[:, :2])
    >>> torch.allclose(reader.read(target[:, 2:]), model(source, target).logits[:, -1], atol=1e-6)
    True
    """

    @torch.no_grad()
    def __init__(self, model: Recurrent, source: Int[Tensor, "B S"], lengths: Lengths | None = None) -> None:
        self.model = model
        self.memory, self.state = model.encode(source, lengths)
        # As a tensor, whatever came: rows are put in another order without the host.
        self.lengths = None if lengths is None else torch.as_tensor(lengths, device=source.device)

    @property
    def batch(self) -> int:
        return len(self.memory)

    @torch.no_grad()
    def read(self, tokens: Int[Tensor, "B n"], lengths: Lengths | None = None) -> Float[Tensor, "B V"]:
        """The scores of what follows the last token of each row; `lengths` of the new tokens are real."""
        if len(tokens) != self.batch:
            raise ValueError(f"tokens must be of the {self.batch} rows that are read: got B={len(tokens)}; use reorder")
        s, self.state = self.model.decode(tokens, self.state, lengths)
        if lengths is None:
            s = s[:, -1:]
        else:
            last = torch.as_tensor(lengths, device=s.device) - 1
            s = s.take_along_dim(last[:, None, None], 1)
        return self.model.scores(self.model.attended(s, self.memory, self.lengths))[:, 0]

    def reorder(self, index: Int[Tensor, " rows"]) -> None:
        """Row i becomes what row index[i] was; there may be more rows than before, or fewer."""
        if index.ndim != 1 or not len(index) or index.dtype not in (torch.int64, torch.int32):
            raise ValueError(
                f"index must be whole numbers (rows,), one or more: got {index.dtype} of shape {tuple(index.shape)}"
            )
        if readable(index):
            low, high = (int(n) for n in index.aminmax())
            if low < 0 or high >= self.batch:
                raise ValueError(f"index must lie in 0…{self.batch - 1}: got {low if low < 0 else high}; use old rows")
        h, c = self.state
        self.state = (h.index_select(1, index), c.index_select(1, index))
        self.memory = self.memory.index_select(0, index)
        self.lengths = None if self.lengths is None else self.lengths.index_select(0, index)


def _numbers(lengths: Lengths, tokens: Tensor) -> tuple[int, ...]:
    """Checked lengths on the host, where sequences are packed."""
    shape = tuple(lengths.shape) if isinstance(lengths, Tensor) else (len(lengths),)
    if shape != (len(tokens),):
        raise ValueError(
            f"lengths must have one number for each row: got shape {shape} for B={len(tokens)}; "
            "count the real tokens of each row"
        )
    numbers = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    for row, number in enumerate(numbers):
        if type(number) is not int or not 1 <= number <= tokens.shape[-1]:
            raise ValueError(
                f"lengths must be whole numbers in 1…{tokens.shape[-1]}: got {number!r} in row {row}; "
                "count the real tokens of each row"
            )
    return tuple(numbers)
