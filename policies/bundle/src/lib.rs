//! The analyzer and the policies of the presets as one component.
//!
//! Each policy is a component of its own as well, which is what `guard-host test` and its like take apart. The hook asks
//! this one: the standard library, the SDK and the reading of JSON are in it once, so a call maps, starts and links one
//! guest instead of eight.
//!
//! The build script of `host/builtins` writes the package that calls [`component!`], with each policy whose
//! `[package.metadata.guard]` names a preset.

#![cfg(target_arch = "wasm32")]

#[expect(missing_docs, reason = "generated from wit/")]
pub mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit/0.1.0", "../../wit/0.2.0", "../../wit/0.3.0", "wit"],
        world: "guard:bundle/bundle",
        with: {
            "guard:policy/types@0.1.0": guard_sdk::bindings::guard::policy::types,
            "guard:policy/syntax@0.1.0": guard_sdk::bindings::guard::policy::syntax,
            "guard:policy/context@0.1.0": guard_sdk::bindings::guard::policy::context,
            "guard:policy/files@0.1.0": guard_sdk::bindings::guard::policy::files,
            "guard:policy/env@0.1.0": guard_sdk::bindings::guard::policy::env,
            "guard:policy/journal@0.1.0": guard_sdk::bindings::guard::policy::journal,
            "guard:policy/log@0.1.0": guard_sdk::bindings::guard::policy::log,
            "guard:facts/git@0.2.0": guard_sdk::bindings::guard::facts0_2_0::git,
            "guard:facts/history@0.3.0": guard_sdk::bindings::guard::facts0_3_0::history,
        },
        generate_all,
        generate_unused_types: true,
        pub_export_macro: true,
        export_macro_name: "export_component",
        additional_derives: [PartialEq, Eq],
        // Enums already derive these.
        additional_derives_ignore: ["outcome", "fault", "presence", "level", "coverage", "severity"],
    });
}

use std::cell::RefCell;
use std::rc::Rc;

use guard_script_summary::Summary;
pub use guard_sdk::guest;
use guard_sdk::serde_json;
use guard_sdk::syntax::Analysis;
use guard_shell::Source;

use bindings::guard::bundle::{scripts, shared_analysis, sources};

/// Exports a component with these policies. Each has a slot for its configured instance.
#[macro_export]
macro_rules! component {
    ($($slot:ident: $name:literal is $policy:ty,)*) => {
        use $crate::bindings::exports::guard::bundle::{analyzer, policies};

        struct Component;

        ::std::thread_local! {
            $(static $slot: $crate::guest::Slot<$policy> = const { $crate::guest::Slot::new(None) };)*
        }

        impl analyzer::Guest for Component {
            fn analyze(source: String, dialect: String, cwd: String, home: String) -> analyzer::Analysis {
                $crate::analyze(&source, &dialect, &cwd, &home)
            }
        }

        impl policies::Guest for Component {
            fn describe(policy: String) -> policies::Manifest {
                match policy.as_str() {
                    $($name => $crate::guest::describe::<$policy>(),)*
                    _ => panic!("{}", $crate::missing(&policy)),
                }
            }

            fn configure(policy: String, settings: String) -> Result<(), String> {
                match policy.as_str() {
                    $($name => $slot.with(|slot| $crate::guest::configure(slot, &settings)),)*
                    _ => Err($crate::missing(&policy)),
                }
            }

            fn decide(policy: String, tool: String, input: String) -> Result<policies::Decision, String> {
                match policy.as_str() {
                    $($name => $slot.with(|slot| $crate::guest::decide_with(slot, &tool, &input, $crate::analysis)),)*
                    _ => Err($crate::missing(&policy)),
                }
            }
        }

        $crate::bindings::export_component!(Component with_types_in $crate::bindings);
    };
}

/// Returns the analysis of a command.
#[must_use]
pub fn analyze(source: &str, dialect: &str, cwd: &str, home: &str) -> Analysis {
    guard_shell::analyze(source, dialect, cwd, home, read_script, read_source)
}

fn read_script(language: &str, code: &str) -> Option<Summary> {
    serde_json::from_str(&scripts::read(language, code)?).ok()
}

fn read_source(path: &str) -> Source {
    match sources::read(path) {
        sources::Source::Text(text) => Source::Text(text),
        sources::Source::None => Source::None,
        sources::Source::Unread(why) => Source::Unread(why),
    }
}

std::thread_local! {
    /// The analysis that the host set last.
    static ANALYSIS: RefCell<Option<Rc<Analysis>>> = const { RefCell::new(None) };
}

/// Returns the analysis of the current call.
///
/// # Panics
///
/// If the host didn't set one, which violates the contract.
#[expect(clippy::panic, reason = "a trap: the host broke its contract")]
pub fn analysis() -> Rc<Analysis> {
    ANALYSIS.with_borrow_mut(|last| {
        if let Some(new) = shared_analysis::current() {
            *last = Some(Rc::new(guest::possible(new)));
        }
        let Some(analysis) = last else { panic!("the host never gave the analysis") };
        analysis.clone()
    })
}

/// Returns the message for a policy that isn't in this component.
#[must_use]
pub fn missing(policy: &str) -> String {
    format!("there is no policy `{policy}` in this component")
}
