"""The modules that a component is given: those of its bindings, and outside of a component those of `_native`."""

from . import _native  # noqa: F401 (puts its modules in the place of those that are missing)

from componentize_py_types import Err  # isort: skip
from wit_world.imports import analysis, context, env, files, journal, log, syntax, types  # isort: skip

__all__ = ["Err", "analysis", "context", "env", "files", "journal", "log", "syntax", "types"]
