import assert from "node:assert/strict";
import { test } from "node:test";

import { World, effect } from "guard-host-policy/testing";
import { policy } from "./by-hand.js";

test("a policy that imports the contract itself runs in a world", () => {
  const world = new World({ effects: [effect("package.publish")], env: { CI: "1" }, faults: { TOKEN: "denied" } });
  const { outcome, findings } = world.decide(policy, "Bash", { command: "npm publish" });
  assert.deepEqual([outcome, findings[0].message], ["ask", "package.publish 1 denied /repo"]);
});
