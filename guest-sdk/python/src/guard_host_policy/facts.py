"""Facts of the package `guard:facts@0.2.0`: `git`, `project` and `earlier`.

A policy that asks for them is built for the world `guest` of that package, and needs a host that has it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._shapes import Effect, Presence, ProjectManifest

    class git:
        """What git says of files."""

        @staticmethod
        def branch(path: str) -> str: ...
        @staticmethod
        def tracked(path: str) -> Presence: ...
        @staticmethod
        def staged(path: str) -> Presence: ...
        @staticmethod
        def ignored(path: str) -> Presence: ...

    class project:
        """What the project says of itself. A fault is an `Err`."""

        @staticmethod
        def manifests(path: str) -> list[ProjectManifest]: ...

    class earlier:
        """What the text of the call has done by the time a command runs."""

        @staticmethod
        def effects(command_id: int, path: str) -> list[Effect]: ...

else:
    from . import _host  # noqa: F401
    from wit_world.imports import earlier, git, project  # isort: skip

__all__ = ["earlier", "git", "project"]
