/** Asks a policy natively, in an ordinary test. The machine of the test is never asked. */

import type {
  Analysis, Command, Coverage, Decision, Effect, Exported, Facts, Fault, Level, Presence, ResolvedPath, Script,
  Via, Word,
} from "./contract.js";

import type { Event, ProjectManifest } from "./facts.js";

/** What a world holds. Everything may be left out. */
export interface WorldParts {
  /** `complete` if it is left out. */
  coverage?: Coverage;
  reasons?: string[];
  commands?: Command[];
  /** What the call does. Without it, a file tool reads or writes its file, and another tool does nothing. */
  effects?: Effect[];
  scripts?: Script[];
  /** What differs from `/repo` as folder and project, the home `/home/u`, the session `s1` and the harness `claude`. */
  facts?: Partial<Facts>;
  /** Texts of files by absolute path. */
  files?: Record<string, string>;
  /** Folders that exist. Those above a file, a link or a folder exist too. */
  dirs?: readonly string[];
  /** Links, from the link's absolute path to where it leads. */
  links?: Record<string, string>;
  /** Whether the project is a git repository. True, unless `files` or `links` say what its `.git` is. */
  repository?: boolean;
  /** Variables. */
  env?: Record<string, string>;
  /** What git says, for `guard-host-policy/facts`. */
  git?: GitParts;
  /** The manifests of folders by absolute path, for `guard-host-policy/facts`. */
  manifests?: Record<string, ProjectManifest[]>;
  /** The effects that come before, whatever `guard-host-policy/facts` is asked about. */
  earlier?: Effect[];
  /** What happened in the session before, oldest first, for `guard-host-policy/facts`. */
  history?: Event[];
  /**
   * What the host refuses: a path, a folder with manifests, a variable, a journal or `history`, and the fault. `failed`
   * for `history`: the list is damaged.
   */
  faults?: Record<string, Fault>;
}

/** What git says of the project. */
export interface GitParts {
  /** The branch that is checked out. */
  branch?: string;
  /** By absolute path; of another path it is not known. */
  tracked?: Record<string, Presence>;
  staged?: Record<string, Presence>;
  ignored?: Record<string, Presence>;
}

/** What the host's functions answer. */
export interface Answers {
  analysis(): Analysis;
  context(): Facts;
  resolve(path: string): ResolvedPath;
  readText(path: string): string;
  env(name: string): string;
  append(stream: string, line: string): void;
  note(level: Level, text: string): void;
  branch(path: string): string;
  presence(what: "tracked" | "staged" | "ignored", path: string): Presence;
  manifests(path: string): ProjectManifest[];
  earlier(commandId: number, path: string): Effect[];
  events(kind: string): Event[];
}

/** All that a policy can see in a test. */
export class World {
  constructor(parts?: WorldParts);
  /** Configures the policy and asks it about a call. Throws the text that the host would show as a fault. */
  decide(policy: Exported, tool: string, input: object, settings?: object): Decision;
  /** The lines that the policy wanted written in the last call: the stream and the object. */
  journal: Array<[stream: string, line: object]>;
  /** What the policy noted in the last call. */
  log: Array<[level: Level, text: string]>;
}

/**
 * An effect. Its kind is that of the operation unless `kind` is given, and an effect on files has its target as `path`.
 */
export function effect(
  operation: string,
  target?: string,
  parts?: Partial<Omit<Effect, "operation" | "target" | "path" | "tags">> & { path?: string; tags?: Record<string, string> },
): Effect;

/** Something that happened in the session before. Its number is its place in the world's `history`, counted from 1. */
export function event(
  kind: string,
  target?: string,
  parts?: Partial<Omit<Event, "number" | "kind" | "target" | "tags">> & { tags?: Record<string, string> },
): Event;

/** A command of these words; a text is taken apart at its blanks. A via may be its kind alone. */
export function command(
  words: string | ReadonlyArray<string | Word>,
  parts?: Partial<Omit<Command, "argv" | "via">> & { via?: ReadonlyArray<string | Via> },
): Command;

/** A word of a command. */
export function word(text: string, parts?: Partial<Omit<Word, "text">>): Word;
