export { programOf, tagsOf, textOf, hostOf, isBelow } from "./call.js";
export { definePolicy, rule } from "./policy.js";
export { glob } from "./globs.js";
export { globs, oneOf } from "./settings.js";
