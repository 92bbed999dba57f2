// The contract's modules outside of a component: each gives functions of the world of the test that runs.

const MODULES = {
  "guard:facts/earlier@0.2.0": "export const { effects } = host.earlier;",
  "guard:facts/git@0.2.0": "export const { branch, ignored, staged, tracked } = host.git;",
  "guard:facts/history@0.3.0": "export const { events } = host.history;",
  "guard:facts/project@0.2.0": "export const { manifests } = host.project;",
  "guard:policy/analysis@0.1.0": "export const { analysis: current } = host;",
  "guard:policy/context@0.1.0": "export const { context: get } = host;",
  "guard:policy/env@0.1.0": "export const { env: get } = host;",
  "guard:policy/files@0.1.0": "export const { readText, resolve } = host;",
  "guard:policy/journal@0.1.0": "export const { journal: append } = host;",
  "guard:policy/log@0.1.0": "export const { log } = host;",
  "guard:policy/syntax@0.1.0": "",
  "guard:policy/types@0.1.0": "",
};

export function resolve(specifier, context, next) {
  return specifier in MODULES ? { url: specifier, format: "module", shortCircuit: true } : next(specifier, context);
}

export function load(url, context, next) {
  if (!(url in MODULES)) return next(url, context);
  const native = new URL("./host/native.js", import.meta.url);
  return { format: "module", source: `import * as host from "${native}";\n${MODULES[url]}`, shortCircuit: true };
}
