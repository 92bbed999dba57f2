import assert from "node:assert/strict";
import { test } from "node:test";

import { definePolicy, hostOf, isBelow, programOf, rule, tagsOf, textOf } from "guard-host-policy";
import { World, command, effect } from "guard-host-policy/testing";

const any = rule("any", "", "warn", "deny");

/** What `look` makes of a call. */
function seen(world, tool, input, look) {
  let found;
  const decide = (call) => ((found = look(call)), []);
  world.decide(definePolicy({ manifest: { id: "made", summary: "", tools: ["*"], rules: [any] }, decide }), tool, input);
  return found;
}

const inWorld = (parts, look) => seen(new World(parts), "Bash", {}, look);

test("the input has known shapes", () => {
  const shape = (tool, input) => seen(new World(), tool, input, ({ command, path, texts }) => [command, path, texts]);
  assert.deepEqual(shape("Bash", { command: "ls" }), ["ls", "", []]);
  assert.deepEqual(shape("Write", { file_path: "a", content: "b" }), ["", "a", ["b"]]);
  assert.deepEqual(shape("Edit", { file_path: "a", old_string: "b", new_string: "c" }), ["", "a", ["c"]]);
  assert.deepEqual(shape("NotebookEdit", { notebook_path: "a", new_source: "b" }), ["", "a", ["b"]]);
  const edits = [{ old_string: "b", new_string: "c" }, { new_string: "d" }, null, 5];
  assert.deepEqual(shape("MultiEdit", { file_path: "a", edits }), ["", "a", ["c", "d"]]);
  assert.deepEqual(shape("mcp__x__y", { command: "ls", path: "a", content: 5 }), ["", "a", []]);
  assert.deepEqual(shape("Bash", { command: 5 }), ["", "", []]);
});

test("effects are found by kind, operation and family", () => {
  const effects = ["git.push.force", "git.push", "fs.write", "fs.delete.recursive"].map((name) => effect(name));
  const found = (...names) => inWorld({ effects }, (call) => call.effects(...names).map((one) => one.operation));
  assert.deepEqual(found(), effects.map((one) => one.operation));
  assert.deepEqual(found("git.push"), ["git.push"]);
  assert.deepEqual(found("git.push."), ["git.push.force"]);
  assert.deepEqual(found("delete", "write"), ["fs.write", "fs.delete.recursive"]);
  assert.deepEqual(found("vcs"), ["git.push.force", "git.push"]);
  assert.deepEqual(found("git"), []);
});

test("an effect has a command and tags", () => {
  const effects = [effect("package.publish", "", { commandId: 2, tags: { manager: "npm" } }), effect("fs.read")];
  const commands = [command("cd x"), command("/usr/bin/npm publish", { via: ["sudo"] })];
  inWorld({ effects, commands }, (call) => {
    const [published, read] = call.effects();
    const by = call.commandOf(published);
    assert.deepEqual([programOf(by), textOf(by), by.via[0].kind], ["npm", "/usr/bin/npm publish", "sudo"]);
    assert.equal(call.commandOf(read), undefined);
    assert.deepEqual(tagsOf(published), new Map([["manager", "npm"]]));
  });
  assert.equal(programOf(command([])), "");
  assert.equal(tagsOf({ ...effect("fs.read"), tags: [["a", "1"], ["a", "2"]] }).get("a"), "1");
});

test("a copy into what is no folder has one effect", () => {
  const copy = [effect("fs.write", "b"), effect("fs.write", "b/a", { tags: { into: "b" } })];
  const count = (parts, effects = copy) => inWorld({ effects, ...parts }, (call) => call.effects().length);
  assert.equal(count({ dirs: ["/repo/b"] }), 2);
  assert.equal(count({ files: { "/repo/b": "" } }), 1);
  assert.equal(count({}), 1);
  const later = copy.map((one) => ({ ...one, commandId: 2 }));
  for (const [before, expected] of [["b", 3], ["b/c/d", 3], ["bb", 2]]) {
    assert.equal(count({}, [effect("fs.write", before, { commandId: 1 }), ...later]), expected, before);
  }
});

test("the host's answers and faults", () => {
  const parts = {
    files: { "/repo/a": "text" },
    links: { "/repo/link": "a" },
    env: { CI: "1" },
    faults: { "/etc/shadow": "denied", TOKEN: "denied", closed: "denied" },
  };
  inWorld(parts, (call) => {
    assert.deepEqual(["/repo/a", "a", "./l/../a", "link"].map((path) => call.readText(path)), Array(4).fill("text"));
    assert.equal(call.readText("/repo/b", "none"), "none");
    assert.throws(() => call.readText("/repo/b"), /the file `\/repo\/b` is absent/);
    assert.throws(() => call.readText("/etc/shadow", ""), /the file `\/etc\/shadow` is denied/);
    assert.equal(call.env("CI"), "1");
    assert.equal(call.env("NONE", ""), "");
    assert.throws(() => call.env("TOKEN", ""), /the variable `TOKEN` is denied/);
    assert.throws(() => call.journal("closed", {}), /the journal `closed` is denied/);
    assert.throws(() => call.journal("open", []), /the journal `open` is failed/);
    assert.throws(() => call.journal("open", { a: "x".repeat(20_000) }), /too-large/);
    assert.equal(call.facts.permissionMode, "default");
  });
});

test("the world holds what was written and noted", () => {
  const world = new World();
  const look = (call) => (call.journal("calls", { tool: call.tool }), call.log("a"), call.log("b", "warn"));
  seen(world, "Bash", {}, look);
  seen(world, "Bash", {}, look);
  assert.deepEqual(world.journal, [["calls", { tool: "Bash" }]]);
  assert.deepEqual(world.log, [["info", "a"], ["warn", "b"]]);
});

test("a file tool has an effect on its file", () => {
  const effects = (tool, input) => {
    return seen(new World(), tool, input, (call) => call.effects().map((one) => [one.operation, one.path.canonical]));
  };
  assert.deepEqual(effects("Write", { file_path: "a" }), [["fs.write", "/repo/a"]]);
  assert.deepEqual(effects("Read", { file_path: "~/a" }), [["fs.read", "/home/u/a"]]);
  assert.deepEqual(effects("Bash", { command: "ls" }), []);
});

test("paths resolve as on a machine", () => {
  const world = {
    files: { "/repo/f": "", "/repo/m/.git": "gitdir: ../.git/modules/m\n", "/repo/.git/modules/m/HEAD": "x" },
    dirs: ["/home/u/.git", "/etc", "/repo/.git"],
    links: { "/repo/l": "/etc", "/repo/d/up": "../.git", "/x": "/x", "/repo/f2": "f" },
  };
  const at = (path) => inWorld(world, (call) => call.resolve(path));
  for (const [path, lexical, canonical, relative, root, kind] of [
    ["a", "/repo/a", "/repo/a", "a", "/repo", "none"],
    ["./a//b/..", "/repo/a", "/repo/a", "a", "/repo", "none"],
    [".", "/repo", "/repo", ".", "/repo", "dir"],
    ["f", "/repo/f", "/repo/f", "f", "/repo", "file"],
    ["f2", "/repo/f2", "/repo/f", "f", "/repo", "file"],
    ["l/hosts", "/repo/l/hosts", "/etc/hosts", "", "", "none"],
    ["l/../a", "/repo/a", "/a", "", "", "none"],
    ["d/up/config", "/repo/d/up/config", "/repo/.git/config", ".git/config", "/repo", "none"],
    ["~/.ssh", "/home/u/.ssh", "/home/u/.ssh", "", "", "none"],
    ["/", "/", "/", "", "", "dir"],
    ["../../../x/y", "/x/y", "", "", "", "link"],
    ["m/a", "/repo/m/a", "/repo/m/a", "m/a", "/repo/m", "none"],
    ["a\0b", "", "", "", "", ""],
  ]) {
    const exists = { none: "no", link: "unknown", "": "unknown" }[kind] ?? "yes";
    const expected = { raw: path, lexical, canonical, projectRelative: relative, gitRoot: root, exists, kind };
    assert.deepEqual(at(path), expected, path);
  }
});

test("hosts and folders", () => {
  for (const [address, host] of [
    ["https://a.example/x", "a.example"],
    ["ssh://git@a.example:22/x", "a.example"],
    ["git@a.example:x/y", "a.example"],
    ["a.example:80", "a.example"],
    ["https://a.example?q=https://b.example", "a.example"],
  ]) {
    assert.equal(hostOf(address), host, address);
  }
  assert.ok(isBelow("/tmp/a", "/tmp") && isBelow("/tmp", "/tmp") && isBelow("/tmp/a", "/tmp/") && isBelow("/a", "/"));
  assert.ok(!isBelow("/tmpx", "/tmp") && !isBelow("", "/tmp"));
});
