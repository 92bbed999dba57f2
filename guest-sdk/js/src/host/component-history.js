// The host's functions of the package guard:facts@0.3.0 in a component. They are a file of their own, so that a policy
// that does not use them is bundled without them, and can be built for the world of guard:facts@0.2.0.

export * as history from "guard:facts/history@0.3.0";
