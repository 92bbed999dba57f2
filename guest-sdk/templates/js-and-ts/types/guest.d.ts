/// <reference path="./interfaces/guard-facts-earlier.d.ts" />
/// <reference path="./interfaces/guard-facts-git.d.ts" />
/// <reference path="./interfaces/guard-facts-history.d.ts" />
/// <reference path="./interfaces/guard-facts-project.d.ts" />
/// <reference path="./interfaces/guard-policy-analysis.d.ts" />
/// <reference path="./interfaces/guard-policy-context.d.ts" />
/// <reference path="./interfaces/guard-policy-env.d.ts" />
/// <reference path="./interfaces/guard-policy-files.d.ts" />
/// <reference path="./interfaces/guard-policy-journal.d.ts" />
/// <reference path="./interfaces/guard-policy-log.d.ts" />
/// <reference path="./interfaces/guard-policy-policy.d.ts" />
/// <reference path="./interfaces/guard-policy-syntax.d.ts" />
/// <reference path="./interfaces/guard-policy-types.d.ts" />
declare module 'guard:facts/guest@0.3.0' {
  export type * as GuardFactsEarlier020 from 'guard:facts/earlier@0.2.0'; // import guard:facts/earlier@0.2.0
  export type * as GuardFactsGit020 from 'guard:facts/git@0.2.0'; // import guard:facts/git@0.2.0
  export type * as GuardFactsHistory030 from 'guard:facts/history@0.3.0'; // import guard:facts/history@0.3.0
  export type * as GuardFactsProject020 from 'guard:facts/project@0.2.0'; // import guard:facts/project@0.2.0
  export type * as GuardPolicyAnalysis010 from 'guard:policy/analysis@0.1.0'; // import guard:policy/analysis@0.1.0
  export type * as GuardPolicyContext010 from 'guard:policy/context@0.1.0'; // import guard:policy/context@0.1.0
  export type * as GuardPolicyEnv010 from 'guard:policy/env@0.1.0'; // import guard:policy/env@0.1.0
  export type * as GuardPolicyFiles010 from 'guard:policy/files@0.1.0'; // import guard:policy/files@0.1.0
  export type * as GuardPolicyJournal010 from 'guard:policy/journal@0.1.0'; // import guard:policy/journal@0.1.0
  export type * as GuardPolicyLog010 from 'guard:policy/log@0.1.0'; // import guard:policy/log@0.1.0
  export type * as GuardPolicySyntax010 from 'guard:policy/syntax@0.1.0'; // import guard:policy/syntax@0.1.0
  export type * as GuardPolicyTypes010 from 'guard:policy/types@0.1.0'; // import guard:policy/types@0.1.0
  export * as policy from 'guard:policy/policy@0.1.0'; // export guard:policy/policy@0.1.0
}
