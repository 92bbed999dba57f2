"""The modules that only a component has, for a run outside of one: their functions ask the world of the running test."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from . import _shapes as shapes

_world: Any = None


@contextmanager
def within(world: Any) -> Iterator[None]:
    """Makes a world the one that is asked."""
    global _world
    before, _world = _world, world
    try:
        yield
    finally:
        _world = before


def _ask() -> Any:
    if _world is None:
        raise RuntimeError(
            "there is no host: in a test, ask the policy with a `World` of guard_host_policy.testing, "
            "and in `decide` alone"
        )
    return _world


class Ok:
    """As the bindings have it."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Err(Exception):
    """As the bindings have it: the failure of a function, and its value."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


@dataclass
class Some:
    """As the bindings have it."""

    value: Any


class Policy:
    """As the bindings have it: what a policy written without this package derives from."""


def _log(level: shapes.Level, message: str) -> None:
    if _world is not None:
        _world.note(level, message)


def _named(*names: str) -> dict[str, Any]:
    return {name: getattr(shapes, name) for name in names}


_SYNTAX = "Analysis Assignment Command Coverage Effect Part Position Redirection Script Severity Span Via Word"
_TYPES = "Decision Example Fault Finding Level Manifest Outcome Presence ResolvedPath Rule"

_MODULES: dict[str, dict[str, Any]] = {
    "componentize_py_types": {"Err": Err, "Ok": Ok, "Some": Some},
    "wit_world": {},
    "wit_world.exports": {"Policy": Policy},
    "wit_world.imports": {},
    "wit_world.imports.earlier": {"effects": lambda command_id, path: _ask().earlier(command_id, path)},
    "wit_world.imports.git": {
        "branch": lambda path: _ask().branch(path),
        "tracked": lambda path: _ask().presence("tracked", path),
        "staged": lambda path: _ask().presence("staged", path),
        "ignored": lambda path: _ask().presence("ignored", path),
    },
    "wit_world.imports.history": {"events": lambda kind: _ask().events(kind), **_named("Event")},
    "wit_world.imports.project": {
        "manifests": lambda path: _ask().manifests(path),
        "Manifest": shapes.ProjectManifest,
    },
    "wit_world.imports.analysis": {"current": lambda: _ask().analysis()},
    "wit_world.imports.context": {"get": lambda: _ask().context(), **_named("Facts")},
    "wit_world.imports.env": {"get": lambda name: _ask().env(name)},
    "wit_world.imports.files": {
        "read_text": lambda path: _ask().read_text(path),
        "resolve": lambda path: _ask().resolve(path),
    },
    "wit_world.imports.journal": {"append": lambda stream_name, json_object: _ask().append(stream_name, json_object)},
    "wit_world.imports.log": {"log": _log},
    "wit_world.imports.syntax": _named(*_SYNTAX.split()),
    "wit_world.imports.types": _named(*_TYPES.split()),
}


def _install() -> None:
    for name, values in _MODULES.items():
        module = ModuleType(name, "Stands for a module that only a component has.")
        module.__dict__.update(values)
        parent, _, own = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], own, module)
        if any(other.startswith(f"{name}.") for other in _MODULES):
            module.__path__ = []
        sys.modules[name] = module


if "wit_world" not in sys.modules and find_spec("wit_world") is None:
    _install()
