/// <reference path="./guard-policy-syntax.d.ts" />
declare module 'guard:policy/analysis@0.1.0' {
  /**
   * The analysis of the call that is being decided.
   * 
   * Of a file tool: no commands, and one effect for each file. Of a tool that
   * the host does not know: nothing, with partial coverage. It is made once,
   * before the first policy is asked, so a call costs a copy.
   */
  export function current(): Analysis;
  export type Analysis = import('guard:policy/syntax@0.1.0').Analysis;
}
