"""Make the copies of the libraries that the page uses: `python tools/vendor.py` writes regard/explore/page/vendor.

Needs npm. Versions are pinned here; what each file holds, and under which licence, is written beside it.
"""

import json
import subprocess
import tempfile
from pathlib import Path

VENDOR = Path(__file__).parents[1] / "regard" / "explore" / "page" / "vendor"
BUNDLER = "esbuild@0.28.2"
FILES = {  # by the name of the file: the packages, and what is taken of them
    "preact.js": (
        {"preact": "11.2.0", "htm": "3.1.1"},
        """
        export { h, render, Fragment, createContext } from "preact";
        export { useState, useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
        export { useCallback, useContext, useId } from "preact/hooks";
        export { html } from "htm/preact";
        """,
    ),
    "d3.js": (
        {"d3-scale": "4.0.3", "d3-shape": "3.2.1", "d3-format": "3.1.3"},
        """
        export { scaleLinear, scaleLog } from "d3-scale";
        export { line, area } from "d3-shape";
        export { format } from "d3-format";
        """,
    ),
}


def make(folder: Path) -> None:
    """Install, bundle, and write down what came."""
    packages = {name: version for wanted, _ in FILES.values() for name, version in wanted.items()}
    _run(folder, "npm", "install", "--silent", BUNDLER, *[f"{name}@{version}" for name, version in packages.items()])
    VENDOR.mkdir(parents=True, exist_ok=True)
    for name, (_, source) in FILES.items():
        (folder / f"entry-{name}").write_text(source, encoding="utf-8")
        options = ("--bundle", "--format=esm", "--minify", "--target=es2022", "--legal-comments=none")
        _run(folder, "npx", "esbuild", f"entry-{name}", *options, f"--outfile={VENDOR / name}")
    (VENDOR / "LICENSES.md").write_text(_licences(folder), encoding="utf-8")


def _licences(folder: Path) -> str:
    """Every package that is in the files, those that others brought too."""
    told = ["# Libraries in this folder\n\nMade by `python tools/vendor.py`, from the packages of these names."]
    for path in sorted((folder / "node_modules").glob("*/package.json")):
        package = json.loads(path.read_text(encoding="utf-8"))
        if package["name"] == BUNDLER.partition("@")[0]:
            continue
        (text,) = [found for name in ("LICENSE", "LICENSE.md") if (found := path.parent / name).is_file()]
        title = f"## {package['name']} {package['version']} ({package['license']})"
        told.append(f"{title}\n\n```text\n{text.read_text(encoding='utf-8').strip()}\n```")
    return "\n\n".join(told) + "\n"


def _run(folder: Path, *words: str) -> None:
    subprocess.run(words, cwd=folder, check=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        make(Path(place))
