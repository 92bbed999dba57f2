/// <reference path="./guard-policy-types.d.ts" />
declare module 'guard:facts/git@0.2.0' {
  /**
   * The branch that is checked out where `path` lies, such as `main`. Empty
   * if none is, or if it is not known.
   */
  export function branch(path: string): string;
  /**
   * Whether git keeps the file, or a file below the folder.
   */
  export function tracked(path: string): Presence;
  /**
   * Whether the next commit changes the file, or a file below the folder.
   */
  export function staged(path: string): Presence;
  /**
   * Whether git leaves the file or the folder out: a rule of `.gitignore` or
   * of the user's own rules says so, and it is not tracked.
   */
  export function ignored(path: string): Presence;
  export type Presence = import('guard:policy/types@0.1.0').Presence;
}
