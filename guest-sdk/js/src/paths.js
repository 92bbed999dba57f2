// From the text of a path to all that is known of it, as the host finds it out, in a world that lists its files.

/** The longest path that is looked at, in bytes, and the most links that are followed in one. */
const [PATH_BYTES, LINKS] = [4096, 40];

import { bytes } from "./globs.js";

/** @typedef {{ files: Record<string, string>, links: Record<string, string>, dirs: readonly string[] }} Disk */
/** @typedef {{ cwd: string, home: string, projectRoot: string }} Place */
/** @typedef {import("./index.js").ResolvedPath} ResolvedPath */

/** A path of which nothing is known but its text. @param {string} raw @returns {ResolvedPath} */
export function unresolved(raw) {
  return { raw, lexical: "", canonical: "", projectRelative: "", gitRoot: "", exists: "unknown", kind: "" };
}

/** @param {Disk} disk @param {Place} place @param {string} raw @returns {ResolvedPath} */
export function resolve(disk, { cwd, home, projectRoot }, raw) {
  const resolved = unresolved(raw);
  if (raw === "" || bytes(raw) > PATH_BYTES || raw.includes("\0")) return resolved;
  const start = absolute(raw, cwd, home);
  resolved.lexical = lexical(start);
  const found = canonical(disk, start);
  if (found === undefined) return { ...resolved, kind: "link" };
  const { path, kind } = found;
  return {
    ...resolved,
    canonical: path,
    projectRelative: (projectRoot === "" ? undefined : below(path, projectRoot)) ?? "",
    gitRoot: gitRoot(disk, path, home),
    exists: kind === "none" ? "no" : "yes",
    kind,
  };
}

/** @param {string} path @param {string} cwd @param {string} home */
function absolute(path, cwd, home) {
  if (path.startsWith("/")) return path;
  if (home !== "" && (path === "~" || path.startsWith("~/"))) return home + path.slice(1);
  return `${cwd}/${path}`;
}

/** @param {string} path */
function lexical(path) {
  /** @type {string[]} */
  const done = [];
  for (const segment of segments(path)) {
    if (segment === "..") done.pop();
    else done.push(segment);
  }
  return `/${done.join("/")}`;
}

/** @param {string} path */
function segments(path) {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

/** `path` relative to `root`. @param {string} path @param {string} root */
function below(path, root) {
  if (path === root) return ".";
  const start = root === "/" ? root : `${root}/`;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

/** Walks from the root and follows links; nothing if there are too many. @param {Disk} disk @param {string} path */
function canonical(disk, path) {
  const pending = segments(path).reverse();
  let [done, kind, links] = ["", "dir", 0];
  for (let segment = pending.pop(); segment !== undefined; segment = pending.pop()) {
    if (segment === "..") {
      done = done.slice(0, Math.max(0, done.lastIndexOf("/")));
      continue;
    }
    const next = `${done}/${segment}`;
    const target = kind === "none" ? undefined : disk.links[next];
    if (target === undefined) {
      kind = kind === "none" ? kind : entry(disk, next);
      done = next;
      continue;
    }
    if (++links > LINKS) return undefined;
    if (target.startsWith("/")) done = "";
    pending.push(...segments(target).reverse());
  }
  return { path: done === "" ? "/" : done, kind };
}

/** @param {Disk} disk @param {string} path */
function entry({ files, links, dirs }, path) {
  if (Object.hasOwn(files, path)) return "file";
  const named = [...Object.keys(files), ...Object.keys(links), ...dirs];
  return named.some((name) => below(name, path) !== undefined) ? "dir" : "none";
}

/** @param {Disk} disk @param {string} path @param {string} home */
function gitRoot(disk, path, home) {
  for (let dir = path; dir !== "" && dir !== home; dir = dir.slice(0, dir.lastIndexOf("/"))) {
    const git = `${dir}/.git`;
    const kind = disk.links[git] === undefined && dir !== "/" ? entry(disk, git) : "none";
    if (kind === "dir" || (kind === "file" && isLinked(disk, git, dir))) return dir;
  }
  return "";
}

/** The `.git` file names a folder that names it in turn, or a submodule's. @param {Disk} disk @param {string} git @param {string} dir */
function isLinked({ files }, git, dir) {
  const text = files[git] ?? "";
  if (!text.startsWith("gitdir:")) return false;
  const target = lexical(absolute(text.slice("gitdir:".length).trim(), dir, ""));
  const back = files[`${target}/gitdir`];
  if (back !== undefined) return lexical(absolute(back.trim(), target, "")) === git;
  return target.includes("/.git/modules/") && Object.hasOwn(files, `${target}/HEAD`);
}
