"""Many clients at once, in a process of their own: each asks for heads of a map, one by one, and looks a while.

`python -m benchmarks.explore_clients PORT KEY LAYERS HEADS --clients 50 --seconds 60 --pause 0.5` prints JSON.
"""

import argparse
import asyncio
import json
import random
import time
from typing import Any


async def client(options: argparse.Namespace, number: int, until: float, times: list[float], wrong: list[str]) -> None:
    """One person who switches heads until the time is over."""
    draw = random.Random(number)
    reader = writer = None
    await asyncio.sleep(draw.random() * min(1.0, options.pause + 0.05))
    while time.monotonic() < until:
        asked = {"layer": draw.randrange(options.layers), "head": draw.randrange(options.heads)}
        start = time.perf_counter()
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", options.port, limit=2**22)
            assert reader is not None
            await _ask(reader, writer, options.port, {"key": options.key, "kind": "self", **asked})
            times.append(time.perf_counter() - start)
        except (OSError, ValueError, EOFError) as error:
            wrong.append(f"{type(error).__name__}: {error}")
            writer = None
        await asyncio.sleep(options.pause * (0.5 + draw.random()))


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, asked: dict[str, Any]) -> None:
    body = json.dumps(asked).encode()
    head = f"POST /api/tile HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    answer = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    data = await reader.readexactly(int(length.partition(b":")[2]))
    if not answer.startswith(b"HTTP/1.1 200"):
        raise ValueError(f"{answer[:40]!r}, {data[:200]!r}")


async def crowd(options: argparse.Namespace) -> dict[str, Any]:
    times, wrong = list[float](), list[str]()
    until = time.monotonic() + options.seconds
    await asyncio.gather(*[client(options, number, until, times, wrong) for number in range(options.clients)])
    times.sort()
    part = {name: times[min(len(times) - 1, int(share * len(times)))] for name, share in (("p50", 0.5), ("p99", 0.99))}
    return {"tiles": len(times), **part, "most": times[-1], "errors": len(wrong), "wrong": wrong[:5]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("key")
    parser.add_argument("layers", type=int)
    parser.add_argument("heads", type=int)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds that a client looks at a head")
    print(json.dumps(asyncio.run(crowd(parser.parse_args()))))


if __name__ == "__main__":
    main()
