"""Build the package and try it as a user gets it: the wheel and the sdist in empty environments, each extra alone."""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
LANGUAGE = "import pathlib, regard; print(pathlib.Path(regard.__file__).parent / 'recipes/shipped/language/model')"

# What must work with the runtime dependencies alone, and with each extra alone. MODEL is a folder that ships.
RUNTIME = ["--version", "tour", "plan --mask causal --tokens 1024", "cost gpt2 --tokens 128", "pattern window(4)"]
EXTRAS = {
    "claims": ["claims nyu.1d", "questions --out questions.md"],
    "figures": ["cost gpt2 --tokens 128 --symbolic --plot cost.svg"],
    "models": ["generate MODEL ROMEO: --max-new 20"],
    "train": ["train reversal --smoke"],
    "transformers": ["doctor MODEL"],
    "explore": ["claims nyu.1d"],  # the page itself is opened below
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extras", action="store_true", help="try each extra alone too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        say("Building the sdist, and the wheel from it")
        run(sys.executable, "-m", "build", "--outdir", folder / "dist", ROOT)
        (wheel,) = (folder / "dist").glob("*.whl")
        say("Installing the wheel with its runtime dependencies into an empty environment")
        runtime = make_environment(folder / "runtime")
        install(runtime, str(wheel))
        run(runtime, "-c", "import regard; print(regard.attend, regard.__file__)", cwd=folder)
        try_commands(runtime, RUNTIME, folder)
        for extra in EXTRAS if options.extras else ():
            say(f"Installing the extra {extra} alone")
            python = make_environment(folder / extra, runtime)
            install(python, f"{wheel}[{extra}]")
            try_commands(python, EXTRAS[extra], folder)
            if extra == "explore":
                run(
                    sys.executable,
                    ROOT / ".ci/open_page.py",
                    python,
                    "-m",
                    "regard",
                    "explore",
                    "--no-browser",
                    cwd=folder,
                )
    say("The package works")


def make_environment(folder: Path, base: Path | None = None) -> Path:
    """An empty environment; with a base, one that sees the base's packages, so that torch is installed once."""
    venv.create(folder, with_pip=True)
    if base is not None:
        (packages,) = base.parents[1].glob("lib/python*/site-packages")
        (own,) = folder.glob("lib/python*/site-packages")
        (own / "base.pth").write_text(f"{packages}\n")
    return folder / "bin" / "python"


def install(python: Path, requirement: str) -> None:
    run(
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-c",
        ROOT / "constraints.txt",
        requirement,
    )


def try_commands(python: Path, commands: list[str], folder: Path) -> None:
    model = subprocess.check_output([python, "-c", LANGUAGE], cwd=folder, text=True).strip()
    for command in commands:
        say(f"regard {command}")
        words = [model if word == "MODEL" else word for word in command.split()]
        run(python, "-m", "regard", *words, cwd=folder, stdout=subprocess.DEVNULL)


def run(*words: str | Path, **options: object) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([str(word) for word in words], check=True, env=environment, **options)  # pyright: ignore


def say(line: str) -> None:
    print(f"▶ {line}", flush=True)


if __name__ == "__main__":
    main()
