declare module 'guard:policy/context@0.1.0' {
  /**
   * The facts of the call that is being decided.
   */
  export function get(): Facts;
  /**
   * Facts that the harness and the host know of the call. Empty: not known.
   */
  export interface Facts {
    /**
     * The working directory of the call, absolute.
     */
    cwd: string,
    /**
     * The project's root, absolute.
     */
    projectRoot: string,
    /**
     * The home directory, absolute.
     */
    home: string,
    /**
     * The harness's session id.
     */
    session: string,
    /**
     * The harness's name, such as `claude`.
     */
    harness: string,
    /**
     * The harness's permission mode in its own words, such as
     * `bypassPermissions`.
     */
    permissionMode: string,
    /**
     * The tool's name as the harness spells it.
     */
    originalTool: string,
  }
}
