"""Facts of the package `guard:facts`: `git`, `project` and `earlier` of its version 0.2.0, and `history` of 0.3.0.

A policy that asks for them is built for the world `guest` of that version or of a later one, and needs a host that has it.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._shapes import Effect, Event, Presence, ProjectManifest

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

    class history:
        """What happened in the session before this call: of a kind, or all if it is empty. A fault is an `Err`."""

        @staticmethod
        def events(kind: str) -> list[Event]: ...

else:
    from . import _host  # noqa: F401
    from wit_world.imports import earlier, git, project  # isort: skip

    # The world of 0.2.0 lacks it, and a policy that does not use it can be built for that one.
    with suppress(ImportError):
        from wit_world.imports import history

__all__ = ["earlier", "git", "history", "project"]
