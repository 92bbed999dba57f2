// What `src/host/component-facts.js` imports, for the check of its types.

declare module "guard:facts/git@0.2.0" {
  type Presence = import("guard:policy/types@0.1.0").Presence;
  export function branch(path: string): string;
  export function tracked(path: string): Presence;
  export function staged(path: string): Presence;
  export function ignored(path: string): Presence;
}

declare module "guard:facts/project@0.2.0" {
  export function manifests(path: string): import("guard-host-policy/facts").ProjectManifest[];
}

declare module "guard:facts/earlier@0.2.0" {
  export function effects(commandId: number, path: string): import("guard:policy/syntax@0.1.0").Effect[];
}
