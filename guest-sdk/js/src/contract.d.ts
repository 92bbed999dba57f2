/** The types of the contract; `wit/` says what each field means. */

/** Least severe first. */
export type Outcome = "abstain" | "allow" | "warn" | "ask" | "deny";
export type Fault = "absent" | "denied" | "too-large" | "not-text" | "failed";
/** A fact that can also be unknown. */
export type Presence = "yes" | "no" | "unknown";
export type Level = "error" | "warn" | "info" | "debug";
/** How far the text of the call was understood. */
export type Coverage = "complete" | "partial" | "unparsed";
/** Least severe first. */
export type Severity = "routine" | "notable" | "destructive" | "catastrophic";
/** Names and values. */
export type Tags = Array<[string, string]>;

/** One reason for an outcome. `rule.finding()` makes one. */
export interface Finding {
  rule: string;
  outcome: Outcome;
  message: string;
  remedy: string;
  tags: Tags;
}

export interface Decision {
  outcome: Outcome;
  findings: Finding[];
}

/** Facts of the call. Empty: not known. */
export interface Facts {
  cwd: string;
  projectRoot: string;
  home: string;
  session: string;
  harness: string;
  permissionMode: string;
  originalTool: string;
}

/** A path and what the machine says of it. Empty: not known. */
export interface ResolvedPath {
  raw: string;
  lexical: string;
  canonical: string;
  projectRelative: string;
  gitRoot: string;
  exists: Presence;
  kind: string;
}

export interface Span {
  start: number;
  end: number;
}

export interface Part {
  kind: string;
  text: string;
  quoted: boolean;
}

export interface Word {
  text: string;
  dynamic: boolean;
  quoted: boolean;
  glob: boolean;
  parts: Part[];
}

export interface Assignment {
  name: string;
  value: Word;
}

export interface Redirection {
  fd: number;
  operator: string;
  target: Word;
  body: string;
  bodyQuoted: boolean;
}

export interface Position {
  pipeline: number;
  index: number;
  length: number;
  operator: string;
  background: boolean;
  within: string[];
}

/** How a command came to run, such as `sudo` with a user. */
export interface Via {
  kind: string;
  detail: string;
}

/** A command that runs, or that may run. */
export interface Command {
  id: number;
  parent: number;
  argv: Word[];
  assignments: Assignment[];
  redirections: Redirection[];
  position: Position;
  via: Via[];
  span: Span;
  cwd: string;
  certain: boolean;
}

/** Something that a command, or the tool itself, does to the world. */
export interface Effect {
  kind: string;
  operation: string;
  severity: Severity;
  target: string;
  path: ResolvedPath;
  commandId: number;
  certain: boolean;
  tags: Tags;
}

/** A text in another language that a command runs. */
export interface Script {
  language: string;
  text: string;
  commandId: number;
  certain: boolean;
}

export interface Analysis {
  coverage: Coverage;
  reasons: string[];
  commands: Command[];
  effects: Effect[];
  scripts: Script[];
}

/** The manifest as the host is given it. */
export interface Manifest {
  id: string;
  version: string;
  summary: string;
  tools: string[];
  rules: Array<{ id: string; summary: string; default: Outcome; ceiling: Outcome }>;
  grants: string[];
  examples: Array<{ tool: string; input: string; outcome: Outcome; rule: string }>;
}

/** What a component exports as `policy`. */
export interface Exported {
  describe(): Manifest;
  configure(settings: string): void;
  decide(tool: string, input: string): Decision;
}
