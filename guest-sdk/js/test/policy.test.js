import assert from "node:assert/strict";
import { test } from "node:test";

import { definePolicy, globs, oneOf, rule } from "guard-host-policy";
import { World, effect } from "guard-host-policy/testing";

const soft = rule("soft", "a small thing", "warn", "ask");
const hard = rule("hard", "a large thing", "deny");

/** A policy that answers with what `decide` gives. */
const made = (decide, more = {}) => {
  return definePolicy({ manifest: { id: "made", summary: "", tools: ["*"], rules: [soft, hard] }, decide, ...more });
};
const outcomeOf = (decide) => new World().decide(made(decide), "Bash", {}).outcome;

test("the outcome is the most severe one of the findings", () => {
  assert.equal(outcomeOf(() => []), "abstain");
  assert.equal(outcomeOf(() => [soft.finding("a")]), "warn");
  assert.equal(outcomeOf(() => [soft.finding("a", { outcome: "abstain" })]), "abstain");
  assert.equal(outcomeOf(() => [hard.finding("a"), soft.finding("b", { outcome: "ask" })]), "deny");
  assert.equal(outcomeOf(function* () { yield soft.finding("a", { outcome: "ask" }); }), "ask");
});

test("a finding is as the contract has it", () => {
  const finding = soft.finding("a", { remedy: "b", tags: { subject: "c" } });
  assert.deepEqual(finding, { rule: "soft", outcome: "warn", message: "a", remedy: "b", tags: [["subject", "c"]] });
});

test("what breaks the contract is an error before it leaves the policy", () => {
  const other = rule("other", "", "ask");
  for (const [decide, text] of [
    [() => [soft.finding("a", { outcome: "deny" })], "the rule `soft` gives deny, and its ceiling is ask"],
    [() => [soft.finding("a", { outcome: "stop" })], "`stop` is no outcome"],
    [() => [{ ...soft.finding("a"), outcome: "deny" }], "the rule `soft` gives deny"],
    [() => [other.finding("a")], "the manifest has no rule `other`"],
    [() => undefined, "`decide` gives no list of findings"],
    [async () => [], "`decide` gives no list of findings"],
    [() => ["abc"], "the manifest has no rule `undefined`"],
  ]) {
    assert.throws(() => outcomeOf(decide), (error) => typeof error === "string" && error.includes(text), text);
  }
  assert.throws(() => rule("a", "", "deny", "ask"), /ceiling/);
});

test("a manifest that the host would refuse is an error at once", () => {
  for (const parts of [
    { id: "My" },
    { rules: [soft, soft] },
    { rules: [rule("A", "", "ask")] },
    { examples: [{ input: {}, outcome: "ask", rule: "none" }] },
  ]) {
    const manifest = { id: "made", summary: "", tools: [], rules: [soft], ...parts };
    assert.throws(() => definePolicy({ manifest, decide: () => [] }), Error, JSON.stringify(parts));
  }
});

test("the manifest is described as the contract has it", () => {
  const examples = [{ input: { command: "ls" }, outcome: "abstain" }];
  const manifest = { id: "made", summary: "s", tools: ["Bash"], rules: [soft], examples };
  assert.deepEqual(definePolicy({ manifest, decide: () => [] }).describe(), {
    id: "made",
    version: "0.1.0",
    summary: "s",
    tools: ["Bash"],
    rules: [{ id: "soft", summary: "a small thing", default: "warn", ceiling: "ask" }],
    grants: [],
    examples: [{ tool: "Bash", input: '{"command":"ls"}', outcome: "abstain", rule: "" }],
  });
});

test("whatever is thrown becomes a text", () => {
  for (const [thrown, text] of [
    ["a text", "a text"],
    [new TypeError("b"), "TypeError: b at "],
    [{ c: 1 }, '`{"c":1}` was thrown'],
    [undefined, "`undefined` was thrown"],
  ]) {
    const fails = () => {
      throw thrown;
    };
    assert.throws(() => outcomeOf(fails), (error) => error.startsWith(text), text);
    assert.throws(() => made(() => [], { configure: fails }).configure("{}"), (error) => error.startsWith(text), text);
  }
  assert.throws(() => made(() => []).decide("Bash", "{}"), (error) => error === "decide was called before configure");
});

const DEFAULTS = {
  branches: ["main"],
  registry: "",
  forbidden: false,
  most: 3,
  mode: oneOf(["ask", "deny"], "ask"),
  paths: globs(["src/**"]),
  report: { stream: "calls" },
};

test("settings are the defaults and what is given", () => {
  let seen;
  const policy = made((_, settings) => ((seen = settings), []), { settings: DEFAULTS });
  const seenWith = (given) => (new World().decide(policy, "Bash", {}, given), seen);
  const all = { branches: ["main"], registry: "", forbidden: false, most: 3, mode: "ask", paths: ["src/**"] };
  assert.deepEqual(seenWith({}), { ...all, report: { stream: "calls" } });
  const given = { branches: [], most: 0.5, mode: "deny", report: { stream: "x" } };
  assert.deepEqual(seenWith(given), { ...all, ...given });
});

test("a typing error in the settings is told", () => {
  const policy = made(() => [], { settings: DEFAULTS });
  for (const [given, text] of [
    [{ regstry: "x" }, "unknown setting `regstry`; there are `branches`, `registry`"],
    [{ report: { x: 1 } }, "unknown setting `report.x`; there are `report.stream`"],
    [{ branches: "main" }, "`branches` is not a list of strings"],
    [{ branches: ["main", 5] }, "`branches` is not a list of strings"],
    [{ registry: ["x"] }, "`registry` is not a string"],
    [{ forbidden: "yes" }, "`forbidden` is not true or false"],
    [{ most: "3" }, "`most` is not a number"],
    [{ most: null }, "`most` is not a number"],
    [{ mode: "warn" }, "`mode` is not one of `ask`, `deny`"],
    [{ paths: ["[a"] }, "`paths` has the pattern `[a`: a `[` is not closed"],
    [{ report: [] }, "`report` is not a table"],
    [JSON.parse('{"__proto__": {"forbidden": true}}'), "unknown setting `__proto__`"],
  ]) {
    assert.throws(() => policy.configure(JSON.stringify(given)), (error) => error.startsWith(text), text);
  }
  assert.throws(() => made(() => []).configure('{"a": 1}'), (error) => error.endsWith("there are none"));
  assert.throws(() => globs(["{a"]), /the pattern `\{a`/);
  assert.throws(() => oneOf(["a"], "b"), /not one of/);
  for (const wrong of [[1, 2], null, undefined, ["a", ["b"]], () => 1]) {
    assert.throws(() => made(() => [], { settings: { a: { b: wrong } } }), /the default of `a\.b` is no string/);
  }
});

test("the policy looks at its settings once more", () => {
  const configure = ({ most }) => {
    if (most < 1) throw "`most` is less than 1";
  };
  const policy = made(() => [], { settings: DEFAULTS, configure });
  policy.configure("{}");
  assert.throws(() => policy.configure('{"most": 0}'), (error) => error === "`most` is less than 1");
});

test("no fact can be asked for outside of a call", () => {
  const policy = made(() => [], { configure: () => new World({ effects: [effect("fs.read")] }).decide(policy, "Bash", {}) });
  let call;
  new World().decide(made((given) => ((call = given), [])), "Bash", {});
  assert.throws(() => call.resolve("a"), /there is no host/);
});
