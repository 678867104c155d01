"""Counts while other threads run modules of their own."""

import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

from regard.analysis import cost


def test_another_threads_modules_are_not_counted():
    encoder = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    inputs = torch.empty(1, 8, 32)
    alone = cost(encoder, inputs)
    over = threading.Event()

    def disturb() -> None:
        other = nn.Sequential(*[nn.Linear(4, 4) for _ in range(50)])
        with torch.no_grad():
            while not over.is_set():
                other(torch.ones(1, 4))

    with ThreadPoolExecutor(3) as pool:
        noise = pool.submit(disturb)
        found = [pool.submit(cost, encoder, inputs) for _ in range(4)]
        try:
            counts = [one.result() for one in found]
        finally:
            over.set()
        noise.result()
    for count in counts:
        assert (count.forward, count.backward, count.unknown) == (alone.forward, alone.backward, alone.unknown)
        assert [(part.name, part.forward) for part in count.modules] == [
            (part.name, part.forward) for part in alone.modules
        ]
