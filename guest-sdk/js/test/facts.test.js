import assert from "node:assert/strict";
import { test } from "node:test";

import { definePolicy, rule } from "guard-host-policy";
import { earlier, git, history, project } from "guard-host-policy/facts";
import { World, effect, event } from "guard-host-policy/testing";
import { branch } from "guard:facts/git@0.2.0";
import { events } from "guard:facts/history@0.3.0";

/** What `look` gives in a world. */
function seen(parts, look) {
  let found;
  const decide = () => ((found = look()), []);
  const manifest = { id: "made", summary: "", tools: ["*"], rules: [rule("any", "", "warn")] };
  new World(parts).decide(definePolicy({ manifest, decide }), "Bash", {});
  return found;
}

test("git says what the world says, and nothing of what it leaves out", () => {
  const parts = { git: { branch: "main", tracked: { "/repo/a": "yes" } }, links: { "/repo/b": "a" } };
  const look = () => [git.branch("x"), branch("x"), git.branch("/x"), git.tracked("a"), git.tracked("b"), git.staged("a")];
  // Of a link, git keeps the link.
  assert.deepEqual(seen(parts, look), ["main", "main", "", "yes", "unknown", "unknown"]);
  const outside = { ...parts, repository: false };
  assert.deepEqual(seen(outside, look), ["", "", "", "unknown", "unknown", "unknown"]);
  assert.deepEqual(seen({}, () => [git.branch("x"), git.ignored("x")]), ["", "unknown"]);
});

test("the nearest folder has the manifests", () => {
  const made = (path) => ({ path, kind: "npm", name: "", version: "", manager: "", dependencies: [], scripts: [] });
  const manifests = { "/repo": [made("/repo/package.json")], "/repo/a/b": [made("/repo/a/b/package.json")] };
  const at = (path, more) => seen({ manifests, ...more }, () => project.manifests(path).map((one) => one.path));
  assert.deepEqual(at("a/b/c"), ["/repo/a/b/package.json"]);
  assert.deepEqual(at("a"), ["/repo/package.json"]);
  assert.deepEqual(at("/x"), []);
  assert.throws(() => at("a", { faults: { "/repo": "denied" } }), /denied/);
});

test("earlier effects are those that the world names", () => {
  const made = { ...effect("fs.write", "a/b", { commandId: 1 }), certain: false };
  const found = seen({ earlier: [made] }, () => earlier.effects(2, "a").map((one) => [one.target, one.certain]));
  assert.deepEqual(found, [["a/b", false]]);
  assert.deepEqual(seen({}, () => earlier.effects(2, "a")), []);
});

test("the history is what the world names, counted from 1", () => {
  const parts = { history: [event("write", "/repo/a"), event("request", "x", { tool: "WebFetch", tags: { method: "get" } })] };
  const first = { number: 1, time: "", kind: "write", tool: "Bash", target: "/repo/a", certain: true, tags: [] };
  const second = { ...first, number: 2, kind: "request", tool: "WebFetch", target: "x", tags: [["method", "get"]] };
  const look = () => ["", "write", "request", "send"].map((kind) => history.events(kind));
  assert.deepEqual(seen(parts, look), [[first, second], [first], [second], []]);
  assert.deepEqual(seen(parts, () => events("write")), [first]);
  assert.deepEqual(seen({}, () => history.events("")), []);
  assert.equal(event("write", "a", { certain: false }).certain, false);
});

test("nobody knows what happened if the history is damaged", () => {
  const parts = { history: [event("write", "/repo/a")], faults: { history: "failed" } };
  assert.throws(() => seen(parts, () => history.events("")), /failed/);
  assert.throws(() => seen({ faults: { history: "absent" } }, () => history.events("write")), /absent/);
});
