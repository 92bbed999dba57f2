/// <reference path="./guard-policy-types.d.ts" />
declare module 'guard:policy/syntax@0.1.0' {
  export type ResolvedPath = import('guard:policy/types@0.1.0').ResolvedPath;
  /**
   * How far the text was understood.
   * # Variants
   * 
   * ## `"complete"`
   * 
   * Every byte is accounted for.
   * ## `"partial"`
   * 
   * Something could not be followed; `reasons` says what. What is listed is
   * right, but there may be more.
   * ## `"unparsed"`
   * 
   * The text could not be parsed. What is listed is a guess.
   */
  export type Coverage = 'complete' | 'partial' | 'unparsed';
  /**
   * How much an effect loses, and whether it comes back. Closed and ordered,
   * least first.
   * # Variants
   * 
   * ## `"routine"`
   * 
   * Nothing is lost.
   * ## `"notable"`
   * 
   * Something changes that somebody may want to know of.
   * ## `"destructive"`
   * 
   * Work or data is lost that cannot be had back without effort.
   * ## `"catastrophic"`
   * 
   * A disk, a home, a database, a shared history is lost.
   */
  export type Severity = 'routine' | 'notable' | 'destructive' | 'catastrophic';
  /**
   * A half-open range of bytes in the text that was analysed. Of a command
   * inside a string that is shell again (`bash -c`), the range of that string's
   * word in the outermost text.
   */
  export interface Span {
    /**
     * The first byte.
     */
    start: number,
    /**
     * The byte after the last one.
     */
    end: number,
  }
  /**
   * A piece of a word.
   */
  export interface Part {
    /**
     * `literal`, `variable`, `command` (a command substitution), `arithmetic`,
     * `process` (a process substitution), `glob`, `brace` or `tilde`.
     * An open set.
     */
    kind: string,
    /**
     * A literal's text after quote removal, a variable's name, else the
     * source text.
     */
    text: string,
    /**
     * Inside quotes of any kind, or behind a backslash.
     */
    quoted: boolean,
  }
  /**
   * A word of a command.
   */
  export interface Word {
    /**
     * The text after quote removal. A part that is known only at run time
     * stands as its source text, `$x` for instance.
     */
    text: string,
    /**
     * Holds a part that is known only at run time.
     */
    dynamic: boolean,
    /**
     * Some part of it was quoted.
     */
    quoted: boolean,
    /**
     * Holds an unquoted pattern that the shell expands to file names.
     */
    glob: boolean,
    /**
     * The pieces, in order.
     */
    parts: Array<Part>,
  }
  /**
   * `NAME=value` before a command, or alone.
   */
  export interface Assignment {
    /**
     * The variable's name, without a subscript.
     */
    name: string,
    /**
     * What is assigned. An array is one word of its elements' text.
     */
    value: Word,
  }
  /**
   * A redirection of a command.
   */
  export interface Redirection {
    /**
     * The descriptor, as written or implied. -1: both standard output and
     * standard error. -2: one that the shell picks, `{name}>file`.
     */
    fd: number,
    /**
     * As written: `<`, `>`, `>>`, `>|`, `<>`, `>&`, `<&`, `&>`, `&>>`, `<<`,
     * `<<-` or `<<<`.
     */
    operator: string,
    /**
     * The file, the descriptor, the here-document's delimiter, or the
     * here-string's word.
     */
    target: Word,
    /**
     * The here-document's text; empty otherwise.
     */
    body: string,
    /**
     * The here-document's delimiter was quoted: the text stays as it is.
     */
    bodyQuoted: boolean,
  }
  /**
   * Where a command stands.
   */
  export interface Position {
    /**
     * The pipeline it belongs to, counted from 1.
     */
    pipeline: number,
    /**
     * Its place in the pipeline, counted from 0.
     */
    index: number,
    /**
     * How many commands the pipeline has.
     */
    length: number,
    /**
     * The operator before the pipeline: `&&`, `||`, `;`, `&`, or empty for
     * the first one of a list.
     */
    operator: string,
    /**
     * It runs in the background.
     */
    background: boolean,
    /**
     * What encloses it, outermost first: `subshell`, `group`, `substitution`,
     * `process`, `condition`, `loop`, `case`, `function`, `coprocess`,
     * `heredoc`, `trap`. An open set.
     */
    within: Array<string>,
  }
  /**
   * How a command came to run: a wrapper that was peeled off, or a text that
   * became shell.
   */
  export interface Via {
    /**
     * `sudo`, `env`, `nohup`, `timeout`, `xargs`, `find-exec`, `shell-c`,
     * `eval`, `ssh`, `container`, `heredoc`, `pipe`, `alias`, ... An open set.
     */
    kind: string,
    /**
     * A user, a host, a container; empty if there is nothing to say.
     */
    detail: string,
  }
  /**
   * A command that runs, or that may run.
   */
  export interface Command {
    /**
     * Counts from 1, in the order of the text.
     */
    id: number,
    /**
     * The command that runs this one (its wrapper), or the one whose word
     * holds it as a substitution. 0 for one at the top.
     */
    parent: number,
    /**
     * The program and its arguments after quote removal. Empty for an
     * assignment or a redirection alone.
     */
    argv: Array<Word>,
    /**
     * Assignments before the command.
     */
    assignments: Array<Assignment>,
    /**
     * Redirections, those of an enclosing group included in the group's own
     * pseudo command, which has an empty `argv`.
     */
    redirections: Array<Redirection>,
    /**
     * Where it stands.
     */
    position: Position,
    /**
     * From the outermost wrapper to the innermost.
     */
    via: Array<Via>,
    /**
     * Where it is written.
     */
    span: Span,
    /**
     * The working directory at this point; empty when it is not known.
     */
    cwd: string,
    /**
     * False if it may not be what will run: a dynamic name, a name that the
     * text itself redefines, a guess.
     */
    certain: boolean,
  }
  /**
   * Something that a command does to the world.
   */
  export interface Effect {
    /**
     * `read`, `write`, `delete`, `metadata` (mode, owner, times), `execute`,
     * `network`, `privilege`, `process`, `vcs`, `package`, `container`,
     * `database`, `service`, `device`, ... An open set.
     */
    kind: string,
    /**
     * A stable dotted name: `fs.delete.recursive`, `git.push.force`.
     */
    operation: string,
    /**
     * How much is lost.
     */
    severity: Severity,
    /**
     * What it is done to, as written after quote removal: a path, a branch, a
     * table. Empty if there is nothing to name.
     */
    target: string,
    /**
     * The target as the machine sees it, for effects on files. The host fills
     * it; of another effect every text is empty and `exists` is unknown.
     */
    path: ResolvedPath,
    /**
     * The command that does it; 0 for a tool that is not a shell.
     */
    commandId: number,
    /**
     * False if the target or the effect itself may be another one.
     */
    certain: boolean,
    /**
     * Details by name, such as `remote`, `recursive`, `force`, `flag`. Names
     * are listed in the guide for policy authors.
     */
    tags: Array<[string, string]>,
  }
  /**
   * A text in another language that a command runs.
   */
  export interface Script {
    /**
     * `sql`, `python`, `javascript`, `perl`, `ruby`, `php`, `awk`, `sed`, ...
     */
    language: string,
    /**
     * The text, after quote removal.
     */
    text: string,
    /**
     * The command that runs it.
     */
    commandId: number,
    /**
     * False if a part of the text is known only at run time.
     */
    certain: boolean,
  }
  /**
   * All that is known of one tool call.
   */
  export interface Analysis {
    /**
     * How far the text was understood.
     */
    coverage: Coverage,
    /**
     * Why `coverage` is not `complete`, in words, most telling first.
     */
    reasons: Array<string>,
    /**
     * At most 4,096, with at most 32,768 words in all.
     */
    commands: Array<Command>,
    /**
     * What the commands, or the tool itself, do.
     */
    effects: Array<Effect>,
    /**
     * Texts in other languages.
     */
    scripts: Array<Script>,
  }
}
