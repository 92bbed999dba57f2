// Checked by the compiler and never run: the types of the package are those of the contract, and what a policy writes
// has the types that its author expects.

import { type Analysis, definePolicy, type Decision, type Exported, globs, type Manifest, oneOf, rule } from "guard-host-policy";
import { World, command, effect, word } from "guard-host-policy/testing";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

export const contract: [
  Both<Analysis, import("guard:policy/syntax@0.1.0").Analysis>,
  Both<Decision, import("guard:policy/types@0.1.0").Decision>,
  Both<Manifest, import("guard:policy/types@0.1.0").Manifest>,
  Both<import("guard-host-policy").Facts, import("guard:policy/context@0.1.0").Facts>,
  Both<import("guard-host-policy").Fault, import("guard:policy/types@0.1.0").Fault>,
  Both<import("guard-host-policy").Level, import("guard:policy/types@0.1.0").Level>,
  Both<import("guard-host-policy/facts").Event, import("guard:facts/history@0.3.0").Event>,
] = [true, true, true, true, true, true, true];

const publish = rule("publish", "a package is published", "ask", "deny");

export const policy: Exported & typeof import("guard:policy/policy@0.1.0") = definePolicy({
  manifest: { id: "my-policy", summary: "", tools: ["Bash"], rules: [publish] },
  settings: { mode: oneOf(["ask", "deny"], "ask"), forbidden: false, names: ["a"], paths: globs([]), most: { count: 1 } },
  *decide(call, settings) {
    const types: [
      Same<typeof settings.mode, "ask" | "deny">,
      Same<typeof settings.forbidden, boolean>,
      Same<typeof settings.names, string[]>,
      Same<typeof settings.paths, readonly string[]>,
      Same<typeof settings.most.count, number>,
    ] = [true, true, true, true, true];
    for (const effect of call.effects("package.publish")) {
      yield publish.finding(effect.target, { outcome: settings.mode, tags: { types: String(types.length) } });
    }
    // @ts-expect-error There is no such setting.
    settings.forbiden;
    // @ts-expect-error There is no such outcome.
    publish.finding("", { outcome: "stop" });
  },
});

// @ts-expect-error It is not one of the choices.
oneOf(["ask", "deny"], "warn");

// @ts-expect-error `decide` gives findings, not a decision.
definePolicy({ manifest: { id: "a", summary: "", tools: [], rules: [] }, decide: () => ({ outcome: "ask", findings: [] }) });

export const decision: Decision = new World({
  effects: [effect("package.publish", "x", { tags: { manager: "npm" } })],
  commands: [command("npm publish", { via: ["sudo"] }), command([word("$x", { dynamic: true })])],
  facts: { permissionMode: "plan" },
}).decide(policy, "Bash", { command: "sudo npm publish" }, { mode: "deny" });
