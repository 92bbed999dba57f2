import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { glob } from "guard-host-policy";

const table = JSON.parse(readFileSync(new URL("../../globs.json", import.meta.url), "utf8"));

test("patterns match what the table says", () => {
  for (const { pattern, yes, no } of table.matches) {
    for (const path of yes) assert.ok(glob(pattern, path), `${pattern} must match ${path}`);
    for (const path of no) assert.ok(!glob(pattern, path), `${pattern} must not match ${path}`);
  }
});

test("what is no pattern is an error that names it", () => {
  for (const pattern of [...table.errors, "a".repeat(2000), "é".repeat(600)]) {
    assert.throws(() => glob(pattern, pattern), (error) => error.message.includes(`\`${pattern}\``));
  }
});

test("hostile patterns end soon", () => {
  assert.ok(!glob(`${"**/a*a*a/".repeat(100)}b`, "aaaa/".repeat(20_000)));
  assert.ok(!glob("*a".repeat(500), `${"a".repeat(4_000)}b`));
});
