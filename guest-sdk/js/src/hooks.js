// The contract's modules outside of a component: each gives functions of the world of the test that runs.

const MODULES = {
  "guard:policy/analysis@0.1.0": "analysis as current",
  "guard:policy/context@0.1.0": "context as get",
  "guard:policy/env@0.1.0": "env as get",
  "guard:policy/files@0.1.0": "readText, resolve",
  "guard:policy/journal@0.1.0": "journal as append",
  "guard:policy/log@0.1.0": "log",
  "guard:policy/syntax@0.1.0": "",
  "guard:policy/types@0.1.0": "",
};

export function resolve(specifier, context, next) {
  return specifier in MODULES ? { url: specifier, format: "module", shortCircuit: true } : next(specifier, context);
}

export function load(url, context, next) {
  if (!(url in MODULES)) return next(url, context);
  const native = new URL("./host/native.js", import.meta.url);
  return { format: "module", source: `export { ${MODULES[url]} } from "${native}";`, shortCircuit: true };
}
