import { Call } from "./call.js";
import { checkDefaults, read } from "./settings.js";

/** @typedef {import("./index.js").Finding} Finding */
/** @typedef {import("./index.js").Outcome} Outcome */

/** Least severe first. @type {readonly Outcome[]} */
const OUTCOMES = ["abstain", "allow", "warn", "ask", "deny"];

/** @param {Outcome} outcome */
function rank(outcome) {
  const at = OUTCOMES.indexOf(outcome);
  if (at < 0) throw new Error(`\`${outcome}\` is no outcome`);
  return at;
}

/** @param {Outcome} outcome @param {import("./index.js").Rule} rule */
function checkCeiling(outcome, { id, ceiling }) {
  if (rank(outcome) > rank(ceiling)) throw new Error(`the rule \`${id}\` gives ${outcome}, and its ceiling is ${ceiling}`);
}

/** @type {typeof import("./index.js").rule} */
export function rule(id, summary, outcome, ceiling = outcome) {
  /** @type {import("./index.js").Rule} */
  const made = {
    id,
    summary,
    default: outcome,
    ceiling,
    finding(message, { outcome: other = outcome, remedy = "", tags = {} } = {}) {
      checkCeiling(other, made);
      return { rule: id, outcome: other, message, remedy, tags: Object.entries(tags) };
    },
  };
  checkCeiling(outcome, made);
  return Object.freeze(made);
}

/** @type {typeof import("./index.js").definePolicy} */
export function definePolicy({ manifest, settings: defaults = {}, configure, decide }) {
  checkDefaults(defaults);
  const described = describe(manifest);
  const rules = new Map(manifest.rules.map((one) => [one.id, one]));
  /** @type {any} */
  let settings;
  return {
    describe: () => described,
    configure: telling((text) => {
      const given = read(defaults, text);
      configure?.(/** @type {any} */ (given));
      settings = given;
    }),
    decide: telling((tool, input) => {
      if (settings === undefined) throw "decide was called before configure";
      const found = decide(new Call(tool, input), settings);
      if (typeof found?.[Symbol.iterator] !== "function") throw "`decide` gives no list of findings";
      const findings = Array.from(found, (finding) => checked(finding, rules));
      const most = findings.reduce((most, finding) => Math.max(most, rank(finding.outcome)), 0);
      return { outcome: /** @type {Outcome} */ (OUTCOMES[most]), findings };
    }),
  };
}

/** @param {Finding} finding @param {Map<string, import("./index.js").Rule>} rules */
function checked(finding, rules) {
  const known = rules.get(finding?.rule);
  if (known === undefined) throw new Error(`the manifest has no rule \`${finding?.rule}\``);
  checkCeiling(finding.outcome, known);
  return finding;
}

/**
 * The manifest as the host is given it. Throws if the host would refuse it.
 *
 * @param {import("./index.js").ManifestParts} parts @returns {import("./index.js").Manifest}
 */
function describe({ id, version = "0.1.0", summary, tools, rules, grants = [], examples = [] }) {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(id)) throw new Error(`\`${id}\` is no name of a policy`);
  const ids = rules.map((one) => one.id);
  const wrong = ids.find((one, at) => !/^[a-z][a-z0-9_-]{0,63}$/.test(one) || ids.indexOf(one) !== at);
  if (wrong !== undefined) throw new Error(`\`${wrong}\` is no name of a rule, or stands twice`);
  const missing = examples.find((one) => one.rule && !ids.includes(one.rule));
  if (missing !== undefined) throw new Error(`an example has the rule \`${missing.rule}\`, which the manifest lacks`);
  return {
    id,
    version,
    summary,
    tools: [...tools],
    rules: rules.map(({ id, summary, default: outcome, ceiling }) => ({ id, summary, default: outcome, ceiling })),
    grants: [...grants],
    examples: examples.map(({ tool = "Bash", input, outcome, rule = "" }) => {
      return { tool, input: JSON.stringify(input), outcome, rule };
    }),
  };
}

/**
 * Makes a text of whatever is thrown: the host tells a person only a string.
 *
 * @template {unknown[]} Given @template Answer
 * @param {(...given: Given) => Answer} call @returns {(...given: Given) => Answer}
 */
function telling(call) {
  return (...given) => {
    try {
      return call(...given);
    } catch (error) {
      throw typeof error === "string" ? error : textOfError(error);
    }
  };
}

/** @param {unknown} error */
function textOfError(error) {
  if (!(error instanceof Error)) return `\`${JSON.stringify(error)}\` was thrown`;
  const place = (error.stack ?? "").split("\n").find((line) => line.trim().startsWith("at "));
  return place === undefined ? String(error) : `${error} ${place.trim()}`;
}
