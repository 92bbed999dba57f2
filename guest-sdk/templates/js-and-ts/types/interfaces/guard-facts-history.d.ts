/// <reference path="./guard-policy-types.d.ts" />
declare module 'guard:facts/history@0.3.0' {
  /**
   * The events of a kind, oldest first; of every kind if it is empty.
   * 
   * `absent` if the harness names no session, `failed` if the history is damaged.
   */
  export function events(kind: string): Array<Event>;
  export type Fault = import('guard:policy/types@0.1.0').Fault;
  /**
   * An effect of an earlier call, or how the call ended.
   */
  export interface Event {
    /**
     * Grows with the calls. Starts at 1, unless old events were dropped.
     */
    number: number,
    /**
     * When the call was decided, RFC 3339 in UTC.
     */
    time: string,
    /**
     * `write`, `delete`, `download`, `request`, `send`, `install`, `remote`,
     * `secret-read`, `asked`, `denied`, `ran`, `failed`, `refused` or
     * `forgotten`. An open set.
     */
    kind: string,
    /**
     * The tool's name, such as `Bash`.
     */
    tool: string,
    /**
     * What it is about: a path, an address, a package, a rule, a program.
     */
    target: string,
    /**
     * False if it may not have happened: a person was asked about the call, or
     * the effect itself was not certain. Always false for `asked`.
     */
    certain: boolean,
    /**
     * Details by name.
     */
    tags: Array<[string, string]>,
  }
}
