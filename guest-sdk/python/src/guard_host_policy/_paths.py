"""From the text of a path to all that is known of it, as the host finds it out, in a world that lists its files."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .contract import Facts, Presence, ResolvedPath

# The longest path that is looked at, in bytes, and the most links that are followed in one.
PATH_BYTES, LINKS = 4096, 40


@dataclass(frozen=True)
class Disk:
    """Files with their texts, links with where they lead, and folders. Those above exist too."""

    files: Mapping[str, str]
    links: Mapping[str, str]
    dirs: Collection[str]

    def entry(self, path: str) -> str:
        """What a path names that is no link."""
        if path in self.files:
            return "file"
        named = (*self.files, *self.links, *self.dirs)
        return "dir" if any(_below(name, path) is not None for name in named) else "none"


def unresolved(raw: str) -> ResolvedPath:
    """A path of which nothing is known but its text."""
    return ResolvedPath(raw, "", "", "", "", Presence.UNKNOWN, "")


def resolve(disk: Disk, place: Facts, raw: str) -> ResolvedPath:
    """All that is known of a path."""
    resolved = unresolved(raw)
    if not raw or len(raw.encode("utf-8", "surrogatepass")) > PATH_BYTES or "\0" in raw:
        return resolved
    start = _absolute(raw, place.cwd, place.home)
    resolved.lexical = _lexical(start)
    found = _canonical(disk, start)
    if found is None:
        resolved.kind = "link"
        return resolved
    resolved.canonical, resolved.kind = found
    if place.project_root:
        resolved.project_relative = _below(resolved.canonical, place.project_root) or ""
    resolved.git_root = _git_root(disk, resolved.canonical, place.home)
    resolved.exists = Presence.NO if resolved.kind == "none" else Presence.YES
    return resolved


def _absolute(path: str, cwd: str, home: str) -> str:
    if path.startswith("/"):
        return path
    if home and (path == "~" or path.startswith("~/")):
        return home + path[1:]
    return f"{cwd}/{path}"


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment not in ("", ".")]


def _lexical(path: str) -> str:
    done: list[str] = []
    for segment in _segments(path):
        if segment != "..":
            done.append(segment)
        elif done:
            done.pop()
    return "/" + "/".join(done)


def _below(path: str, root: str) -> str | None:
    """`path` relative to `root`."""
    if path == root:
        return "."
    start = root if root == "/" else f"{root}/"
    return path[len(start) :] if path.startswith(start) else None


def _canonical(disk: Disk, path: str) -> tuple[str, str] | None:
    """Walks from the root and follows links; nothing if there are too many."""
    pending = _segments(path)[::-1]
    done, kind, links = "", "dir", 0
    while pending:
        segment = pending.pop()
        if segment == "..":
            done = done.rpartition("/")[0]
            continue
        following = f"{done}/{segment}"
        target = None if kind == "none" else disk.links.get(following)
        if target is None:
            kind = kind if kind == "none" else disk.entry(following)
            done = following
            continue
        links += 1
        if links > LINKS:
            return None
        if target.startswith("/"):
            done = ""
        pending += _segments(target)[::-1]
    return done or "/", kind


def _git_root(disk: Disk, path: str, home: str) -> str:
    folder = path
    while folder not in ("", "/", home):
        git = f"{folder}/.git"
        kind = "link" if git in disk.links else disk.entry(git)
        if kind == "dir" or kind == "file" and _is_linked(disk, git, folder):
            return folder
        folder = folder.rpartition("/")[0]
    return ""


def _is_linked(disk: Disk, git: str, folder: str) -> bool:
    """The `.git` file names a folder that names it in turn, or a submodule's."""
    text = disk.files[git]
    if not text.startswith("gitdir:"):
        return False
    target = _lexical(_absolute(text.removeprefix("gitdir:").strip(), folder, ""))
    back = disk.files.get(f"{target}/gitdir")
    if back is not None:
        return _lexical(_absolute(back.strip(), target, "")) == git
    return "/.git/modules/" in target and f"{target}/HEAD" in disk.files
