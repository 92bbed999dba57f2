//! Write a policy for guard-host in Rust.
//!
//! A policy answers one question: may this tool call of a coding agent run? It is a pure function of the call, its
//! settings and the facts that the host gives; it has no file system, clock, network or environment of its own.
//!
//! This is a whole policy. It asks before anything is published:
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
//! Build it as a `cdylib` for `wasm32-wasip2`; what comes out is the component that guard-host loads.
//! [`testing`] runs a policy natively, in an ordinary `#[test]`.

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

/// A policy: what it is, how it is set up, and what it says of a tool call.
pub trait Policy: Sized + 'static {
    /// The settings, read from the JSON object that the configuration holds. [`NoSettings`] if there are none.
    ///
    /// Say `#[serde(default, deny_unknown_fields)]` on it, so that a typing error in the settings is found.
    type Settings: serde::de::DeserializeOwned;

    /// The policy's description of itself.
    const MANIFEST: Manifest;

    /// Whether the settings may also hold [`Adjustments`]: the lists `raise`, `lower` and `silence`, with ids of this
    /// policy's rules. The SDK applies them to each decision, and `Settings` doesn't see them. A rule that can be raised
    /// needs the ceiling [`Outcome::Deny`].
    const ADJUSTABLE: bool = false;

    /// Sets the policy up. Runs once in each fresh instance, before any call is decided.
    ///
    /// # Errors
    ///
    /// An error is text for the person who wrote the settings. The policy is then at fault for each call it covers.
    fn configure(settings: Self::Settings) -> Result<Self, Error>;

    /// Checks the adjustments of an [`ADJUSTABLE`](Policy::ADJUSTABLE) policy. One that adjusts by more than ids of rules
    /// takes them out of `adjustments` and applies them itself.
    ///
    /// # Errors
    ///
    /// A name that no rule has.
    fn adjust(&mut self, adjustments: &mut Adjustments) -> Result<(), Error> {
        adjustments.check(Self::MANIFEST.rules)
    }

    /// Answers one tool call.
    ///
    /// # Errors
    ///
    /// An error is a fault: the `on-error` of the configuration answers in the policy's place, by default with ask.
    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error>;
}

/// Makes a [`Policy`] the one that this component exports.
///
/// Expands to nothing where the target is not WebAssembly, so that the same crate links natively for its tests.
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
