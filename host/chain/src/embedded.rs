//! [`EmbeddedChain`]: the resolved chain that is embedded in a service. It reads no file and loads no policy.

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
    /// The policies that the configuration switches off.
    pub disabled: Vec<String>,
    /// The meaning of the arguments of unknown tools.
    pub tools: Vec<Arguments>,
    /// Allows for calls that run without a prompt.
    pub allows: Vec<Allow>,
    /// The policies that only the managed configuration can loosen.
    pub locked: Vec<String>,
    /// How the files that a call runs are judged.
    pub scripts: Scripts,
    /// The verdict in place of an ask when the harness skips prompts.
    pub bypass_ask: BypassAsk,
    /// The policies, in order.
    pub members: Vec<EmbeddedPolicy>,
}

/// A policy of an embedded chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedPolicy {
    /// Its entry in the configuration.
    pub entry: Entry,
    /// Its manifest.
    pub manifest: Manifest,
    /// Whether it imports the analysis.
    pub wants_analysis: bool,
    /// Whether all its messages are guard-host's own, so that they need no attribution.
    pub speaks_for_itself: bool,
    /// The location of its component.
    pub component: ComponentLocation,
}

/// The location of a policy's component in a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComponentLocation {
    /// In the bundle, under this name.
    Bundle(String),
    /// At this index of the service's other components.
    Row(u32),
}

impl EmbeddedChain {
    /// Serializes the chain to the bytes that are embedded in a service.
    ///
    /// # Errors
    ///
    /// A type of it can't be serialized.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FaultKind> {
        postcard::to_stdvec(self).map_err(|error| FaultKind::Artifact(error.to_string()))
    }

    /// Reads the bytes of [`EmbeddedChain::to_bytes`].
    ///
    /// # Errors
    ///
    /// They come from another release.
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
