declare module 'guard:policy/types@0.1.0' {
  /**
   * What a policy, or a whole chain, says of a tool call.
   * 
   * The cases are ordered by severity, least first, and the list is closed:
   * merging two outcomes means taking the later one of this list.
   * # Variants
   * 
   * ## `"abstain"`
   * 
   * No opinion. The harness goes on as if no policy had been asked.
   * ## `"allow"`
   * 
   * The call is fine. Another policy's ask or deny still counts.
   * ## `"warn"`
   * 
   * The call may run, and the message is shown to the model and the person.
   * ## `"ask"`
   * 
   * A person must confirm the call before it runs.
   * ## `"deny"`
   * 
   * The call must not run.
   */
  export type Outcome = 'abstain' | 'allow' | 'warn' | 'ask' | 'deny';
  /**
   * One reason for an outcome.
   */
  export interface Finding {
    /**
     * The id of a rule that the policy declared in its manifest.
     */
    rule: string,
    /**
     * At most the `ceiling` of that rule.
     */
    outcome: Outcome,
    /**
     * What was found and why it matters, in the present tense, without a full
     * stop at the end of a single sentence. Plain text; the host removes
     * control characters and secrets before it shows the text.
     */
    message: string,
    /**
     * What to do instead. Empty if there is nothing to offer.
     */
    remedy: string,
    /**
     * Facts for machines: name and value. Keys that the host knows are
     * documented in the guide for policy authors; others are passed on.
     */
    tags: Array<[string, string]>,
  }
  /**
   * The answer of one policy to one tool call.
   */
  export interface Decision {
    /**
     * The maximum of the findings' outcomes; `abstain` if there are none.
     * Anything else is a fault of the policy.
     */
    outcome: Outcome,
    /**
     * All reasons, the most telling one first. A finding whose outcome is
     * `abstain` carries tags only.
     */
    findings: Array<Finding>,
  }
  /**
   * One rule that a policy may report.
   */
  export interface Rule {
    /**
     * Matches `[a-z][a-z0-9_-]*`, at most 64 bytes, and names the danger.
     */
    id: string,
    /**
     * One line for people.
     */
    summary: string,
    /**
     * The outcome that the rule gives when no setting changes it.
     */
    'default': Outcome,
    /**
     * The most severe outcome that the rule may ever give. A finding beyond
     * it is a fault of the policy.
     */
    ceiling: Outcome,
  }
  /**
   * One example of a policy, checked by the host when the policy is prepared.
   */
  export interface Example {
    /**
     * The tool's name, such as `Bash`.
     */
    tool: string,
    /**
     * The tool's input: a JSON object.
     */
    input: string,
    /**
     * The outcome that the policy must give with its default settings.
     */
    outcome: Outcome,
    /**
     * The rule of the first finding at that outcome. Empty: not checked.
     */
    rule: string,
  }
  /**
   * What a policy says of itself.
   */
  export interface Manifest {
    /**
     * The policy's name: `[a-z][a-z0-9-]*`, at most 64 bytes.
     */
    id: string,
    /**
     * The policy's own version, for people.
     */
    version: string,
    /**
     * One line for people.
     */
    summary: string,
    /**
     * The tools that the policy wants to be asked about. Each entry is a glob
     * over the tool's name; `*` alone is every tool. An empty list is none.
     */
    tools: Array<string>,
    /**
     * Every rule that `decide` may report.
     */
    rules: Array<Rule>,
    /**
     * What the policy would like to be granted: `read:PATH`, `env:NAME` or
     * `journal:STREAM`. A request only: the configuration decides.
     */
    grants: Array<string>,
    /**
     * Examples that the policy must pass before it is ever used.
     */
    examples: Array<Example>,
  }
  /**
   * Why the host did not give what was asked for.
   * # Variants
   * 
   * ## `"absent"`
   * 
   * There is no such file or variable.
   * ## `"denied"`
   * 
   * There is no grant for it.
   * ## `"too-large"`
   * 
   * It is larger than the host hands out.
   * ## `"not-text"`
   * 
   * It is not UTF-8 text.
   * ## `"failed"`
   * 
   * Anything else, for example an input or output error.
   */
  export type Fault = 'absent' | 'denied' | 'too-large' | 'not-text' | 'failed';
  /**
   * A fact that can also be unknown. Never a bare `bool`: a policy has to say
   * what it makes of `unknown`.
   * # Variants
   * 
   * ## `"yes"`
   * 
   * It is so.
   * ## `"no"`
   * 
   * It is not so.
   * ## `"unknown"`
   * 
   * It could not be found out.
   */
  export type Presence = 'yes' | 'no' | 'unknown';
  /**
   * A path and all that the machine says of it. Empty strings are facts that
   * could not be found out, or that do not exist.
   */
  export interface ResolvedPath {
    /**
     * The text as it was given.
     */
    raw: string,
    /**
     * Absolute, with `~`, `.`, `..` and double slashes resolved by text alone.
     */
    lexical: string,
    /**
     * Absolute, with symbolic links resolved. Of a target that does not
     * exist, the deepest existing ancestor is resolved and the rest appended.
     */
    canonical: string,
    /**
     * `canonical` relative to the project root, with `/` between segments and
     * `.` for the root itself. Empty outside the project.
     */
    projectRelative: string,
    /**
     * The root of the git work tree that holds the canonical path. A root
     * that equals the home directory or `/` does not count.
     */
    gitRoot: string,
    /**
     * Whether the target exists.
     */
    exists: Presence,
    /**
     * `file`, `dir`, `link`, `other`, or `none` when the target does not
     * exist. `link` is a link whose target cannot be resolved.
     */
    kind: string,
  }
  /**
   * How much a log line matters.
   * # Variants
   * 
   * ## `"error"`
   * 
   * Something is wrong with the policy or its settings.
   * ## `"warn"`
   * 
   * Something deserves attention.
   * ## `"info"`
   * 
   * What the policy did.
   * ## `"debug"`
   * 
   * Detail for the author of the policy.
   */
  export type Level = 'error' | 'warn' | 'info' | 'debug';
}
