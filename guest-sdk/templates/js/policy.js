// @ts-check
// my-policy: a policy of guard-host.
//
// It sees what a tool call does, not how it is spelled: commands with their wrappers peeled off, and effects with a
// stable name and a severity. Each rule below is one function; add yours beside them, and a case to `fixtures/`.

import { current } from "guard:policy/analysis@0.1.0";
import { get as context } from "guard:policy/context@0.1.0";

/** @typedef {import("guard:policy/types@0.1.0").Finding} Finding */
/** @typedef {import("guard:policy/types@0.1.0").Outcome} Outcome */
/** @typedef {import("guard:policy/types@0.1.0").Manifest} Manifest */
/** @typedef {import("guard:policy/types@0.1.0").Decision} Decision */
/** @typedef {import("guard:policy/syntax@0.1.0").Effect} Effect */
/** @typedef {import("guard:policy/syntax@0.1.0").Command} Command */
/** @typedef {import("guard:policy/context@0.1.0").Facts} Facts */

/** Least severe first. @type {Outcome[]} */
const OUTCOMES = ["abstain", "allow", "warn", "ask", "deny"];

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

/** @type {(id: string, summary: string, outcome: Outcome) => import("guard:policy/types@0.1.0").Rule} */
const rule = (id, summary, outcome) => ({ id, summary, default: outcome, ceiling: "deny" });

/** @returns {Manifest} */
function describe() {
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

/** What is thrown as a string is told to the person who wrote the settings. @param {string} text */
function configure(text) {
  /** @type {Record<string, unknown>} */
  const given = JSON.parse(text);
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULTS, key)) throw `unknown setting \`${key}\``;
    const texts = key === "registry" ? [value] : value;
    if (!Array.isArray(texts) || !texts.every((one) => typeof one === "string")) {
      throw `\`${key}\` is not ${key === "registry" ? "a string" : "a list of strings"}`;
    }
  }
  settings = { ...DEFAULTS, ...given };
}

/** @param {string} tool @param {string} text @returns {Decision} */
function decide(tool, text) {
  const { coverage, commands, effects } = current();
  const facts = context();
  const input = JSON.parse(text);
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

/** @type {(rule: string, outcome: Outcome, message: string, remedy: string) => Finding} */
const finding = (rule, outcome, message, remedy) => ({ rule, outcome, message, remedy, tags: [] });

/** @param {Effect} effect */
function protectedBranch({ operation, target }) {
  if (!operation.startsWith("git.push.")) return [];
  if (target === "") {
    const message = `\`${operation}\` names no branch, and the current one may be protected`;
    return [finding("protected-branch", "ask", message, "name the branch that you mean")];
  }
  if (!settings["protected-branches"].includes(target)) return [];
  const message = `\`${operation}\` would rewrite or remove \`${target}\`, a protected branch`;
  return [finding("protected-branch", "deny", message, "push a branch of your own and open a pull request")];
}

/** @param {Effect} effect @param {Facts} facts */
function outsideProject({ kind, path, severity, target }, { projectRoot }) {
  if (!["write", "delete", "metadata"].includes(kind) || path.raw === "") return [];
  if (path.projectRelative !== "" || settings.scratch.some((folder) => isBelow(path.canonical, folder))) return [];
  const outcome = severity === "destructive" || severity === "catastrophic" ? "deny" : "ask";
  const message = `\`${target}\` lies outside of the project`;
  return [finding("outside-project", outcome, message, `stay below \`${projectRoot}\``)];
}

/** @param {Command} command @param {Facts} facts */
function elevated(command, { permissionMode }) {
  const kinds = [...command.via.map((via) => via.kind), programOf(command)];
  const by = kinds.find((kind) => ELEVATORS.includes(kind));
  if (by === undefined) return [];
  // Nobody is asked in this mode.
  const outcome = permissionMode === "bypassPermissions" ? "deny" : "ask";
  const message = `\`${command.argv[0]?.text ?? ""}\` runs with the rights of another user`;
  return [finding("elevated", outcome, message, `run it without \`${by}\``)];
}

/** @param {Command} command */
function foreignRegistry(command) {
  const program = programOf(command);
  if (!["npm", "pnpm", "yarn", "pip", "pip3"].includes(program)) return [];
  const { registry } = settings;
  const remedy = registry === "" ? "leave the option out" : `use \`${registry}\``;
  return command.argv
    .map((word, at) => registryNamedBy(word.text, command.argv[at + 1]?.text))
    .filter((value) => value !== undefined && withoutSlashes(value) !== withoutSlashes(registry))
    .map((value) => finding("foreign-registry", "ask", `\`${program}\` would take packages from \`${value}\``, remedy));
}

/** @param {Effect} effect */
function unknownHost({ kind, certain, target }) {
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

/** @param {Record<string, unknown>} input */
function privateKeys(input) {
  const file = [input["file_path"], input["notebook_path"]].find((path) => typeof path === "string") ?? "";
  return ["content", "new_string", "new_source"]
    .map((key) => input[key])
    .filter((text) => typeof text === "string" && text.includes("PRIVATE KEY-----"))
    .map(() => {
      const message = `the text for \`${file}\` holds a private key`;
      return finding("private-key", "deny", message, "refer to the key by its path");
    });
}

/** The program's name without its folder. @param {Command} command */
function programOf(command) {
  return command.argv[0]?.text.split("/").pop() ?? "";
}

/**
 * The registry that a word names, alone or together with the next one.
 *
 * @param {string} word @param {string | undefined} next
 */
function registryNamedBy(word, next) {
  const options = ["--registry", "--index-url", "--extra-index-url"];
  if (options.includes(word)) return next;
  const option = options.find((one) => word.startsWith(`${one}=`));
  return option === undefined ? undefined : word.slice(option.length + 1);
}

/** The host of an address, with or without scheme, user, port and path. @param {string} address */
function hostOf(address) {
  const scheme = address.indexOf("://");
  const rest = scheme < 0 ? address : address.slice(scheme + 3);
  const authority = rest.split(/[/?#]/)[0] ?? "";
  return authority.slice(authority.lastIndexOf("@") + 1).split(":")[0] ?? "";
}

/** @param {string} text */
function withoutSlashes(text) {
  return text.replace(/\/+$/, "");
}

/** @param {string} path @param {string} folder */
function isBelow(path, folder) {
  return path === folder || path.startsWith(`${folder}/`);
}

/**
 * Tells what nobody caught, and where it was thrown. Anything but a string would end the policy without a word.
 *
 * @template {unknown[]} Given
 * @template Answer
 * @param {(...given: Given) => Answer} call
 * @returns {(...given: Given) => Answer}
 */
function telling(call) {
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

export const policy = { describe, configure: telling(configure), decide: telling(decide) };
