/** What the author of a guard-host policy uses. */

import type {
  Analysis, Command, Effect, Exported, Facts, Finding, Level, Outcome, ResolvedPath,
} from "./contract.js";

export type * from "./contract.js";

/** One danger that the policy may report. */
export interface Rule {
  readonly id: string;
  readonly summary: string;
  readonly default: Outcome;
  readonly ceiling: Outcome;
  /**
   * A finding of this rule, at the rule's default outcome unless `outcome` is given.
   *
   * Throws if the outcome is above the ceiling.
   */
  finding(message: string, more?: { outcome?: Outcome; remedy?: string; tags?: Readonly<Record<string, string>> }): Finding;
}

/**
 * A rule. `id` matches `[a-z][a-z0-9_-]*` and names the danger; `outcome` is given when nothing else is said, and
 * `ceiling` is the most severe outcome that the rule may give. Without it, that is `outcome`.
 */
export function rule(id: string, summary: string, outcome: Outcome, ceiling?: Outcome): Rule;

/** What a policy says of itself. */
export interface ManifestParts {
  /** `[a-z][a-z0-9-]*`, at most 64 bytes. */
  id: string;
  /** `0.1.0` if it is left out. */
  version?: string;
  /** One line for people. */
  summary: string;
  /** Globs over the names of the tools that the policy is asked about; `*` is every tool. */
  tools: readonly string[];
  /** Every rule that `decide` may report. */
  rules: readonly Rule[];
  /** What the policy requests: `read:./PATH`, `read:~/PATH`, `read:/PATH`, `env:NAME` or `journal:STREAM`. */
  grants?: readonly string[];
  /** Calls, with the outcome under the default settings. The host checks them. `tool` is `Bash` if it is left out. */
  examples?: ReadonlyArray<{ tool?: string; input: object; outcome: Outcome; rule?: string }>;
}

/** A value that a setting can have: a default says the type. */
export type Setting = boolean | number | string | readonly string[] | Settings;
/** Settings by name, with their defaults. */
export interface Settings {
  readonly [name: string]: Setting;
}
/** What `decide` is given: each setting with the type of its default. */
export type Values<S extends Settings> = {
  readonly [Name in keyof S]: S[Name] extends boolean ? boolean : S[Name] extends Settings ? Values<S[Name]> : S[Name];
};

/** In the defaults: a setting that is one of a few texts. */
export function oneOf<const Choice extends string>(choices: readonly Choice[], otherwise: NoInfer<Choice>): Choice;
/** In the defaults: a setting that is a list of patterns for `glob`. A text that is no pattern is refused. */
export function globs(otherwise: readonly string[]): readonly string[];

/** The parts of a policy. */
export interface PolicyParts<S extends Settings> {
  manifest: ManifestParts;
  /** The settings with their defaults. Any other key, and a value of another type, is refused. */
  settings?: S;
  /** Looks at the settings once more, before any call. What it throws is told to the person who wrote them. */
  configure?: (settings: Values<S>) => void;
  /** Answers a call with findings, in order; with none the policy abstains. A generator serves. */
  decide: (call: Call, settings: Values<S>) => Iterable<Finding>;
}

/**
 * What a component exports: `export const policy = definePolicy({ ... })`.
 *
 * The outcome of a decision is the most severe one of its findings. Whatever is thrown becomes a text for people.
 */
export function definePolicy<S extends Settings = {}>(parts: PolicyParts<S>): Exported;

/** The tool call that is decided, and the facts around it. */
export interface Call {
  /** The tool's name, such as `Bash`. */
  readonly tool: string;
  /** The tool's input. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The shell command of `Bash` and `PowerShell`, or an empty text. */
  readonly command: string;
  /** The file that the tool names, as written, or an empty text. Judge a file by `effects`: they know where it is. */
  readonly path: string;
  /** The texts that the tool puts into a file. */
  readonly texts: readonly string[];
  /** What the call does. Without effects of a copy into a folder that is none. */
  readonly analysis: Analysis;
  /** Where the call happens. */
  readonly facts: Facts;
  /**
   * The effects of these names, in order; all without a name. A name is a kind (`write`), an operation
   * (`package.publish`) or, with a dot at its end, a family of operations (`git.push.`).
   */
  effects(...names: string[]): Effect[];
  /** The command that has an effect; none for a tool that is no shell. */
  commandOf(effect: Effect): Command | undefined;
  /** Where a path leads. Needs no grant. */
  resolve(path: string): ResolvedPath;
  /**
   * The text of a file that the configuration grants. If there is no such file: `absent`, or an error if that is not
   * given. Any other fault is an error.
   */
  readText(path: string, absent?: string): string;
  /** The value of a variable that the configuration grants. `absent` as in `readText`. */
  env(name: string, absent?: string): string;
  /** Adds a line to a journal that the configuration grants. */
  journal(stream: string, line: object): void;
  /** Notes a line for `guard-host explain`. */
  log(text: string, level?: Level): void;
}

/** The tags of an effect by name. */
export function tagsOf(effect: Effect): Map<string, string>;
/** The program's name without its folder; empty if there is none. */
export function programOf(command: Command): string;
/** The words of a command, joined by single blanks. */
export function textOf(command: Command): string;
/** The host of an address, with or without scheme, user, port and path. */
export function hostOf(address: string): string;
/** Whether a path is `folder` or lies below it. Both are absolute, without `..`. */
export function isBelow(path: string, folder: string): boolean;

/**
 * Whether a pattern matches a whole path, in the dialect of guard-host's settings.
 *
 * `*` and `?` stay within a component, `**` is any number of components, `[a-z]` and `[!a-z]` are sets, `{a,b}` is
 * either text. Throws if the text is no pattern.
 */
export function glob(pattern: string, path: string): boolean;
