import { isBelow, object } from "./call.js";
import { bytes } from "./globs.js";
import { within } from "./host/native.js";
import { resolve, unresolved } from "./paths.js";

/** @typedef {import("./testing.js").WorldParts} WorldParts */
/** @typedef {import("./index.js").Fault} Fault */
/** @typedef {import("./index.js").Effect} Effect */

/** The limits of a journal. */
const [LINES, LINE_BYTES] = [64, 16 << 10];

/** @type {import("./index.js").Facts} */
const FACTS = {
  cwd: "/repo",
  projectRoot: "/repo",
  home: "/home/u",
  session: "s1",
  harness: "claude",
  permissionMode: "default",
  originalTool: "",
};

/** An error as the bindings of a component throw it. @param {Fault} fault */
const failure = (fault) => Object.assign(new Error(fault), { payload: fault });

export class World {
  /** @type {WorldParts} */
  #parts;

  /** @param {WorldParts} parts */
  constructor(parts = {}) {
    this.#parts = parts;
    /** @type {Array<[string, object]>} */
    this.journal = [];
    /** @type {Array<[import("./index.js").Level, string]>} */
    this.log = [];
  }

  /** @type {import("./testing.js").World["decide"]} */
  decide(policy, tool, input, settings = {}) {
    this.journal = [];
    this.log = [];
    // No fact can be asked for while a policy is configured.
    within(undefined, () => policy.configure(JSON.stringify(settings)));
    return within(this.#answers(tool, input), () => policy.decide(tool, JSON.stringify(input)));
  }

  /** @param {string} tool @param {object} input @returns {import("./testing.js").Answers} */
  #answers(tool, input) {
    const { coverage = "complete", reasons = [], commands = [], scripts = [] } = this.#parts;
    const { files = {}, env = {}, faults = {}, git = {}, manifests = {}, earlier = [], history = [] } = this.#parts;
    const facts = { ...FACTS, ...this.#parts.facts };
    const disk = this.#disk(facts.projectRoot);
    /** @param {string} path */
    const at = (path) => resolve(disk, facts, path);
    const effects = (this.#parts.effects ?? ofTool(tool, input)).map((effect) => {
      const isOpen = effect.path.raw !== "" && effect.path.lexical === "";
      return isOpen ? { ...effect, path: at(effect.path.raw) } : effect;
    });
    const numbered = commands.map((command, index) => ({ ...command, id: command.id || index + 1 }));
    /** @param {Record<string, string>} values @param {string} name */
    const value = (values, name) => {
      const fault = faults[name] ?? (Object.hasOwn(values, name) ? undefined : "absent");
      if (fault !== undefined) throw failure(fault);
      return /** @type {string} */ (values[name]);
    };
    return {
      branch: (path) => (at(path).gitRoot === "" ? "" : (git.branch ?? "")),
      // Of a link, git keeps the link.
      presence: (what, path) => (at(path).gitRoot === "" ? undefined : git[what]?.[at(path).lexical]) ?? "unknown",
      manifests: (path) => {
        const folders = foldersOf(at(path).canonical).filter((folder) => isBelow(folder, facts.projectRoot));
        const folder = folders.find((one) => faults[one] !== undefined || manifests[one] !== undefined) ?? "";
        if (faults[folder] !== undefined) throw failure(faults[folder]);
        return copy(manifests[folder] ?? []);
      },
      earlier: () => copy(earlier),
      events: (kind) => {
        if (faults.history !== undefined) throw failure(faults.history);
        const counted = history.map((event, index) => ({ ...event, number: index + 1 }));
        return copy(counted.filter((event) => kind === "" || event.kind === kind));
      },
      analysis: () => copy({ coverage, reasons, commands: numbered, effects, scripts }),
      context: () => ({ ...facts }),
      resolve: at,
      readText: (path) => value(files, path in faults ? path : at(path).canonical),
      env: (name) => value(env, name),
      append: (stream, line) => {
        if (faults[stream] !== undefined) throw failure(faults[stream]);
        if (this.journal.length >= LINES || bytes(line) > LINE_BYTES) throw failure("too-large");
        this.journal.push([stream, objectOrFailure(line)]);
      },
      note: (level, text) => void this.log.push([level, text]),
    };
  }

  /** @param {string} root */
  #disk(root) {
    const { files = {}, links = {}, dirs = [], repository = true } = this.#parts;
    const git = `${root}/.git`;
    const isTold = Object.hasOwn(files, git) || Object.hasOwn(links, git);
    return { files, links, dirs: repository && !isTold ? [...dirs, git] : dirs };
  }
}

/** A call is given a copy, as from the host. @template T @param {T} value @returns {T} */
const copy = (value) => JSON.parse(JSON.stringify(value));

/** @param {string} line */
function objectOrFailure(line) {
  try {
    return object(line);
  } catch {
    throw failure("failed");
  }
}

/** A path and the folders above it. @param {string} path */
function foldersOf(path) {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(0, parts.length - at).join("/") || "/");
}

/** What a file tool does. @param {string} tool @param {object} input @returns {Effect[]} */
function ofTool(tool, input) {
  const writes = ["Write", "Edit", "MultiEdit", "NotebookEdit"].includes(tool);
  if (!writes && tool !== "Read") return [];
  const given = /** @type {Record<string, unknown>} */ (input);
  const paths = ["file_path", "path", "notebook_path"].map((key) => given[key]);
  return paths.filter((path) => typeof path === "string").map((target) => {
    const severity = writes ? "notable" : "routine";
    return effect(writes ? "fs.write" : "fs.read", target, { severity, tags: { by: tool } });
  });
}

/** @param {string} operation */
function kindOf(operation) {
  const [family = "", what = ""] = operation.split(".");
  if (family === "fs") return ["read", "write", "delete"].includes(what) ? what : "metadata";
  return { git: "vcs", sql: "database", mongo: "database", redis: "database" }[family] ?? family;
}

/** @type {typeof import("./testing.js").effect} */
export function effect(operation, target = "", parts = {}) {
  const { kind = kindOf(operation), tags = {} } = parts;
  const isFile = ["read", "write", "delete", "metadata"].includes(kind);
  return {
    kind,
    operation,
    severity: parts.severity ?? "routine",
    target,
    path: unresolved(parts.path ?? (isFile ? target : "")),
    commandId: parts.commandId ?? 0,
    certain: parts.certain ?? true,
    tags: Object.entries(tags),
  };
}

/** @type {typeof import("./testing.js").event} */
export function event(kind, target = "", { tags = {}, ...parts } = {}) {
  return { number: 0, time: "", kind, tool: "Bash", target, certain: true, ...parts, tags: Object.entries(tags) };
}

/** @type {typeof import("./testing.js").word} */
export function word(text, parts = {}) {
  return { text, dynamic: false, quoted: false, glob: false, parts: [{ kind: "literal", text, quoted: false }], ...parts };
}

/** @type {typeof import("./testing.js").command} */
export function command(words, { via = [], ...parts } = {}) {
  const list = typeof words === "string" ? words.split(/\s+/).filter((text) => text !== "") : words;
  return {
    id: 0,
    parent: 0,
    assignments: [],
    redirections: [],
    position: { pipeline: 1, index: 0, length: 1, operator: "", background: false, within: [] },
    span: { start: 0, end: 0 },
    cwd: FACTS.cwd,
    certain: true,
    ...parts,
    argv: list.map((one) => (typeof one === "string" ? word(one) : one)),
    via: via.map((one) => (typeof one === "string" ? { kind: one, detail: "" } : one)),
  };
}
