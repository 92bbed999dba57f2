// The host's functions outside of a component: the world of the test that runs.

/** @typedef {import("../testing.js").Answers} Answers */

/** @type {Answers | undefined} */
let world;

/**
 * Runs a function in a world.
 *
 * @template T @param {Answers | undefined} inside @param {() => T} run
 */
export function within(inside, run) {
  const before = world;
  world = inside;
  try {
    return run();
  } finally {
    world = before;
  }
}

export function ask() {
  if (world === undefined) {
    throw new Error(
      "there is no host: in a test, ask the policy with a `World` of guard-host-policy/testing, not in `configure`; " +
        "for a component, bundle without the condition `node` (esbuild: --platform=neutral)",
    );
  }
  return world;
}

export const analysis = () => ask().analysis();
export const context = () => ask().context();
/** @param {string} path */
export const resolve = (path) => ask().resolve(path);
/** @param {string} path */
export const readText = (path) => ask().readText(path);
/** @param {string} name */
export const env = (name) => ask().env(name);
/** @param {string} stream @param {string} line */
export const journal = (stream, line) => ask().append(stream, line);
/** @param {import("../index.js").Level} level @param {string} text */
export const log = (level, text) => world?.note(level, text);

// The contract's later facts.

/** @type {typeof import("../facts.js").git} */
export const git = {
  branch: (path) => ask().branch(path),
  tracked: (path) => ask().presence("tracked", path),
  staged: (path) => ask().presence("staged", path),
  ignored: (path) => ask().presence("ignored", path),
};
/** @type {typeof import("../facts.js").project} */
export const project = { manifests: (path) => ask().manifests(path) };
/** @type {typeof import("../facts.js").earlier} */
export const earlier = { effects: (commandId, path) => ask().earlier(commandId, path) };
/** @type {typeof import("../facts.js").history} */
export const history = { events: (kind) => ask().events(kind) };
