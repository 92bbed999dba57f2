import { object } from "./call.js";
import { parsed } from "./globs.js";

/** What a value of each type is called. */
const TYPES = { boolean: "true or false", number: "a number", string: "a string" };

/** A setting whose default does not say all of its type. */
class Kind {
  /** @param {unknown} otherwise @param {(value: unknown) => string | undefined} problem */
  constructor(otherwise, problem) {
    this.otherwise = otherwise;
    this.problem = problem;
    const found = problem(otherwise);
    if (found !== undefined) throw new Error(`a default ${found}`);
  }
}

/** @type {typeof import("./index.js").oneOf} */
export function oneOf(choices, otherwise) {
  const names = choices.map((choice) => `\`${choice}\``).join(", ");
  const isChoice = (/** @type {unknown} */ value) => choices.some((choice) => choice === value);
  const kind = new Kind(otherwise, (value) => (isChoice(value) ? undefined : `is not one of ${names}`));
  return /** @type {never} */ (kind);
}

/** @type {typeof import("./index.js").globs} */
export function globs(otherwise) {
  const kind = new Kind(otherwise, (value) => {
    if (!isList(value)) return "is not a list of strings";
    try {
      value.forEach(parsed);
    } catch (error) {
      return `has ${/** @type {Error} */ (error).message}`;
    }
    return undefined;
  });
  return /** @type {never} */ (kind);
}

/** @param {unknown} value @returns {value is string[]} */
function isList(value) {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isTable(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Throws an error if a default is of no type that settings have.
 *
 * @param {Record<string, unknown>} defaults
 */
export function checkDefaults(defaults, start = "") {
  for (const [key, otherwise] of Object.entries(defaults)) {
    if (otherwise instanceof Kind) continue;
    if (isTable(otherwise)) checkDefaults(otherwise, `${start}${key}.`);
    else if (!isList(otherwise) && !Object.hasOwn(TYPES, typeof otherwise)) {
      throw new Error(`the default of \`${start}${key}\` is no string, number, boolean, list of strings or table`);
    }
  }
}

/**
 * The settings that a JSON text gives. Throws a text for the person who wrote them.
 *
 * @param {Record<string, unknown>} defaults @param {string} json
 */
export function read(defaults, json) {
  return table(defaults, object(json), "");
}

/** @param {Record<string, unknown>} defaults @param {Record<string, unknown>} given @param {string} start */
function table(defaults, given, start) {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(defaults, key));
  if (unknown !== undefined) {
    const names = Object.keys(defaults).map((key) => `\`${start}${key}\``);
    const there = names.length === 0 ? "there are none" : `there are ${names.join(", ")}`;
    throw `unknown setting \`${start}${unknown}\`; ${there}`;
  }
  /** @type {Record<string, unknown>} */
  const settings = {};
  for (const [key, otherwise] of Object.entries(defaults)) {
    settings[key] = value(otherwise, given[key], `${start}${key}`);
  }
  return settings;
}

/** @param {unknown} otherwise @param {unknown} given @param {string} name @returns {unknown} */
function value(otherwise, given, name) {
  if (isTable(otherwise) && !(otherwise instanceof Kind)) {
    if (given !== undefined && !isTable(given)) throw `\`${name}\` is not a table`;
    return table(otherwise, given ?? {}, `${name}.`);
  }
  if (given === undefined) return otherwise instanceof Kind ? otherwise.otherwise : otherwise;
  const problem = otherwise instanceof Kind ? otherwise.problem(given) : wrongType(otherwise, given);
  if (problem !== undefined) throw `\`${name}\` ${problem}`;
  return given;
}

/** @param {unknown} otherwise @param {unknown} given */
function wrongType(otherwise, given) {
  if (Array.isArray(otherwise)) return isList(given) ? undefined : "is not a list of strings";
  if (typeof otherwise === typeof given) return undefined;
  return `is not ${TYPES[/** @type {"string"} */ (typeof otherwise)]}`;
}
