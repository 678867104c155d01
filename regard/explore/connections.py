"""Connections that must say in time what they want: one that is silent, or slow with its headers, is closed."""

import asyncio
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 20  # in which the headers of a request must have arrived


class PromptProtocol(H11Protocol):
    """HTTP/1.1 with a limit for the headers; uvicorn itself limits the time between requests alone."""

    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] - as in H11Protocol
        super().connection_made(transport)
        self._limit_headers()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._limit_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    @property
    def _lacks_headers(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _limit_headers(self) -> None:
        if not self._lacks_headers:
            self._stop()
        elif self._due is None:
            self._due = self.loop.call_later(HEADER_SECONDS, self._close)

    def _stop(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _close(self) -> None:
        self._due = None
        if self._lacks_headers:
            self.transport.close()


def configure_server(app: Any, **more: Any) -> uvicorn.Config:
    """What uvicorn is told for an application: plain HTTP, no log of requests, nothing about itself."""
    return uvicorn.Config(app, http=PromptProtocol, ws="none", access_log=False, server_header=False, **more)
