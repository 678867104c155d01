"""`python -m regard` is `regard`."""

from regard.cli import app

if __name__ == "__main__":
    app(prog_name="regard")
