//! The analyzer and the policies of the presets as one component.
//!
//! Each policy is a component of its own as well, which is what `guard-host test` and its like take apart. The hook asks
//! this one: the standard library, the SDK and the reading of JSON are in it once, so a call maps, starts and links one
//! guest instead of eight.

#![cfg(target_arch = "wasm32")]

#[expect(
    clippy::all,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    unreachable_pub,
    unsafe_code,
    reason = "generated from wit/: the glue of the canonical ABI"
)]
#[rustfmt::skip]
mod bindings;

/// The policies by name; a slot holds the one that was configured.
macro_rules! policies {
    ($($slot:ident: $name:literal is $policy:ty,)*) => {
        mod component {
            use std::cell::RefCell;
            use std::rc::Rc;

            use guard_sdk::Decision;
            use guard_sdk::guest::{self, Manifest, Slot};
            use guard_sdk::serde_json;
            use guard_sdk::syntax::Analysis;
            use guard_shell::Source;
            use guard_script_summary::Summary;

            use crate::bindings::exports::guard::bundle::{analyzer, policies};
            use crate::bindings::guard::bundle::{scripts, shared_analysis, sources};

            struct Component;

            std::thread_local! {
                $(static $slot: Slot<$policy> = const { Slot::new(None) };)*
                /// What the host gave last.
                static ANALYSIS: RefCell<Option<Rc<Analysis>>> = const { RefCell::new(None) };
            }

            impl analyzer::Guest for Component {
                fn analyze(source: String, dialect: String, cwd: String, home: String) -> Analysis {
                    guard_shell::analyze(&source, &dialect, &cwd, &home, read_script, read_source)
                }
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

            #[expect(clippy::panic, reason = "a trap is what the contract says")]
            impl policies::Guest for Component {
                fn describe(policy: String) -> Manifest {
                    match policy.as_str() {
                        $($name => guest::describe::<$policy>(),)*
                        _ => panic!("{}", missing(&policy)),
                    }
                }

                fn configure(policy: String, settings: String) -> Result<(), String> {
                    match policy.as_str() {
                        $($name => $slot.with(|slot| guest::configure(slot, &settings)),)*
                        _ => Err(missing(&policy)),
                    }
                }

                fn decide(policy: String, tool: String, input: String) -> Result<Decision, String> {
                    match policy.as_str() {
                        $($name => $slot.with(|slot| guest::decide_with(slot, &tool, &input, analysis)),)*
                        _ => Err(missing(&policy)),
                    }
                }
            }

            #[expect(clippy::panic, reason = "a trap: the host broke its contract")]
            fn analysis() -> Rc<Analysis> {
                ANALYSIS.with_borrow_mut(|last| {
                    if let Some(new) = shared_analysis::current() {
                        *last = Some(Rc::new(guest::possible(new)));
                    }
                    let Some(analysis) = last else { panic!("the host never gave the analysis") };
                    analysis.clone()
                })
            }

            fn missing(policy: &str) -> String {
                format!("there is no policy `{policy}` in this component")
            }

            #[expect(unsafe_code, unreachable_pub, reason = "generated: the exported symbols of the canonical ABI")]
            mod export {
                use super::Component;

                crate::bindings::export_component!(Component with_types_in crate::bindings);
            }
        }
    };
}

policies! {
    SELF_PROTECT: "self-protect" is policy_self_protect::SelfProtect,
    COMMAND_GUARD: "command-guard" is policy_command_guard::CommandGuard,
    PROTECTED_FILES: "protected-files" is policy_protected_files::ProtectedFiles,
    SESSION_GUARD: "session-guard" is policy_session_guard::SessionGuard,
    INTRUSION_GUARD: "intrusion-guard" is policy_intrusion_guard::IntrusionGuard,
    PATH_CONTEXT: "path-context" is policy_path_context::PathContext,
    WRITE_CONTROL: "write-control" is policy_write_control::WriteControl,
    PLAN_ENFORCER: "plan-enforcer" is policy_plan_enforcer::PlanEnforcer,
}
