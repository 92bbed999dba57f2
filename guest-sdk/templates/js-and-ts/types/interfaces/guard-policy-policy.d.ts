/// <reference path="./guard-policy-types.d.ts" />
declare module 'guard:policy/policy@0.1.0' {
  /**
   * Says what the policy is. Called when the policy is prepared, never while
   * a harness waits; no import but `log` works inside it.
   */
  export function describe(): Manifest;
  /**
   * Takes the settings: a JSON object, `{}` if there are none.
   * 
   * It cannot ask for facts of the machine. An error is text for
   * the person who wrote the settings; the policy is then at fault for every
   * call that it covers.
   */
  export function configure(settings: string): void;
  /**
   * Answers one tool call. `input` is a JSON object.
   * 
   * The answer depends on nothing but the call, the settings and the facts
   * that the imports give. An error, a trap or an answer that breaks the
   * rules of `decision` is a fault, and the configured `on-error` answers in
   * the policy's place.
   */
  export function decide(tool: string, input: string): Decision;
  export type Decision = import('guard:policy/types@0.1.0').Decision;
  export type Manifest = import('guard:policy/types@0.1.0').Manifest;
}
