/**
 * Facts of the package `guard:facts@0.2.0`. A policy that asks for them is built for the world `guest` of that package,
 * and needs a host that has it.
 */

import type { Effect, Presence } from "./contract.js";

/** A file that says what a package is made of. */
export interface ProjectManifest {
  path: string;
  kind: string;
  name: string;
  version: string;
  manager: string;
  dependencies: Array<[name: string, requirement: string]>;
  scripts: Array<[name: string, text: string]>;
}

/** What git says of files. */
export declare const git: {
  branch(path: string): string;
  tracked(path: string): Presence;
  staged(path: string): Presence;
  ignored(path: string): Presence;
};

/** What the project says of itself. A fault is thrown. */
export declare const project: { manifests(path: string): ProjectManifest[] };

/** What the text of the call has done by the time a command runs. */
export declare const earlier: { effects(commandId: number, path: string): Effect[] };
