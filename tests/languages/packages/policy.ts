// The policy that same.toml describes, with the package for JavaScript and TypeScript.

import {
  type Call, type Command, definePolicy, type Effect, type Finding, hostOf, isBelow, programOf, rule, type Values,
} from "guard-host-policy";

const protectedBranch = rule("protected-branch", "a protected branch is rewritten or removed", "deny");
const outsideProject = rule("outside-project", "a change outside of the project", "ask", "deny");
const elevated = rule("elevated", "a command with the rights of another user", "ask", "deny");
const foreignRegistry = rule("foreign-registry", "packages from another registry", "ask", "deny");
const unknownHost = rule("unknown-host", "a connection to a host that is not allowed", "ask", "deny");
const privateKey = rule("private-key", "a private key in the text of a file", "deny");
const unclear = rule("unclear", "a command that cannot be followed to its end", "ask", "deny");

const DEFAULTS = {
  "protected-branches": ["main", "master"],
  scratch: ["/tmp"],
  registry: "",
  "allowed-hosts": ["localhost", "127.0.0.1"],
};
type Settings = Values<typeof DEFAULTS>;

export const policy = definePolicy({
  manifest: {
    id: "team-rules",
    summary: "keeps changes in the project, branches whole, and traffic to known hosts",
    tools: ["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit"],
    rules: [protectedBranch, outsideProject, elevated, foreignRegistry, unknownHost, privateKey, unclear],
    examples: [
      { input: { command: "git push --force origin main" }, outcome: "deny", rule: "protected-branch" },
      { input: { command: "sudo ls" }, outcome: "ask", rule: "elevated" },
      { input: { command: "ls" }, outcome: "abstain" },
    ],
  },
  settings: DEFAULTS,
  *decide(call, settings) {
    for (const effect of call.effects("git.push.")) yield* branchFinding(effect, settings);
    for (const effect of call.effects("write", "delete", "metadata")) yield* placeFinding(effect, call, settings);
    for (const command of call.analysis.commands) yield* elevatedFinding(command, call);
    for (const command of call.analysis.commands) yield* registryFindings(command, settings);
    for (const effect of call.effects("network")) yield* hostFinding(effect, settings);
    for (const text of call.texts.filter((text) => text.includes("PRIVATE KEY-----"))) {
      const message = `the text for \`${call.path}\` holds a private key`;
      yield privateKey.finding(message, { remedy: "refer to the key by its path" });
    }
    if (call.tool === "Bash" && call.analysis.coverage !== "complete") {
      const remedy = "write it without names that are known only at run time";
      yield unclear.finding("the command cannot be followed to its end", { remedy });
    }
  },
});

function* branchFinding({ operation, target }: Effect, settings: Settings): Iterable<Finding> {
  if (target === "") {
    const message = `\`${operation}\` names no branch, and the current one may be protected`;
    yield protectedBranch.finding(message, { outcome: "ask", remedy: "name the branch that you mean" });
  } else if (settings["protected-branches"].includes(target)) {
    const message = `\`${operation}\` would rewrite or remove \`${target}\`, a protected branch`;
    yield protectedBranch.finding(message, { remedy: "push a branch of your own and open a pull request" });
  }
}

function* placeFinding({ path, severity, target }: Effect, call: Call, settings: Settings): Iterable<Finding> {
  if (path.raw === "" || path.projectRelative !== "") return;
  if (settings.scratch.some((folder) => isBelow(path.canonical, folder))) return;
  const outcome = severity === "destructive" || severity === "catastrophic" ? "deny" : "ask";
  const remedy = `stay below \`${call.facts.projectRoot}\``;
  yield outsideProject.finding(`\`${target}\` lies outside of the project`, { outcome, remedy });
}

function* elevatedFinding(command: Command, call: Call): Iterable<Finding> {
  const kinds = [...command.via.map((via) => via.kind), programOf(command)];
  const by = kinds.find((kind) => ["sudo", "doas", "su"].includes(kind));
  if (by === undefined) return;
  const outcome = call.facts.permissionMode === "bypassPermissions" ? "deny" : "ask";
  const message = `\`${command.argv[0]?.text ?? ""}\` runs with the rights of another user`;
  yield elevated.finding(message, { outcome, remedy: `run it without \`${by}\`` });
}

function* registryFindings(command: Command, { registry }: Settings): Iterable<Finding> {
  const program = programOf(command);
  if (!["npm", "pnpm", "yarn", "pip", "pip3"].includes(program)) return;
  const remedy = registry === "" ? "leave the option out" : `use \`${registry}\``;
  const words = command.argv.map((word) => word.text);
  for (const [at, word] of words.entries()) {
    const [, option, value] = /^(--registry|--index-url|--extra-index-url)(?:=(.*))?$/s.exec(word) ?? [];
    const named = option === undefined ? undefined : (value ?? words[at + 1]);
    if (named === undefined || withoutSlashes(named) === withoutSlashes(registry)) continue;
    yield foreignRegistry.finding(`\`${program}\` would take packages from \`${named}\``, { remedy });
  }
}

function* hostFinding({ certain, target }: Effect, settings: Settings): Iterable<Finding> {
  if (!certain) {
    const message = `where \`${target}\` leads is known only at run time`;
    yield unknownHost.finding(message, { remedy: "write the address out" });
    return;
  }
  const host = hostOf(target);
  if (settings["allowed-hosts"].some((allowed) => host === allowed || host.endsWith(`.${allowed}`))) return;
  const remedy = "have it added to `allowed-hosts`";
  yield unknownHost.finding(`\`${host}\` is not one of the allowed hosts`, { remedy });
}

const withoutSlashes = (text: string) => text.replace(/\/+$/, "");
