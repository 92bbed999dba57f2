import unittest
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from guard_host_policy import (
    Call,
    Effect,
    Fault,
    Level,
    Manifest,
    Outcome,
    PolicyError,
    Presence,
    ResolvedPath,
    Rule,
    define_policy,
    host_of,
    is_below,
    program_of,
    tags_of,
    text_of,
)
from guard_host_policy.testing import World, command, effect

T = TypeVar("T")
MANIFEST = Manifest("made", "", ["*"], [Rule("any", "", Outcome.WARN)])


def seen(world: World, tool: str, input: dict[str, Any], look: Callable[[Call], T]) -> T:
    """What `look` makes of a call."""
    found: list[T] = []

    def decide(call: Call) -> list[Any]:
        found.append(look(call))
        return []

    world.decide(define_policy(MANIFEST, decide), tool, input)
    return found[0]


class Inputs(unittest.TestCase):
    def test_the_input_has_known_shapes(self) -> None:
        edits = [{"old_string": "b", "new_string": "c"}, {"new_string": "d"}, None, 5]
        shapes: list[tuple[str, dict[str, Any], tuple[str, str, list[str]]]] = [
            ("Bash", {"command": "ls"}, ("ls", "", [])),
            ("Write", {"file_path": "a", "content": "b"}, ("", "a", ["b"])),
            ("Edit", {"file_path": "a", "old_string": "b", "new_string": "c"}, ("", "a", ["c"])),
            ("NotebookEdit", {"notebook_path": "a", "new_source": "b"}, ("", "a", ["b"])),
            ("MultiEdit", {"file_path": "a", "edits": edits}, ("", "a", ["c", "d"])),
            ("mcp__x__y", {"command": "ls", "path": "a", "content": 5}, ("", "a", [])),
            ("Bash", {"command": 5}, ("", "", [])),
        ]
        for tool, input, expected in shapes:
            shape = seen(World(), tool, input, lambda call: (call.command, call.path, call.texts))
            self.assertEqual(shape, expected, tool)


class Effects(unittest.TestCase):
    def test_effects_are_found_by_kind_operation_and_family(self) -> None:
        names = ["git.push.force", "git.push", "fs.write", "fs.delete.recursive"]
        world = World([effect(name) for name in names])
        for wanted, expected in [
            ((), names),
            (("git.push",), ["git.push"]),
            (("git.push.",), ["git.push.force"]),
            (("delete", "write"), ["fs.write", "fs.delete.recursive"]),
            (("vcs",), ["git.push.force", "git.push"]),
            (("git",), []),
        ]:
            found = seen(world, "Bash", {}, lambda call: [one.operation for one in call.effects(*wanted)])
            self.assertEqual(found, expected, wanted)

    def test_an_effect_has_a_command_and_tags(self) -> None:
        def look(call: Call) -> None:
            published, read = call.effects()
            by = call.command_of(published)
            assert by is not None
            self.assertEqual((program_of(by), text_of(by), by.via[0].kind), ("npm", "/usr/bin/npm publish", "sudo"))
            self.assertIsNone(call.command_of(read))
            self.assertEqual(tags_of(published), {"manager": "npm"})

        effects = [effect("package.publish", command_id=2, tags={"manager": "npm"}), effect("fs.read")]
        seen(World(effects, [command("cd x"), command("/usr/bin/npm publish", via=["sudo"])]), "Bash", {}, look)
        self.assertEqual(program_of(command([])), "")
        self.assertEqual(tags_of(replace(effect("fs.read"), tags=[("a", "1"), ("a", "2")])), {"a": "1"})

    def test_a_copy_into_what_is_no_folder_has_one_effect(self) -> None:
        def count(world: World, effects: list[Effect]) -> int:
            return seen(replace(world, effects=effects), "Bash", {}, lambda call: len(call.effects()))

        copy = [effect("fs.write", "b"), effect("fs.write", "b/a", tags={"into": "b"})]
        self.assertEqual(count(World(dirs=["/repo/b"]), copy), 2)
        self.assertEqual(count(World(files={"/repo/b": ""}), copy), 1)
        self.assertEqual(count(World(), copy), 1)
        later = [replace(one, command_id=2) for one in copy]
        for before, expected in [("b", 3), ("b/c/d", 3), ("bb", 2)]:
            self.assertEqual(count(World(), [effect("fs.write", before, command_id=1), *later]), expected, before)

    def test_a_file_tool_has_an_effect_on_its_file(self) -> None:
        for tool, input, expected in [
            ("Write", {"file_path": "a"}, [("fs.write", "/repo/a")]),
            ("Read", {"file_path": "~/a"}, [("fs.read", "/home/u/a")]),
            ("Bash", {"command": "ls"}, []),
        ]:
            found = seen(World(), tool, input, lambda call: [(one.operation, one.path.canonical) for one in call.effects()])
            self.assertEqual(found, expected, tool)


class Host(unittest.TestCase):
    def test_the_hosts_answers_and_faults(self) -> None:
        def look(call: Call) -> None:
            for path in ("/repo/a", "a", "./l/../a", "link"):
                self.assertEqual(call.read_text(path), "text", path)
            self.assertEqual(call.read_text("/repo/b", "none"), "none")
            self.assertEqual((call.env("CI"), call.env("NONE", absent="")), ("1", ""))
            self.assertEqual(call.facts.permission_mode, "default")
            wrong: list[tuple[Callable[[], object], str]] = [
                (lambda: call.read_text("/repo/b"), "the file `/repo/b` is absent"),
                (lambda: call.read_text("/etc/shadow", ""), "the file `/etc/shadow` is denied"),
                (lambda: call.env("TOKEN", ""), "the variable `TOKEN` is denied"),
                (lambda: call.journal("closed", {}), "the journal `closed` is denied"),
                (lambda: call.journal("open", []), "the journal `open` is failed"),  # type: ignore[arg-type]
                (lambda: call.journal("open", {"a": "x" * 20_000}), "too-large"),
            ]
            for ask, text in wrong:
                with self.assertRaisesRegex(PolicyError, text):
                    ask()

        faults = dict.fromkeys(["/etc/shadow", "TOKEN", "closed"], Fault.DENIED)
        world = World(files={"/repo/a": "text"}, links={"/repo/link": "a"}, env={"CI": "1"}, faults=faults)
        seen(world, "Bash", {}, look)

    def test_the_world_holds_what_was_written_and_noted(self) -> None:
        def look(call: Call) -> None:
            call.journal("calls", {"tool": call.tool})
            call.log("a")
            call.log("b", Level.WARN)

        world = World()
        seen(world, "Bash", {}, look)
        seen(world, "Bash", {}, look)
        self.assertEqual(world.journal, [("calls", {"tool": "Bash"})])
        self.assertEqual(world.log, [(Level.INFO, "a"), (Level.WARN, "b")])

    def test_paths_resolve_as_on_a_machine(self) -> None:
        world = World(
            files={"/repo/f": "", "/repo/m/.git": "gitdir: ../.git/modules/m\n", "/repo/.git/modules/m/HEAD": "x"},
            dirs=["/home/u/.git", "/etc", "/repo/.git"],
            links={"/repo/l": "/etc", "/repo/d/up": "../.git", "/x": "/x", "/repo/f2": "f"},
        )
        for path, lexical, canonical, relative, root, kind in [
            ("a", "/repo/a", "/repo/a", "a", "/repo", "none"),
            ("./a//b/..", "/repo/a", "/repo/a", "a", "/repo", "none"),
            (".", "/repo", "/repo", ".", "/repo", "dir"),
            ("f", "/repo/f", "/repo/f", "f", "/repo", "file"),
            ("f2", "/repo/f2", "/repo/f", "f", "/repo", "file"),
            ("l/hosts", "/repo/l/hosts", "/etc/hosts", "", "", "none"),
            ("l/../a", "/repo/a", "/a", "", "", "none"),
            ("d/up/config", "/repo/d/up/config", "/repo/.git/config", ".git/config", "/repo", "none"),
            ("~/.ssh", "/home/u/.ssh", "/home/u/.ssh", "", "", "none"),
            ("/", "/", "/", "", "", "dir"),
            ("../../../x/y", "/x/y", "", "", "", "link"),
            ("m/a", "/repo/m/a", "/repo/m/a", "m/a", "/repo/m", "none"),
            ("a\0b", "", "", "", "", ""),
        ]:
            exists = {"none": Presence.NO, "link": Presence.UNKNOWN, "": Presence.UNKNOWN}.get(kind, Presence.YES)
            expected = ResolvedPath(path, lexical, canonical, relative, root, exists, kind)
            self.assertEqual(seen(world, "Bash", {}, lambda call: call.resolve(path)), expected)

    def test_hosts_and_folders(self) -> None:
        for address, host in [
            ("https://a.example/x", "a.example"),
            ("ssh://git@a.example:22/x", "a.example"),
            ("git@a.example:x/y", "a.example"),
            ("a.example:80", "a.example"),
            ("https://a.example?q=https://b.example", "a.example"),
        ]:
            self.assertEqual(host_of(address), host, address)
        for path, folder in [("/tmp/a", "/tmp"), ("/tmp", "/tmp"), ("/tmp/a", "/tmp/"), ("/a", "/")]:
            self.assertTrue(is_below(path, folder))
        self.assertFalse(is_below("/tmpx", "/tmp") or is_below("", "/tmp"))
