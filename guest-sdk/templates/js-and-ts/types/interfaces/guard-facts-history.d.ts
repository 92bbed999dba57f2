/// <reference path="./guard-policy-types.d.ts" />
declare module 'guard:facts/history@0.3.0' {
  /**
   * The events of a kind, oldest first; of every kind if it is empty.
   * 
   * `absent` if the harness names no session. `failed` if the list is damaged,
   * so that nobody knows what happened.
   */
  export function events(kind: string): Array<Event>;
  export type Fault = import('guard:policy/types@0.1.0').Fault;
  /**
   * Something that an earlier call did, or that became of it.
   */
  export interface Event {
    /**
     * Counts from 1, in the order of the calls.
     */
    number: number,
    /**
     * When the call was decided, RFC 3339 in UTC.
     */
    time: string,
    /**
     * `write`, `delete`, `download`, `request`, `send`, `install`, `remote`,
     * `secret-read`, `asked`, `denied`, `ran`, `failed` or `refused`.
     * An open set.
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
     * the effect itself was not certain.
     */
    certain: boolean,
    /**
     * Details by name.
     */
    tags: Array<[string, string]>,
  }
}
