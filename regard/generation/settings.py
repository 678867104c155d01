"""How to generate: how many tokens, how they are chosen, where to stop."""

import math
from dataclasses import dataclass

from regard.checks import check_sizes


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The likeliest token each time, unless there is a `temperature` to draw by, or there are `beams`.

        p_t ∝ exp(score_t / temperature)        among the tokens that top_k, top_p and min_p leave

    `top_k` leaves the k likeliest tokens, `top_p` the fewest that have this probability together, `min_p` those with at
    least this part of the likeliest one's probability; in this order. `repetition_penalty` divides the positive scores
    of tokens that were read or written before, and multiplies the negative ones. `beams` keep that many texts at a
    time, and end with the one of highest log-probability over length^`length_penalty`. A text ends before one of the
    `stop` strings, or after `max_new` tokens; None: after 256, or what room the model has.

    >>> Settings(temperature=0.8, top_p=0.95, seed=1).draws
    True
    """

    max_new: int | None = None
    temperature: float | int = 0
    top_k: int | None = None
    top_p: float | int | None = None
    min_p: float | int | None = None
    repetition_penalty: float | int = 1
    beams: int = 1
    length_penalty: float | int | None = None  # None: 1
    stop: tuple[str, ...] | str = ()
    seed: int | None = None

    def __post_init__(self) -> None:
        check_sizes(self, "max_new", "top_k", "beams", optional=True)
        for name in ("temperature", "top_p", "min_p", "repetition_penalty", "length_penalty"):
            if not isinstance(number := getattr(self, name), int | float | None) or isinstance(number, bool):
                raise ValueError(f"{name} must be a number: got {number!r}; leave it out for none")
        if self.temperature is None or not 0 <= self.temperature < math.inf:
            raise ValueError(
                f"temperature must be 0 or more: got {self.temperature}; use 0 for the likeliest token, 1 for the "
                "model's probabilities"
            )
        if self.seed is not None and (type(self.seed) is not int or not 0 <= self.seed < 2**63):
            raise ValueError(f"seed must be a whole number in 0…2⁶³ − 1: got {self.seed!r}; use 0")
        for name in ("top_p", "min_p"):
            if (part := getattr(self, name)) is not None and not 0 < part <= 1:
                raise ValueError(f"{name} must lie in 0…1, above 0: got {part}; leave it out for all tokens")
        if self.repetition_penalty is None or not 0 < self.repetition_penalty < math.inf:
            raise ValueError(f"repetition_penalty must be positive: got {self.repetition_penalty}; use 1 for none")
        if self.length_penalty is not None and not math.isfinite(self.length_penalty):
            raise ValueError(f"length_penalty must be finite: got {self.length_penalty}; use 1")
        stops = (self.stop,) if isinstance(self.stop, str) or not hasattr(self.stop, "__iter__") else tuple(self.stop)
        if any(not isinstance(text, str) or not text for text in stops):
            raise ValueError(f"stop must be strings with a letter or more: got {self.stop!r}; leave it out for none")
        object.__setattr__(self, "stop", stops)
        self._check_used()

    def _check_used(self) -> None:
        """Raise where a setting would be ignored."""
        drawn = {"top_k": self.top_k, "top_p": self.top_p, "min_p": self.min_p, "seed": self.seed}
        for name, value in drawn.items():
            if value is not None and not self.draws:
                raise ValueError(f"{name} is for drawing tokens: got {name}={value} with temperature=0; use 1")
        if self.beams > 1 and self.draws:
            raise ValueError(
                f"beams look for the likeliest text: got beams={self.beams} with temperature={self.temperature}; "
                "leave out one of them"
            )
        if self.beams == 1 and self.length_penalty is not None:
            raise ValueError(f"length_penalty is for beams: got {self.length_penalty} with beams=1; use beams=4")

    @property
    def draws(self) -> bool:
        return self.temperature > 0
