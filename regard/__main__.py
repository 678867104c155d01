"""`python -m regard` is `regard`."""


def main() -> None:
    from regard.commands.app import app

    app(prog_name="regard")


if __name__ == "__main__":
    main()
