/// <reference path="./guard-policy-types.d.ts" />
declare module 'guard:policy/files@0.1.0' {
  /**
   * Resolves a path against the call's working directory. Needs no grant: it
   * tells where a path leads, not what is there.
   * 
   * Of a path that cannot be resolved (longer than 4,096 bytes, a NUL byte, a
   * loop of links) the texts that could not be found are empty.
   */
  export function resolve(path: string): ResolvedPath;
  /**
   * The text of a file that the configuration grants, at most 1 MiB.
   */
  export function readText(path: string): string;
  export type Fault = import('guard:policy/types@0.1.0').Fault;
  export type ResolvedPath = import('guard:policy/types@0.1.0').ResolvedPath;
}
