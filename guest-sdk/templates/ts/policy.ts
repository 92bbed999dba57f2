// my-policy: a policy of guard-host.
//
// It sees what a tool call does, not how it is spelled: commands with their wrappers peeled off, and effects with a
// stable name and a severity. Each rule below is one function; add yours beside them, and a case to `fixtures/`.

import { current } from "guard:policy/analysis@0.1.0";
import { get as context, type Facts } from "guard:policy/context@0.1.0";
import type { Command, Effect } from "guard:policy/syntax@0.1.0";
import type { Decision, Finding, Manifest, Outcome, Rule } from "guard:policy/types@0.1.0";

type Contract = typeof import("guard:policy/policy@0.1.0");

/** Least severe first. */
const OUTCOMES: Outcome[] = ["abstain", "allow", "warn", "ask", "deny"];

/** What runs a command as another user. */
const ELEVATORS = ["sudo", "doas", "su"];

/** The settings in guard.toml, with their defaults. */
const DEFAULTS = {
  "protected-branches": ["main", "master"],
  scratch: ["/tmp"],
  registry: "",
  "allowed-hosts": ["localhost", "127.0.0.1"],
};

let settings = DEFAULTS;

const rule = (id: string, summary: string, outcome: Outcome): Rule => ({
  id,
  summary,
  default: outcome,
  ceiling: "deny",
});

function describe(): Manifest {
  return {
    id: "my-policy",
    version: "0.1.0",
    summary: "keeps changes in the project, branches whole, and traffic to known hosts",
    tools: ["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit"],
    rules: [
      rule("protected-branch", "a protected branch is rewritten or removed", "deny"),
      rule("outside-project", "a change outside of the project", "ask"),
      rule("elevated", "a command with the rights of another user", "ask"),
      rule("foreign-registry", "packages from another registry", "ask"),
      rule("unknown-host", "a connection to a host that is not allowed", "ask"),
      rule("private-key", "a private key in the text of a file", "deny"),
      rule("unclear", "a command that cannot be followed to its end", "ask"),
    ],
    grants: [],
    examples: [
      {
        tool: "Bash",
        input: '{"command": "git push --force origin main"}',
        outcome: "deny",
        rule: "protected-branch",
      },
      { tool: "Bash", input: '{"command": "sudo ls"}', outcome: "ask", rule: "elevated" },
      { tool: "Bash", input: '{"command": "ls"}', outcome: "abstain", rule: "" },
    ],
  };
}

/** What is thrown as a string is told to the person who wrote the settings. */
function configure(text: string): void {
  const given: Record<string, unknown> = JSON.parse(text);
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULTS, key)) throw `unknown setting \`${key}\``;
    const texts = key === "registry" ? [value] : value;
    if (!Array.isArray(texts) || !texts.every((one) => typeof one === "string")) {
      throw `\`${key}\` is not ${key === "registry" ? "a string" : "a list of strings"}`;
    }
  }
  settings = { ...DEFAULTS, ...given };
}

function decide(tool: string, text: string): Decision {
  const { coverage, commands, effects } = current();
  const facts = context();
  const input: Record<string, unknown> = JSON.parse(text);
  const findings = [
    ...effects.flatMap((effect) => protectedBranch(effect)),
    ...effects.flatMap((effect) => outsideProject(effect, facts)),
    ...commands.flatMap((command) => elevated(command, facts)),
    ...commands.flatMap((command) => foreignRegistry(command)),
    ...effects.flatMap((effect) => unknownHost(effect)),
    ...privateKeys(input),
  ];
  if (tool === "Bash" && coverage !== "complete") {
    const remedy = "write it without names that are known only at run time";
    findings.push(finding("unclear", "ask", "the command cannot be followed to its end", remedy));
  }
  const outcome = OUTCOMES[Math.max(0, ...findings.map((one) => OUTCOMES.indexOf(one.outcome)))] ?? "abstain";
  return { outcome, findings };
}

const finding = (rule: string, outcome: Outcome, message: string, remedy: string): Finding => ({
  rule,
  outcome,
  message,
  remedy,
  tags: [],
});

function protectedBranch({ operation, target }: Effect): Finding[] {
  if (!operation.startsWith("git.push.")) return [];
  if (target === "") {
    const message = `\`${operation}\` names no branch, and the current one may be protected`;
    return [finding("protected-branch", "ask", message, "name the branch that you mean")];
  }
  if (!settings["protected-branches"].includes(target)) return [];
  const message = `\`${operation}\` would rewrite or remove \`${target}\`, a protected branch`;
  return [finding("protected-branch", "deny", message, "push a branch of your own and open a pull request")];
}

function outsideProject({ kind, path, severity, target }: Effect, { projectRoot }: Facts): Finding[] {
  if (!["write", "delete", "metadata"].includes(kind) || path.raw === "") return [];
  if (path.projectRelative !== "" || settings.scratch.some((folder) => isBelow(path.canonical, folder))) return [];
  const outcome = severity === "destructive" || severity === "catastrophic" ? "deny" : "ask";
  const message = `\`${target}\` lies outside of the project`;
  return [finding("outside-project", outcome, message, `stay below \`${projectRoot}\``)];
}

function elevated(command: Command, { permissionMode }: Facts): Finding[] {
  const kinds = [...command.via.map((via) => via.kind), programOf(command)];
  const by = kinds.find((kind) => ELEVATORS.includes(kind));
  if (by === undefined) return [];
  // Nobody is asked in this mode.
  const outcome = permissionMode === "bypassPermissions" ? "deny" : "ask";
  const message = `\`${command.argv[0]?.text ?? ""}\` runs with the rights of another user`;
  return [finding("elevated", outcome, message, `run it without \`${by}\``)];
}

function foreignRegistry(command: Command): Finding[] {
  const program = programOf(command);
  if (!["npm", "pnpm", "yarn", "pip", "pip3"].includes(program)) return [];
  const { registry } = settings;
  const remedy = registry === "" ? "leave the option out" : `use \`${registry}\``;
  return command.argv
    .map((word, at) => registryNamedBy(word.text, command.argv[at + 1]?.text))
    .filter((value) => value !== undefined && withoutSlashes(value) !== withoutSlashes(registry))
    .map((value) => finding("foreign-registry", "ask", `\`${program}\` would take packages from \`${value}\``, remedy));
}

function unknownHost({ kind, certain, target }: Effect): Finding[] {
  if (kind !== "network") return [];
  if (!certain) {
    const message = `where \`${target}\` leads is known only at run time`;
    return [finding("unknown-host", "ask", message, "write the address out")];
  }
  const host = hostOf(target);
  if (settings["allowed-hosts"].some((allowed) => host === allowed || host.endsWith(`.${allowed}`))) return [];
  const message = `\`${host}\` is not one of the allowed hosts`;
  return [finding("unknown-host", "ask", message, "have it added to `allowed-hosts`")];
}

function privateKeys(input: Record<string, unknown>): Finding[] {
  const file = [input["file_path"], input["notebook_path"]].find((path) => typeof path === "string") ?? "";
  return ["content", "new_string", "new_source"]
    .map((key) => input[key])
    .filter((text) => typeof text === "string" && text.includes("PRIVATE KEY-----"))
    .map(() => {
      const message = `the text for \`${file}\` holds a private key`;
      return finding("private-key", "deny", message, "refer to the key by its path");
    });
}

/** The program's name without its folder. */
function programOf(command: Command): string {
  return command.argv[0]?.text.split("/").pop() ?? "";
}

/** The registry that a word names, alone or together with the next one. */
function registryNamedBy(word: string, next: string | undefined): string | undefined {
  const options = ["--registry", "--index-url", "--extra-index-url"];
  if (options.includes(word)) return next;
  const option = options.find((one) => word.startsWith(`${one}=`));
  return option === undefined ? undefined : word.slice(option.length + 1);
}

/** The host of an address, with or without scheme, user, port and path. */
function hostOf(address: string): string {
  const scheme = address.indexOf("://");
  const rest = scheme < 0 ? address : address.slice(scheme + 3);
  const authority = rest.split(/[/?#]/)[0] ?? "";
  return authority.slice(authority.lastIndexOf("@") + 1).split(":")[0] ?? "";
}

function withoutSlashes(text: string): string {
  return text.replace(/\/+$/, "");
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Tells what nobody caught, and where it was thrown. Anything but a string would end the policy without a word. */
function telling<Given extends unknown[], Answer>(call: (...given: Given) => Answer): (...given: Given) => Answer {
  return (...given) => {
    try {
      return call(...given);
    } catch (error) {
      if (typeof error === "string") throw error;
      if (error instanceof Error) throw `${error} ${(error.stack ?? "").trim().split("\n")[0]?.trim()}`;
      throw JSON.stringify(error);
    }
  };
}

export const policy: Contract = { describe, configure: telling(configure), decide: telling(decide) };
