/// <reference path="./guard-policy-types.d.ts" />
declare module 'guard:facts/project@0.2.0' {
  /**
   * The manifests of the nearest folder, at `path` or above it and within the
   * project, that has one.
   * 
   * Each is read as `files.read-text` reads it: the configuration must grant
   * it, and `denied` is the answer if one of them is not granted. One that
   * cannot be understood is `failed`.
   */
  export function manifests(path: string): Array<Manifest>;
  export type Fault = import('guard:policy/types@0.1.0').Fault;
  /**
   * A file that says what a package is made of.
   */
  export interface Manifest {
    /**
     * The file, absolute.
     */
    path: string,
    /**
     * `npm`, `cargo`, `python`, `go` or `composer`. An open set.
     */
    kind: string,
    /**
     * The package's name, or empty.
     */
    name: string,
    /**
     * The package's version, or empty.
     */
    version: string,
    /**
     * The program whose lock file lies beside it, or else in the nearest folder
     * above it within the project, such as `pnpm` or `uv`. Empty if there is
     * none, or one of each of two programs.
     */
    manager: string,
    /**
     * What it depends on, for use, for development and for its build: name and
     * requirement, as written.
     */
    dependencies: Array<[string, string]>,
    /**
     * Its commands: name and text.
     */
    scripts: Array<[string, string]>,
  }
}
