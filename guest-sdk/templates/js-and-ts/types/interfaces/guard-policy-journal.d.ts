/// <reference path="./guard-policy-types.d.ts" />
declare module 'guard:policy/journal@0.1.0' {
  /**
   * Adds a JSON object to a stream that the configuration grants.
   * 
   * The host collects the lines, adds `ts` (the time, RFC 3339 in UTC) and
   * writes them after the verdict. At most 64 lines of at most 16 KiB a call;
   * beyond that the answer is `too-large`. A text that is no JSON object is
   * `failed`.
   */
  export function append(streamName: string, jsonObject: string): void;
  export type Fault = import('guard:policy/types@0.1.0').Fault;
}
