"""Bundle the page: `python tools/bundle.py` writes bundle.js and bundle.css into regard/explore/page.

Needs npm, for esbuild. Run it after every change of the page's sources: the server, the notebook widget and saved files
all use the bundle. Its first line holds a hash of the sources, by which a test finds a bundle that is out of date.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parents[1] / "regard" / "explore" / "page"
BUNDLER = "esbuild@0.28.2"
UNSAFE = re.compile(r"</script|<!--", re.I)  # would end, or change, the script of a saved file


def hash_sources() -> str:
    """Of all that the bundle is made from."""
    digest = hashlib.sha256(BUNDLER.encode())
    for path in sorted([*PAGE.rglob("*.js"), *PAGE.rglob("*.css"), *PAGE.rglob("*.json"), *PAGE.rglob("*.md")]):
        if path.name not in ("bundle.js", "bundle.css"):
            digest.update(path.relative_to(PAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:32]


def make_bundle(folder: Path) -> None:
    """Write bundle.js and bundle.css into a folder."""
    options = ["--bundle", "--format=esm", "--minify", "--target=es2022", "--legal-comments=none", "--charset=utf8"]
    command = ["npx", "--yes", BUNDLER, str(PAGE / "main.js"), *options, f"--outfile={folder / 'bundle.js'}"]
    subprocess.run([*command, "--log-level=warning"], cwd=folder, check=True)
    licences = (PAGE / "vendor" / "LICENSES.md").read_text("utf-8").replace("*/", "* /").strip()
    for name, more in (("bundle.js", f"/*!\n{licences}\n*/\n"), ("bundle.css", "")):
        text = (folder / name).read_text("utf-8")
        if found := UNSAFE.search(more + text):
            raise ValueError(f"the page must not contain {found[0]!r}: a saved file holds it inside a script")
        (folder / name).write_text(f"/* sources {hash_sources()} */\n{more}{text}", "utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        make_bundle(Path(place))
        for file in Path(place).iterdir():
            (PAGE / file.name).write_bytes(file.read_bytes())
    sys.stdout.write(f"bundled {hash_sources()}\n")
