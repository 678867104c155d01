"""The page's modules as one, and its styles as one: for a notebook's widget, and for a file that is sent to somebody.

Each module becomes a function that is called once, after those that it imports from, and gives back what it exports. No
module is fetched, and none is made from a blob, so that the text runs wherever a script may run at all.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath

PAGE = Path(__file__).parent / "page"
NAMES = r"\{[^{}]*\}"
IMPORT = re.compile(
    rf'^import\s+(?:(?P<whole>\w+)|(?P<names>{NAMES})|\*\s+as\s+(?P<all>\w+))\s+from\s+"(?P<of>[^"]+)";?', re.M
)
DECLARED = re.compile(r"^export\s+(?P<kind>(?:async\s+)?function\b\*?|class|const)\s+(?P<name>[\w$]+)", re.M)
LISTED = re.compile(rf"(?:^|(?<=[;}}]))export\s*(?P<names>{NAMES});?\s*\Z", re.M)
DEFAULT = re.compile(r"^export\s+default\s+", re.M)
LEFT = re.compile(r'^(?:import|export)\b.*|\bimport\s*\(|\bimport\.meta\b|[;}](?:import|export)\s*[{*"].*', re.M)
UNSAFE = re.compile(r"</script|<!--", re.I)  # would end, or change, the script of a file around it


@dataclass
class Module:
    """A module's body without its imports and exports; where the imports come from; what is given back."""

    path: str
    body: str
    needs: list[str]
    gives: dict[str, str] = field(default_factory=dict)  # exported name: own name


def read(path: str, text: str) -> Module:
    r"""A module of the page, taken apart; what cannot be is refused.

    >>> found = read("a/b.js", 'import { x as y } from "../c.js";\nexport const z = y;\nexport default { z };')
    >>> found.body, found.needs
    ('const { x: y } = $("c.js");\nconst z = y;\nconst standard = { z };', ['c.js'])
    >>> found.gives
    {'z': 'z', 'default': 'standard'}
    """
    module = Module(path, "", [])

    def imported(found: re.Match[str]) -> str:
        of = _resolved(path, found["of"])
        module.needs.append(of)
        if found["names"]:
            return f'const {found["names"].replace(" as ", ": ")} = $("{of}");'
        return f'const {found["all"]} = $("{of}");' if found["all"] else f'const {found["whole"]} = $("{of}").default;'

    def declared(found: re.Match[str]) -> str:
        module.gives[found["name"]] = found["name"]
        return f"{found['kind']} {found['name']}"

    def listed(found: re.Match[str]) -> str:
        for pair in filter(None, (one.strip() for one in found["names"][1:-1].split(","))):
            own, _, name = pair.partition(" as ")
            module.gives[name.strip() or own] = own.strip()
        return ""

    def standard(found: re.Match[str]) -> str:
        module.gives["default"] = "standard"
        return "const standard = "

    body = IMPORT.sub(imported, text)
    body = DEFAULT.sub(standard, LISTED.sub(listed, DECLARED.sub(declared, body)))
    for wrong in (LEFT.search(body), UNSAFE.search(body)):
        if wrong:
            raise ValueError(
                f"{path} must import by names, export what it declares, and write <\\/script where a script ends: "
                f"got {wrong[0].strip()[:80]!r}"
            )
    module.body = body.strip()
    return module


def _resolved(path: str, of: str) -> str:
    """The path in the page that an import means.

    >>> _resolved("views/maps.js", "../parts/shell.js")
    'parts/shell.js'
    """
    if not of.startswith(("./", "../")):
        raise ValueError(f"{path} must import from relative paths: got {of!r}")
    parts = list(PurePosixPath(path).parent.parts)
    for part in PurePosixPath(of).parts:
        if part == ".." and not parts:
            raise ValueError(f"{path} must import from the page: got {of!r}, which lies outside")
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def ordered(entry: str, page: Path = PAGE) -> list[Module]:
    """The modules that `entry` needs, itself last, each after those that it imports from."""
    found: dict[str, Module] = {}

    def visit(path: str, above: tuple[str, ...]) -> None:
        if path in above:
            raise ValueError(f"modules must not import each other in a circle: got {' → '.join([*above, path])}")
        if path in found:
            return
        module = read(path, (page / path).read_text("utf-8"))
        for need in module.needs:
            visit(need, (*above, path))
        found[path] = module

    visit(entry, ())
    return list(found.values())


@cache
def script(entry: str = "widget.js", page: Path = PAGE) -> str:
    """One module, with the default export of `entry`, and the licences of what is in it."""
    licences = (page / "vendor" / "LICENSES.md").read_text("utf-8") if (page / "vendor").is_dir() else ""
    texts = [f"/*!\n{licences.replace('*/', '* /').strip()}\n*/", "const made = {};", "const $ = (path) => made[path];"]
    for module in ordered(entry, page):
        gives = ", ".join(name if name == own else f"{name}: {own}" for name, own in module.gives.items())
        texts.append(f'made["{module.path}"] = (() => {{\n{module.body}\nreturn {{ {gives} }};\n}})();')
    texts.append(f'export default made["{entry}"].default;')
    return "\n".join(texts) + "\n"


@cache
def style(page: Path = PAGE) -> str:
    """All styles, for elements inside `.regard` alone, so that nothing around a widget changes."""
    paths = [page / "style.css", *sorted(path for path in page.rglob("*.css") if path.name != "style.css")]
    return "\n".join(scoped(path.read_text("utf-8")) for path in paths)


def scoped(css: str) -> str:
    """Rules that apply inside `.regard` alone, and weigh what they weighed before.

    >>> scoped("a, .regard p > b { x: y } @media print { i { z: w } } @keyframes k { from { x: y } }")
    ':where(.regard) a, .regard p > b{ x: y }@media print{:where(.regard) i{ z: w }}@keyframes k{ from { x: y } }'
    """
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    texts, at = [], 0
    while (start := css.find("{", at)) >= 0:
        end = _closed(css, start)
        head, inner = css[at:start].strip(), css[start + 1 : end]
        if head.startswith(("@media", "@supports", "@container")):
            texts.append(f"{head}{{{scoped(inner)}}}")
        elif head.startswith("@"):
            texts.append(f"{head}{{{inner}}}")
        else:
            texts.append(f"{', '.join(map(_inside, _split(head)))}{{{inner}}}")
        at = end + 1
    if css[at:].strip():
        raise ValueError(f"a style must be rules with braces: got {css[at:].strip()[:60]!r}")
    return "".join(texts)


def _closed(css: str, start: int) -> int:
    """Where the brace at `start` closes."""
    depth = 0
    for found in re.compile(r"""[{}]|"[^"]*"|'[^']*'""").finditer(css, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    raise ValueError(f"a style must close its braces: got {css[start - 40 : start]!r}")


def _split(head: str) -> list[str]:
    """Selectors at their commas, except those inside brackets."""
    return [one.strip() for one in re.split(r",(?![^(]*\))", head)]


def _inside(selector: str) -> str:
    return selector if ".regard" in selector else f":where(.regard) {selector}"
