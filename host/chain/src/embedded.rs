//! [`EmbeddedChain`]: the resolved chain that a service is built with. It reads no file and loads no policy.

use serde::{Deserialize, Serialize};

use crate::{ChainConfig, ChainMember};
use guard_contract::allow::Allow;
use guard_contract::policy::Entry;
use guard_contract::readings::Arguments;
use guard_contract::scripts::Scripts;
use guard_contract::verdict::BypassAsk;
use guard_contract::{FaultKind, Manifest, Problem};

/// A resolved chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedChain {
    /// Problems with the configuration.
    pub problems: Vec<Problem>,
    /// The policies that it switches off.
    pub disabled: Vec<String>,
    /// The content of the arguments of unknown tools.
    pub tools: Vec<Arguments>,
    /// Allows for calls that run without a prompt.
    pub allows: Vec<Allow>,
    /// The policies that nobody but the managed layer may loosen.
    pub locked: Vec<String>,
    /// How the files that a call runs are judged.
    pub scripts: Scripts,
    /// The verdict in place of an ask when the harness skips prompts.
    pub bypass_ask: BypassAsk,
    /// The policies, in order.
    pub members: Vec<EmbeddedPolicy>,
}

/// A policy of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedPolicy {
    /// Its entry in the configuration.
    pub entry: Entry,
    /// Its manifest.
    pub manifest: Manifest,
    /// It wants the analysis.
    pub wants_analysis: bool,
    /// All that it says are words of guard-host's own.
    pub speaks_for_itself: bool,
    /// Where it is.
    pub component: ComponentLocation,
}

/// Where a policy is in a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComponentLocation {
    /// In the bundle, under this name.
    Bundle(String),
    /// At this place of the row of the others.
    Row(u32),
}

impl EmbeddedChain {
    /// The bytes that a service carries.
    ///
    /// # Errors
    ///
    /// It cannot be written, which says that a type of it has no such form.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FaultKind> {
        postcard::to_stdvec(self).map_err(|error| FaultKind::Artifact(error.to_string()))
    }

    /// Reads these bytes.
    ///
    /// # Errors
    ///
    /// They are not those of this release.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FaultKind> {
        postcard::from_bytes(bytes).map_err(|error| FaultKind::Artifact(error.to_string()))
    }

    /// Returns the configuration apart from its policies.
    #[must_use]
    pub fn config(&self, today: fn() -> String) -> ChainConfig<'_> {
        ChainConfig {
            problems: &self.problems,
            disabled: &self.disabled,
            tools: &self.tools,
            allows: &self.allows,
            locked: &self.locked,
            scripts: self.scripts,
            today,
        }
    }

    /// The policies, as a call sees them.
    #[must_use]
    pub fn members(&self) -> Vec<ChainMember<'_>> {
        let members =
            self.members.iter().map(|EmbeddedPolicy { entry, manifest, wants_analysis, speaks_for_itself, .. }| {
                ChainMember { entry, ready: Ok((manifest, *wants_analysis)), speaks_for_itself: *speaks_for_itself }
            });
        members.collect()
    }
}
