// Asks the host for all that it gives, with the package for JavaScript and TypeScript; host.toml has the answers.

import { definePolicy, glob, globs, rule, tagsOf, textOf } from "guard-host-policy";
import { git } from "guard-host-policy/facts";

const told = rule("told", "what the host says", "warn");

export const policy = definePolicy({
  manifest: {
    id: "host",
    summary: "tells what the host says",
    tools: ["*"],
    rules: [told],
    grants: ["env:CI", "env:NONE", "read:./notes.txt", "read:./none.txt", "journal:calls"],
  },
  settings: { paths: globs(["src/**/*.{js,ts}"]) },
  *decide(call, { paths }) {
    const ungranted = attempt(() => call.env("HOME", "absent"));
    const answers = [call.env("CI", "absent"), call.env("NONE", "absent"), ungranted];
    const missing = attempt(() => call.readText("none.txt"));
    answers.push(call.readText("notes.txt").trim(), call.readText("none.txt", "absent"), missing);
    answers.push(call.resolve("out/x").canonical, call.facts.home);
    answers.push(git.branch("notes.txt"), git.tracked("notes.txt"), git.ignored("notes.txt"));
    const parts = [answers.join(", ")];
    for (const effect of call.effects("fs.")) {
      const command = call.commandOf(effect);
      const by = command === undefined ? tagsOf(effect).get("by") : textOf(command);
      const isSource = paths.some((path) => glob(path, effect.path.projectRelative));
      parts.push(`${effect.operation} ${effect.target} by ${by}, ${isSource ? "a source" : "no source"}`);
    }
    yield told.finding(parts.join("; "));
    call.journal("calls", { tool: call.tool, text: "é" });
    call.log("told", "debug");
  },
});

function attempt(question: () => string): string {
  try {
    return question();
  } catch (error) {
    return error instanceof Error ? error.message : "no error";
  }
}
