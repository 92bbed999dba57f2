//! Lifts the asks of a chain's verdict by allows, and finds the allows that would lift them.

use guard_contract::Layer;
use guard_contract::Outcome;
use guard_contract::allow::{self, Allow, Here};
use guard_contract::policy::may_loosen;
use guard_contract::syntax::Analysis;
use guard_contract::verdict::Verdict;
use guard_facts::Resolver;

use crate::{CallSite, Chain, Sandbox};

impl<S: Sandbox> Chain<'_, S> {
    /// Lifts the asks that these allows cover, as far as the configuration permits.
    #[must_use]
    pub fn lift(&self, verdict: Verdict, allows: &[Allow], of: CallSite<'_>, analysis: Option<&Analysis>) -> Verdict {
        let (call, at, facts) = of;
        if verdict.outcome != Outcome::Ask || allows.is_empty() {
            return verdict;
        }
        let today = (self.config.today)();
        let allows: Vec<&Allow> = allows.iter().filter(|allow| !allow.is_over(&today)).collect();
        let may = |layer: Layer, policy: &str| {
            let entry = self.members.iter().map(|member| member.entry).find(|entry| entry.name == policy);
            entry.is_some_and(|entry| may_loosen(self.config.locked, layer, entry))
        };
        let leads_to = |path: &str| Resolver::new(&at.cwd, &at.home, &at.project_root).resolve(facts, path).canonical;
        let (canonical, root) = (leads_to(&at.cwd), leads_to(&at.project_root));
        let here = Here { cwd: &at.cwd, canonical: &canonical, root: &root };
        allow::lift(verdict, &allows, may, (call, here), analysis)
    }

    /// Returns the narrowest allows that would lift the asks about a call, each mapped by `map`. `None` if no allow
    /// can.
    #[must_use]
    pub fn narrowest_allows(
        &self,
        verdict: &Verdict,
        of: CallSite<'_>,
        analysis: &Analysis,
        map: impl Fn(Allow) -> Allow,
    ) -> Option<Vec<Allow>> {
        let allows = allow::narrowest(verdict, analysis, "").into_iter().map(map).collect();
        self.keep_if_lifting(verdict, allows, of, analysis)
    }

    /// Returns lists of allows that would lift the asks about a call and similar ones, each mapped by `map`.
    #[must_use]
    pub fn wider_allows(
        &self,
        verdict: &Verdict,
        of: CallSite<'_>,
        analysis: &Analysis,
        map: impl Fn(Allow) -> Allow,
    ) -> Vec<Vec<Allow>> {
        let wider = allow::wider(verdict, analysis, "").into_iter();
        let mapped = wider.map(|allows| allows.into_iter().map(&map).collect());
        mapped.filter_map(|allows| self.keep_if_lifting(verdict, allows, of, analysis)).collect()
    }

    /// The allows that would lift the asks about a call of a tool that runs no shell command, the narrowest first.
    #[must_use]
    pub fn tool_allows(
        &self,
        verdict: &Verdict,
        of: CallSite<'_>,
        analysis: Option<&Analysis>,
        map: impl Fn(Allow) -> Allow,
    ) -> Vec<Allow> {
        let mut found: Vec<Allow> = allow::for_tool(verdict, of.0, analysis).into_iter().map(map).collect();
        found.retain(|allow| {
            let checked: Vec<Allow> = allow.clone().checked("").into_iter().collect();
            self.lift(verdict.clone(), &checked, of, analysis).is_allowed()
        });
        found
    }

    /// Returns the reason why no allow covers a call, as the rest of a sentence after "because".
    #[must_use]
    pub fn obstacle(&self, verdict: &Verdict, (call, at, facts): CallSite<'_>, analysis: Option<&Analysis>) -> String {
        let leads_to = |path: &str| Resolver::new(&at.cwd, &at.home, &at.project_root).resolve(facts, path).canonical;
        let (canonical, root) = (leads_to(&at.cwd), leads_to(&at.project_root));
        allow::obstacle(verdict, (call, Here { cwd: &at.cwd, canonical: &canonical, root: &root }), analysis)
    }

    /// Returns the allows if they lift the asks about the call.
    fn keep_if_lifting(
        &self,
        verdict: &Verdict,
        allows: Vec<Allow>,
        of: CallSite<'_>,
        analysis: &Analysis,
    ) -> Option<Vec<Allow>> {
        let checked: Result<Vec<Allow>, _> = allows.iter().map(|allow| allow.clone().checked("")).collect();
        self.lift(verdict.clone(), &checked.ok()?, of, Some(analysis)).is_allowed().then_some(allows)
    }
}
