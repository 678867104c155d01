"""`python -m regard` is `regard`."""

import os
import signal
import sys
from types import FrameType


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line, from its first moment on."""
    signal.signal(signal.SIGINT, stop)
    from regard.commands.app import app

    app(prog_name="regard")


def stop(number: int, frame: FrameType | None) -> None:
    """Stop by an exception that commands can tidy up after, except where something is being imported.

    An exception inside an import of torch comes out as tracebacks of its C extensions; nothing needs tidying up yet.
    """
    specs = [getattr(sys.modules.get(name), "__spec__", None) for name in ("regard.commands.app", "numpy", "torch")]
    if specs[0] is None or any(getattr(spec, "_initializing", False) for spec in specs):
        os.write(2, b"regard: stopped\n")
        os._exit(130)
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
