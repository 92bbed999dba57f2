// Effects on files in a folder that is none. Of `cp a b` the analysis has a write to `b` and, with the tag `into`, one to
// `b/a`, which holds only where `b` is a folder.

/** @typedef {import("./index.js").Effect} Effect */

/**
 * The analysis without effects in what is no folder, on the machine or by what the text did before.
 *
 * @param {import("./index.js").Analysis} analysis
 */
export function keepPossible(analysis) {
  /** What earlier commands wrote: any of it may be a folder by now. @type {string[]} */
  let written = [];
  /** @type {string[]} */
  let own = [];
  let id = 0;
  let last = { target: "", mayBeFolder: true };
  const effects = analysis.effects.filter((effect) => {
    if (effect.commandId !== id) {
      written = [...written, ...own];
      [own, id] = [[], effect.commandId];
    }
    const into = effect.tags.find(([name]) => name === "into")?.[1];
    if (into !== undefined) return last.target !== into || last.mayBeFolder;
    if (effect.kind === "write") {
      last = { target: effect.target, mayBeFolder: mayBeFolder(effect, written) };
      own.push(effect.path.lexical);
    }
    return true;
  });
  return { ...analysis, effects };
}

/** @param {Effect} effect @param {string[]} written */
function mayBeFolder({ path: { kind, lexical } }, written) {
  const isNone = ["file", "none", "other"].includes(kind);
  return !isNone || written.some((path) => path === lexical || path.startsWith(`${lexical}/`));
}
