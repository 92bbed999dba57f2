/// <reference path="./guard-policy-syntax.d.ts" />
declare module 'guard:facts/earlier@0.2.0' {
  /**
   * The effects on `path`, on what lies below it and on the folders above it
   * that come before the command `command-id`, in the order of the text.
   * 
   * One that may have happened, and need not, is not `certain`: something
   * encloses its command, such as a group, a loop or a function, or it stands
   * behind `&&` or `||`, in the background, or in the same pipeline. Effects of
   * later commands count as well, and are not `certain`, where they may come
   * first: in a loop, in a function, in the same pipeline, and if the command
   * itself is in the background or in a trap.
   */
  export function effects(commandId: number, path: string): Array<Effect>;
  export type Effect = import('guard:policy/syntax@0.1.0').Effect;
}
