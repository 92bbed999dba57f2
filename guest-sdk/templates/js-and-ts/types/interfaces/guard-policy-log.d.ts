/// <reference path="./guard-policy-types.d.ts" />
declare module 'guard:policy/log@0.1.0' {
  /**
   * Notes a line. Shown by `explain` only; at most 64
   * lines of at most 4 KiB a call are kept. Works in every exported function.
   */
  export function log(level: Level, message: string): void;
  export type Level = import('guard:policy/types@0.1.0').Level;
}
