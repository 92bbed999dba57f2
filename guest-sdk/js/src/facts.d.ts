/**
 * Facts of the package `guard:facts`: `history` of its version 0.3.0, the others of 0.2.0. A policy that asks for them is
 * built for the world `guest` of that version or of a later one, and needs a host that has it.
 */

import type { Effect, Presence, Tags } from "./contract.js";

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

/** An effect of an earlier call, or how the call ended. */
export interface Event {
  number: number;
  time: string;
  kind: string;
  tool: string;
  target: string;
  certain: boolean;
  tags: Tags;
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

/** What happened in the session before this call: the events of a kind, or of every one if it is empty. A fault is thrown. */
export declare const history: { events(kind: string): Event[] };
