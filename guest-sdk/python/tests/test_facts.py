import unittest
from collections.abc import Callable
from typing import Any, TypeVar

from guard_host_policy import Call, Fault, Manifest, Outcome, PolicyError, Presence, Rule, define_policy
from guard_host_policy.facts import earlier, git, history, project
from guard_host_policy.testing import Event, Git, ProjectManifest, World, effect, event

T = TypeVar("T")


def seen(world: World, look: Callable[[], T]) -> T:
    """What `look` gives in a world."""
    found: list[T] = []

    def decide(call: Call) -> list[Any]:
        found.append(look())
        return []

    manifest = Manifest("made", "", ["*"], [Rule("any", "", Outcome.WARN)])
    world.decide(define_policy(manifest, decide), "Bash", {})
    return found[0]


class Facts(unittest.TestCase):
    def test_git_says_what_the_world_says_and_nothing_of_what_it_leaves_out(self) -> None:
        world = World(git=Git("main", tracked={"/repo/a": Presence.YES}), links={"/repo/b": "a"})
        self.assertEqual(seen(world, lambda: [git.branch("x"), git.branch("/x")]), ["main", ""])
        # Of a link, git keeps the link.
        answers = seen(world, lambda: [git.tracked("a"), git.tracked("b"), git.staged("a")])
        self.assertEqual(answers, [Presence.YES, Presence.UNKNOWN, Presence.UNKNOWN])
        self.assertEqual(seen(World(), lambda: (git.branch("x"), git.ignored("x"))), ("", Presence.UNKNOWN))

    def test_git_says_nothing_outside_of_a_repository(self) -> None:
        world = World(git=Git("main", tracked={"/repo/a": Presence.YES}), repository=False)
        self.assertEqual(seen(world, lambda: (git.branch("a"), git.tracked("a"))), ("", Presence.UNKNOWN))

    def test_the_nearest_folder_has_the_manifests(self) -> None:
        def made(path: str) -> list[ProjectManifest]:
            return [ProjectManifest(path, "npm", "", "", "", [], [])]

        world = World(manifests={"/repo": made("/repo/package.json"), "/repo/a/b": made("/repo/a/b/package.json")})
        for path, expected in [("a/b/c", ["/repo/a/b/package.json"]), ("a", ["/repo/package.json"]), ("/x", [])]:
            self.assertEqual(seen(world, lambda: [one.path for one in project.manifests(path)]), expected)
        world.faults = {"/repo": Fault.DENIED}
        with self.assertRaisesRegex(PolicyError, "DENIED"):
            seen(world, lambda: project.manifests("a"))

    def test_earlier_effects_are_those_that_the_world_names(self) -> None:
        made = effect("fs.write", "a/b", command_id=1)
        found = seen(World(earlier=[made]), lambda: [one.target for one in earlier.effects(2, "a")])
        self.assertEqual(found, ["a/b"])
        self.assertEqual(seen(World(), lambda: earlier.effects(2, "a")), [])

    def test_the_history_is_what_the_world_names_counted_from_1(self) -> None:
        world = World(history=[event("write", "/repo/a"), event("request", "x", tool="WebFetch", tags={"method": "get"})])
        first = Event(1, "", "write", "Bash", "/repo/a", True, [])
        second = Event(2, "", "request", "WebFetch", "x", True, [("method", "get")])
        for kind, expected in [("", [first, second]), ("write", [first]), ("request", [second]), ("send", [])]:
            self.assertEqual(seen(world, lambda: history.events(kind)), expected)
        self.assertEqual(seen(World(), lambda: history.events("")), [])

    def test_nobody_knows_what_happened_if_the_history_is_damaged(self) -> None:
        world = World(history=[event("write", "/repo/a")], faults={"history": Fault.FAILED})
        with self.assertRaisesRegex(PolicyError, "FAILED"):
            seen(world, lambda: history.events(""))
