/// <reference path="./guard-policy-syntax.d.ts" />
declare module 'guard:facts/earlier@0.2.0' {
  /**
   * The effects on `path`, on what lies below it and on the folders above it
   * that come before the command `command-id`, in the order of the text.
   * 
   * One that may have happened, and need not, is not `certain`: it stands in
   * a condition, in a loop, in a function, or behind `&&` or `||`. In a loop
   * and in a function, effects of later commands count as well.
   */
  export function effects(commandId: number, path: string): Array<Effect>;
  export type Effect = import('guard:policy/syntax@0.1.0').Effect;
}
