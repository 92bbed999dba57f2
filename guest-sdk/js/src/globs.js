// Globs over paths, as guard-host's own settings take them. `globs.json` beside this package has the cases.

/** The longest pattern in bytes. */
const LONGEST = 1024;

/** The most patterns that the braces of one pattern may stand for. */
const ALTERNATIVES = 64;

/**
 * A pattern for one component of a path: a character, `?`, `*`, or a set.
 *
 * @typedef {{ char: string } | { any: boolean } | { ranges: [number, number][], wanted: boolean }} Token
 */

/** What stands between two slashes; none is `**`. @typedef {Token[] | undefined} Step */

/** The patterns that were read already: a policy asks the same few again and again. @type {Map<string, Step[][]>} */
const known = new Map();

/** @type {typeof import("./index.js").glob} */
export function glob(pattern, path) {
  const alternatives = parsed(pattern);
  return pattern === path || alternatives.some((steps) => fits(steps, path.split("/"), stepFits, isAny));
}

/** Reads a pattern, or throws why it is none. @param {string} pattern @returns {Step[][]} */
export function parsed(pattern) {
  let steps = known.get(pattern);
  if (steps === undefined) {
    try {
      steps = braces(pattern).map((one) => one.split("/").map(step));
    } catch (problem) {
      throw new Error(`the pattern \`${pattern}\`: ${problem}`);
    }
    known.set(pattern, steps);
  }
  return steps;
}

/**
 * Matches from the left; after a mismatch the last item that stands for any number takes one more.
 *
 * @template P, T
 * @param {P[]} pattern @param {T[]} items
 * @param {(one: P, item: T) => boolean} one @param {(one: P) => boolean} many
 */
function fits(pattern, items, one, many) {
  let [at, place] = [0, 0];
  /** @type {[number, number] | undefined} */
  let retry;
  for (;;) {
    if (at < pattern.length && many(/** @type {P} */ (pattern[at]))) {
      // At the end it takes all that is left; `**` takes at least one component.
      if (at + 1 === pattern.length) return pattern[at] !== undefined || place < items.length;
      retry = [++at, place];
    } else if (at === pattern.length && place === items.length) {
      return true;
    } else if (place === items.length) {
      return false;
    } else if (at < pattern.length && one(/** @type {P} */ (pattern[at]), /** @type {T} */ (items[place]))) {
      [at, place] = [at + 1, place + 1];
    } else if (retry !== undefined) {
      retry[1] += 1;
      [at, place] = retry;
    } else {
      return false;
    }
  }
}

/** @param {Step} step */
const isAny = (step) => step === undefined;

/** @param {Step} step @param {string} component */
function stepFits(step, component) {
  return step !== undefined && fits(step, [...component], tokenFits, (token) => "any" in token && token.any);
}

/** @param {Token} token @param {string} char */
function tokenFits(token, char) {
  if ("char" in token) return token.char === char;
  if ("any" in token) return true;
  const code = codeOf(char);
  return token.ranges.some(([first, last]) => first <= code && code <= last) === token.wanted;
}

/** @param {string} char */
const codeOf = (char) => /** @type {number} */ (char.codePointAt(0));

/** @param {string} text @returns {Step} */
function step(text) {
  if (text === "**") return undefined;
  const chars = [...text];
  /** @type {Token[]} */
  const tokens = [];
  for (let at = 0; at < chars.length; at++) {
    const char = /** @type {string} */ (chars[at]);
    if (char === "\\") {
      const next = chars[++at];
      if (next === undefined) throw "it ends with a backslash";
      tokens.push({ char: next });
    } else if (char === "?" || char === "*") {
      tokens.push({ any: char === "*" });
    } else if (char === "[") {
      const [token, end] = set(chars, at + 1);
      tokens.push(token);
      at = end;
    } else {
      tokens.push({ char });
    }
  }
  return tokens;
}

/** The set whose first character stands at `at`, and where its `]` stands. @param {string[]} chars @param {number} at */
function set(chars, at) {
  const wanted = chars[at] !== "!" && chars[at] !== "^";
  if (!wanted) at += 1;
  /** @type {[number, number][]} */
  const ranges = [];
  // A `]` at the start is one of its characters.
  do {
    const first = chars[at];
    if (first === undefined) throw "a `[` is not closed";
    const last = chars[at + 1] === "-" && chars[at + 2] !== "]" ? chars[at + 2] : undefined;
    if (last !== undefined && codeOf(last) < codeOf(first)) throw "a range of a set runs backwards";
    ranges.push([codeOf(first), codeOf(last ?? first)]);
    at += last === undefined ? 1 : 3;
  } while (chars[at] !== "]");
  return /** @type {[Token, number]} */ ([{ ranges, wanted }, at]);
}

/** The patterns that the braces of one stand for. @param {string} text */
function braces(text) {
  if (text === "") throw "it is empty";
  if (bytes(text) >= LONGEST) throw "it is longer than 1,024 bytes";
  const done = [];
  const open = [text];
  for (let pattern = open.pop(); pattern !== undefined; pattern = open.pop()) {
    const cuts = firstBraces(pattern);
    if (cuts.length === 0) {
      done.push(pattern);
    } else {
      const [before, after] = [pattern.slice(0, cuts[0]), pattern.slice(/** @type {number} */ (cuts.at(-1)) + 1)];
      const choices = cuts.slice(1).map((end, index) => pattern?.slice(/** @type {number} */ (cuts[index]) + 1, end));
      open.push(...choices.map((choice) => before + choice + after));
    }
    if (done.length + open.length > ALTERNATIVES) throw "its braces stand for more than 64 patterns";
  }
  return done;
}

/**
 * Where the first braces and the commas of their own stand; nothing if there are none. A brace in a set or behind a
 * backslash is a character.
 *
 * @param {string} text
 */
function firstBraces(text) {
  /** @type {number[]} */
  const cuts = [];
  let [depth, setStart] = [0, -1];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (setStart >= 0) {
      if (char === "]" && at > setStart) setStart = -1;
    } else if (char === "\\") {
      at += 1;
    } else if (char === "[") {
      setStart = at + (text[at + 1] === "!" || text[at + 1] === "^" ? 2 : 1);
    } else if (char === "{") {
      if (++depth === 1) cuts.push(at);
    } else if (char === "," && depth === 1) {
      cuts.push(at);
    } else if (char === "}") {
      if (depth === 0) throw "a `}` has no `{` before it";
      if (--depth === 0) return [...cuts, at];
    }
  }
  if (depth > 0) throw "a `{` is not closed";
  return cuts;
}

/** How long a text is in UTF-8. @param {string} text */
export function bytes(text) {
  let count = 0;
  for (const char of text) {
    const code = codeOf(char);
    count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return count;
}
