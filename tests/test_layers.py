"""The layout's promises: imports point down, the engine is pure, rooms have plain names, tests mirror the code.

The modules are read, not imported: an import inside a function counts like one at the top. One under ``TYPE_CHECKING``
counts for layers and purity, but closes no circle, since it never runs.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = "admission"

# From bottom to top. A room may import from the rooms of the layers below its own, not from its neighbours.
LAYERS: Final[tuple[frozenset[str], ...]] = (
    frozenset({"errors", "nearest", "quantity"}),
    frozenset({"engine", "regularfile"}),
    frozenset({"certificates", "policyfile", "prefilter", "review", "settings"}),
    frozenset({"handler", "crd"}),
    frozenset({"observe"}),
    frozenset({"serving", "cluster", "offline"}),
    frozenset({"cli"}),
    frozenset({"__main__"}),
)
LAYER_OF: Final = {room: layer for layer, rooms in enumerate(LAYERS) for room in rooms}
MAY_OBSERVE: Final = frozenset({"observe", "serving", "offline", "cli"})

# What a pure function can need: types, containers, text, numbers, parsing. No clock, no files, no network, no chance.
PURE_STANDARD_LIBRARY: Final = frozenset(
    {
        "__future__",
        "abc",
        "bisect",
        "collections",
        "collections.abc",
        "dataclasses",
        "datetime",
        "decimal",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "itertools",
        "math",
        "operator",
        "re",
        "types",
        "typing",
    }
)
PURE_LIBRARIES: Final = frozenset({"msgspec"})
CERTIFICATES_MAY: Final = re.compile(r"imports (cryptography(\.\w+)*|admission\.certificates\.\w+|ipaddress)")
IMPURE_CALLS: Final = frozenset({"open", "print", "input", "exec", "eval", "compile", "__import__", "breakpoint"})
CLOCK_CALLS: Final = frozenset({"now", "utcnow", "today"})

NAMES_THAT_SAY_NOTHING: Final = frozenset(
    {"util", "utils", "helper", "helpers", "common", "misc", "manager", "managers"}
)


@dataclass(frozen=True, slots=True)
class Module:
    """One source file: its dotted name and its syntax tree."""

    name: str
    path: Path
    tree: ast.Module

    def __str__(self) -> str:
        return self.name

    @property
    def room(self) -> str:
        """The word after ``admission.``; empty for the package itself."""
        return room_of(self.name)


def room_of(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def dotted_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_modules() -> dict[str, Module]:
    paths = sorted((ROOT / PACKAGE).rglob("*.py"))
    return {
        name: Module(name, path, ast.parse(path.read_text(encoding="utf-8"), filename=str(path)))
        for path in paths
        for name in [dotted_name(path)]
    }


def imported_names(tree: ast.AST, known: Iterable[str]) -> Iterator[str]:
    """Every module that ``tree`` imports; ``from a import b`` is ``a.b`` where that is a known module, else ``a``."""
    modules = frozenset(known)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                yield "." * node.level + origin
                continue
            for alias in node.names:
                submodule = f"{origin}.{alias.name}"
                yield submodule if submodule in modules else origin


class WithoutTypeImports(ast.NodeTransformer):
    """The tree as it runs: without what stands under ``if TYPE_CHECKING:``."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            return node.orelse
        return self.generic_visit(node)


def names_imported_when_run(module: Module, known: Iterable[str]) -> Iterator[str]:
    tree = ast.parse(module.path.read_text(encoding="utf-8"))
    return imported_names(WithoutTypeImports().visit(tree), known)


def is_ours(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE


def layer_violation(importer: str, imported: str) -> str | None:
    """Why the room ``importer`` may not import from the room ``imported``; ``None`` when it may."""
    if imported in ("", importer):
        return None
    if importer == "":
        return "the package itself imports nothing of its own"
    if imported == "observe" and importer not in MAY_OBSERVE:
        return f"only {', '.join(sorted(MAY_OBSERVE))} may import observe"
    if imported not in LAYER_OF or importer not in LAYER_OF:
        return f"{imported} or {importer} has no place in LAYERS"
    if LAYER_OF[imported] >= LAYER_OF[importer]:
        return f"{imported} is not below {importer}"
    return None


def impurities(tree: ast.AST, known: Iterable[str]) -> Iterator[str]:
    """What an engine module does that a pure one would not, one sentence each."""
    for name in imported_names(tree, known):
        if is_ours(name):
            if room_of(name) not in ("engine", "errors", "quantity"):
                yield f"imports {name}"
        elif name not in PURE_STANDARD_LIBRARY and name.partition(".")[0] not in PURE_LIBRARIES:
            yield f"imports {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield f"line {node.lineno}: keeps state in the global {', '.join(node.names)}"
        elif isinstance(node, ast.Call):
            call = ast.unparse(node.func)
            *owner, function = call.split(".")
            if call in IMPURE_CALLS:
                yield f"line {node.lineno}: calls {call}"
            elif function in CLOCK_CALLS and owner[-1:] in (["datetime"], ["date"]):
                yield f"line {node.lineno}: reads the clock with {call}"


def find_cycle(graph: dict[str, set[str]]) -> list[str]:
    """One cycle of ``graph`` from a module back to itself; empty when there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(name) for name in error.args[1]]
    return []


MODULES: Final = read_modules()
EVERY_MODULE: Final = pytest.mark.parametrize("module", MODULES.values(), ids=MODULES.keys())
ENGINE: Final = {name: module for name, module in MODULES.items() if module.room == "engine"}
ENGINE_MODULES: Final = pytest.mark.parametrize("module", ENGINE.values(), ids=ENGINE.keys())


@EVERY_MODULE
def test_every_room_has_its_layer(module: Module) -> None:
    assert module.room == "" or module.room in LAYER_OF, f"give {module.room} a place in LAYERS"


@EVERY_MODULE
def test_imports_point_down(module: Module) -> None:
    ours = [name for name in imported_names(module.tree, MODULES) if is_ours(name)]
    reasons = {name: layer_violation(module.room, room_of(name)) for name in ours}
    assert {name: reason for name, reason in reasons.items() if reason} == {}


@EVERY_MODULE
def test_imports_name_the_whole_path(module: Module) -> None:
    assert [name for name in imported_names(module.tree, MODULES) if name.startswith(".")] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {
        name: {imported for imported in names_imported_when_run(module, MODULES) if imported in MODULES} - {name}
        for name, module in MODULES.items()
    }
    assert " → ".join(find_cycle(graph)) == ""


@EVERY_MODULE
def test_no_module_has_a_name_that_says_nothing(module: Module) -> None:
    words = {word.strip("_") for word in module.name.split(".")}
    assert words & NAMES_THAT_SAY_NOTHING == set()


@ENGINE_MODULES
def test_the_engine_is_pure(module: Module) -> None:
    assert list(impurities(module.tree, MODULES)) == []


@pytest.mark.parametrize("module", [each for each in MODULES.values() if each.room == "certificates"], ids=str)
def test_the_certificates_are_pure_but_for_the_chance_in_keys(module: Module) -> None:
    found = [each for each in impurities(module.tree, MODULES) if not CERTIFICATES_MAY.fullmatch(each)]
    assert found == []


@pytest.mark.parametrize("module", [each for each in MODULES.values() if each.path.name != "__init__.py"], ids=str)
def test_every_module_has_its_tests(module: Module) -> None:
    """``admission/engine/steps/lists.py`` has ``tests/engine/steps/test_lists.py``."""
    path = module.path.relative_to(ROOT / PACKAGE)
    mirror = ROOT / "tests" / path.parent / f"test_{path.stem.strip('_')}.py"
    assert mirror.exists(), f"write {mirror.relative_to(ROOT)}"


def test_the_layers_are_those_that_are_told_to_contributors() -> None:
    rows = re.findall(r"^\| (\d+) \| (.*?) \|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    told = {
        room.removesuffix("/").removesuffix(".py"): int(layer) - 1
        for layer, rooms in rows
        for room in re.findall(r"`([\w./]+)`", rooms)
    }
    assert told == {room: layer for room, layer in LAYER_OF.items() if room in {each.room for each in MODULES.values()}}


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        pytest.param("handler", "engine", True, id="down by two layers"),
        pytest.param("cli", "errors", True, id="from the top to the bottom"),
        pytest.param("engine", "engine", True, id="within a room"),
        pytest.param("serving", "", True, id="the package's version is for everybody"),
        pytest.param("engine", "review", False, id="up"),
        pytest.param("review", "settings", False, id="a neighbour"),
        pytest.param("handler", "observe", False, id="the handler knows no observer"),
        pytest.param("cluster", "observe", False, id="the cluster's client knows no observer"),
        pytest.param("", "errors", False, id="the package itself stays empty"),
    ],
)
def test_a_room_imports_only_from_below(importer: str, imported: str, allowed: bool) -> None:
    assert (layer_violation(importer, imported) is None) is allowed


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param("from datetime import datetime\ndatetime.fromisoformat('x')", [], id="parsing a time is pure"),
        pytest.param("from collections.abc import Iterator\nimport msgspec.json", [], id="types and the wire's codec"),
        pytest.param("def f(facts):\n    return facts.now()", [], id="now as an argument"),
        pytest.param("import time", ["imports time"], id="the clock's module"),
        pytest.param("def f():\n    import random", ["imports random"], id="an import inside a function"),
        pytest.param("import os.path", ["imports os.path"], id="files"),
        pytest.param("from admission import observe", ["imports admission.observe"], id="a room above"),
        pytest.param("open('x')", ["line 1: calls open"], id="opening a file"),
        pytest.param(
            "import datetime\ndatetime.datetime.now()",
            ["line 2: reads the clock with datetime.datetime.now"],
            id="reading the clock",
        ),
        pytest.param(
            "def f():\n    global seen", ["line 2: keeps state in the global seen"], id="state between two calls"
        ),
    ],
)
def test_an_impure_module_is_found(source: str, found: list[str]) -> None:
    assert list(impurities(ast.parse(source), {"admission.observe"})) == found


def test_an_import_for_types_alone_does_not_run() -> None:
    tree = ast.parse("if TYPE_CHECKING:\n    import a\nelse:\n    import b\nimport c")
    assert sorted(imported_names(tree, ())) == ["a", "b", "c"]
    assert sorted(imported_names(WithoutTypeImports().visit(tree), ())) == ["b", "c"]


def test_a_circle_is_told_from_end_to_end() -> None:
    assert sorted(set(find_cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}))) == ["a", "b", "c"]
