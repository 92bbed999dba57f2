/// <reference path="./guard-policy-types.d.ts" />
declare module 'guard:policy/env@0.1.0' {
  /**
   * The value of a variable that the configuration grants.
   */
  export function get(name: string): string;
  export type Fault = import('guard:policy/types@0.1.0').Fault;
}
