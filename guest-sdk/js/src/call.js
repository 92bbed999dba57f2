import * as host from "#host";
import { keepPossible } from "./folders.js";

/** @typedef {import("./index.js").Call} Contract */
/** @typedef {import("./index.js").Analysis} Analysis */
/** @typedef {import("./index.js").Effect} Effect */
/** @typedef {import("./index.js").Facts} Facts */

/** The tool call that is decided. @implements {Contract} */
export class Call {
  /** @type {Analysis | undefined} */
  #analysis;
  /** @type {Facts | undefined} */
  #facts;

  /** @param {string} tool @param {string} input */
  constructor(tool, input) {
    this.tool = tool;
    this.input = object(input);
  }

  get command() {
    return this.tool === "Bash" || this.tool === "PowerShell" ? text(this.input["command"]) : "";
  }

  get path() {
    const paths = ["file_path", "path", "notebook_path"].map((key) => this.input[key]);
    return text(paths.find((path) => typeof path === "string"));
  }

  get texts() {
    const { edits } = this.input;
    const parts = [this.input, ...(Array.isArray(edits) ? edits : [])];
    const texts = parts.flatMap((part) => ["content", "new_string", "new_source"].map((key) => part?.[key]));
    return texts.filter((value) => typeof value === "string");
  }

  get analysis() {
    return (this.#analysis ??= keepPossible(host.analysis()));
  }

  get facts() {
    return (this.#facts ??= host.context());
  }

  /** @param {string[]} names */
  effects(...names) {
    const { effects } = this.analysis;
    return names.length === 0 ? effects : effects.filter((effect) => names.some((name) => isNamed(effect, name)));
  }

  /** @param {Effect} effect */
  commandOf(effect) {
    return this.analysis.commands.find((command) => command.id === effect.commandId);
  }

  /** @param {string} path */
  resolve(path) {
    return host.resolve(path);
  }

  /** @param {string} path @param {string} [absent] */
  readText(path, absent) {
    return asked(() => host.readText(path), `the file \`${path}\``, absent);
  }

  /** @param {string} name @param {string} [absent] */
  env(name, absent) {
    return asked(() => host.env(name), `the variable \`${name}\``, absent);
  }

  /** @param {string} stream @param {object} line */
  journal(stream, line) {
    asked(() => host.journal(stream, JSON.stringify(line)), `the journal \`${stream}\``);
  }

  /** @param {string} text @param {import("./index.js").Level} level */
  log(text, level = "info") {
    host.log(level, text);
  }
}

/**
 * What the host gives. A fault is an error, and that there is no such thing is not, if `absent` stands for it.
 *
 * @template T @param {() => T} question @param {string} what @param {T} [absent]
 */
function asked(question, what, absent) {
  try {
    return question();
  } catch (error) {
    const fault = error instanceof Error && "payload" in error ? error.payload : error;
    if (fault === "absent" && absent !== undefined) return absent;
    throw typeof fault === "string" ? new Error(`${what} is ${fault}`) : error;
  }
}

/** @param {Effect} effect @param {string} name */
function isNamed({ kind, operation }, name) {
  return name.endsWith(".") ? operation.startsWith(name) : name.includes(".") ? operation === name : kind === name;
}

/** The object that a JSON text is. @param {string} json @returns {Record<string, unknown>} */
export function object(json) {
  const value = JSON.parse(json);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw "it is not a JSON object";
  return value;
}

/** @param {unknown} value */
const text = (value) => (typeof value === "string" ? value : "");

/** @type {typeof import("./index.js").tagsOf} */
export function tagsOf({ tags }) {
  // Of two tags of one name the first one counts.
  return new Map([...tags].reverse());
}

/** @type {typeof import("./index.js").programOf} */
export function programOf({ argv }) {
  return argv[0]?.text.split("/").pop() ?? "";
}

/** @type {typeof import("./index.js").textOf} */
export function textOf({ argv }) {
  return argv.map((word) => word.text).join(" ");
}

/** @type {typeof import("./index.js").hostOf} */
export function hostOf(address) {
  const scheme = address.indexOf("://");
  const rest = scheme < 0 ? address : address.slice(scheme + 3);
  const authority = rest.split(/[/?#]/)[0] ?? "";
  return authority.slice(authority.lastIndexOf("@") + 1).split(":")[0] ?? "";
}

/** @type {typeof import("./index.js").isBelow} */
export function isBelow(path, folder) {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
