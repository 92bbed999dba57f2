// The host's functions in a component.

export { current as analysis } from "guard:policy/analysis@0.1.0";
export { get as context } from "guard:policy/context@0.1.0";
export { readText, resolve } from "guard:policy/files@0.1.0";
export { get as env } from "guard:policy/env@0.1.0";
export { append as journal } from "guard:policy/journal@0.1.0";
export { log } from "guard:policy/log@0.1.0";
