//! Write a policy for guard-host in Rust.
//!
//! A policy decides whether a coding agent's tool call may run. It is a pure function of the call, its settings and the
//! host's facts, without its own access to a file system, clock, network or environment.
//!
//! This is a complete policy. It needs confirmation before anything is published:
//!
//! ```
//! use guard_sdk::{Call, Decision, Error, Finding, Manifest, NoSettings, Outcome, Policy, Rule};
//!
//! const PUBLISH: Rule =
//!     Rule { id: "publish", summary: "a package is published", default: Outcome::Ask, ceiling: Outcome::Ask };
//!
//! struct Publish;
//!
//! impl Policy for Publish {
//!     type Settings = NoSettings;
//!     const MANIFEST: Manifest = Manifest { id: "publish", tools: &["Bash"], rules: &[PUBLISH], ..Manifest::EMPTY };
//!
//!     fn configure(_: NoSettings) -> Result<Self, Error> {
//!         Ok(Publish)
//!     }
//!
//!     fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
//!         let publishes = call.analysis().effects.iter().filter(|effect| effect.operation == "package.publish");
//!         Ok(publishes.map(|effect| Finding::new(&PUBLISH, format!("`{}` becomes public", effect.target))).collect())
//!     }
//! }
//!
//! guard_sdk::export!(Publish);
//! # let answer = guard_sdk::testing::World::default().decide::<Publish>("{}", "Bash", r#"{"command": "ls"}"#);
//! # assert_eq!(answer.unwrap().outcome, Outcome::Abstain);
//! ```
//!
//! Build it as a `cdylib` for `wasm32-wasip2`. The output is the component that guard-host loads. [`testing`] runs a
//! policy natively, in an ordinary `#[test]`.

pub mod addresses;
pub mod code;
pub mod earlier;
pub mod git;
pub mod globs;
pub mod paths;
pub mod resolve;
pub mod secret_names;
pub mod syntax;
pub mod tables;
pub mod task_runners;
pub mod text;
pub mod tools;

mod adjust;
mod call;
mod decision;
mod error;
mod folders;
mod host;
mod index;
mod manifest;
mod name_list;
pub mod testing;

#[doc(hidden)]
#[expect(
    clippy::multiple_unsafe_ops_per_block,
    clippy::panic,
    clippy::undocumented_unsafe_blocks,
    clippy::unreachable,
    clippy::unwrap_used,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    unreachable_pub,
    unsafe_code,
    reason = "generated from wit/: the glue of the canonical ABI"
)]
#[rustfmt::skip]
pub mod bindings;
#[doc(hidden)]
pub mod guest;
#[doc(hidden)]
pub mod scan;

pub use adjust::Adjustments;
pub use bindings::guard::facts0_2_0::project::Manifest as ProjectManifest;
pub use bindings::guard::facts0_3_0::history::Event;
pub use bindings::guard::policy::context::Facts;
pub use bindings::guard::policy::types::{Decision, Fault, Finding, Level, Outcome, Presence, ResolvedPath};
pub use call::Call;
pub use error::Error;
pub use manifest::{Example, Manifest, NoSettings, Rule};
pub use name_list::NameList;
pub use serde_json;

/// A policy: its manifest, its configuration, and its decision on a tool call.
pub trait Policy: Sized + 'static {
    /// The settings, parsed from the JSON object in the configuration. [`NoSettings`] for a policy without settings.
    ///
    /// Add `#[serde(default, deny_unknown_fields)]`, so that typos in the settings are errors.
    type Settings: serde::de::DeserializeOwned;

    /// The policy's manifest.
    const MANIFEST: Manifest;

    /// Whether the settings may also contain [`Adjustments`]: the lists `raise`, `lower` and `silence`, with ids of
    /// this policy's rules. The SDK applies them to each decision, and `Settings` doesn't include them. A rule that can
    /// be raised needs the ceiling [`Outcome::Deny`].
    const ADJUSTABLE: bool = false;

    /// Configures the policy. Runs once in each new instance, before the first call.
    ///
    /// # Errors
    ///
    /// If the settings are invalid, as text for their author. The policy is then at fault for each call that it covers.
    fn configure(settings: Self::Settings) -> Result<Self, Error>;

    /// Checks the adjustments of an [`ADJUSTABLE`](Policy::ADJUSTABLE) policy. To support names other than rules' ids,
    /// take them out of `adjustments` and apply them in the policy.
    ///
    /// # Errors
    ///
    /// If a name isn't a rule.
    fn adjust(&mut self, adjustments: &mut Adjustments) -> Result<(), Error> {
        adjustments.check(Self::MANIFEST.rules)
    }

    /// Decides on one tool call.
    ///
    /// # Errors
    ///
    /// An error is a fault: the configuration's `on-error` replaces the decision, by default with ask.
    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error>;
}

/// Exports a [`Policy`] from this component.
///
/// Expands to nothing for targets other than WebAssembly, so that the crate also links natively for its tests.
#[macro_export]
macro_rules! export {
    ($policy:ty) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            ::std::thread_local! {
                static CONFIGURED: $crate::guest::Slot<$policy> = const { $crate::guest::Slot::new(None) };
            }
            struct Component;
            impl $crate::guest::Guest for Component {
                fn describe() -> $crate::guest::Manifest {
                    $crate::guest::describe::<$policy>()
                }
                fn configure(settings: ::std::string::String) -> ::core::result::Result<(), ::std::string::String> {
                    CONFIGURED.with(|slot| $crate::guest::configure(slot, &settings))
                }
                fn decide(
                    tool: ::std::string::String,
                    input: ::std::string::String,
                ) -> ::core::result::Result<$crate::Decision, ::std::string::String> {
                    CONFIGURED.with(|slot| $crate::guest::decide(slot, &tool, &input))
                }
            }
    $crate::bindings::export_component!(Component with_types_in $crate::bindings);
        };
    };
}
