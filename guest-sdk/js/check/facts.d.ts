// What `src/host/component-facts.js` and `component-history.js` import, for the check of their types.

declare module "guard:facts/git@0.2.0" {
  export function branch(path: string): string;
  export function tracked(path: string): import("guard:policy/types@0.1.0").Presence;
  export function staged(path: string): import("guard:policy/types@0.1.0").Presence;
  export function ignored(path: string): import("guard:policy/types@0.1.0").Presence;
}

declare module "guard:facts/project@0.2.0" {
  export function manifests(path: string): import("guard-host-policy/facts").ProjectManifest[];
}

declare module "guard:facts/earlier@0.2.0" {
  export function effects(commandId: number, path: string): import("guard:policy/syntax@0.1.0").Effect[];
}

declare module "guard:facts/history@0.3.0" {
  export function events(kind: string): import("guard-host-policy/facts").Event[];
}
