//! Functions for the expansion of [`crate::export!`], for the bundle and for the policy languages. Not meant for direct
//! use.

use std::cell::RefCell;
use std::rc::Rc;
#[cfg(target_arch = "wasm32")]
use std::sync::Once;

pub use crate::bindings::exports::guard::policy::policy::Guest;
pub use crate::bindings::guard::policy::types::Manifest;

#[cfg(target_arch = "wasm32")]
use crate::Level;
use crate::bindings::guard::policy::types;
use crate::syntax::Analysis;
use crate::{Adjustments, Call, Decision, Policy, adjust, folders, host};

/// The configured policy of an instance, and its adjustments.
pub type Slot<P> = RefCell<Option<(P, Adjustments)>>;

/// Converts the policy's manifest to the contract's type.
#[must_use]
pub fn describe<P: Policy>() -> Manifest {
    report_panics();
    let manifest = P::MANIFEST;
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Manifest {
        id: manifest.id.to_owned(),
        version: manifest.version.to_owned(),
        summary: manifest.summary.to_owned(),
        tools: owned(manifest.tools),
        rules: manifest.rules.iter().map(rule).collect(),
        grants: owned(manifest.grants),
        examples: manifest.examples.iter().map(example).collect(),
    }
}

fn rule(rule: &crate::Rule) -> types::Rule {
    types::Rule {
        id: rule.id.to_owned(),
        summary: rule.summary.to_owned(),
        default: rule.default,
        ceiling: rule.ceiling,
    }
}

fn example(example: &crate::Example) -> types::Example {
    types::Example {
        tool: example.tool.to_owned(),
        input: example.input.to_owned(),
        outcome: example.outcome,
        rule: example.rule.to_owned(),
    }
}

/// Parses the settings and stores the configured policy.
///
/// # Errors
///
/// If the settings are invalid, or if the policy rejects them.
pub fn configure<P: Policy>(slot: &Slot<P>, settings: &str) -> Result<(), String> {
    report_panics();
    let read = match P::ADJUSTABLE {
        true => adjust::read(settings),
        false => {
            serde_json::from_str(settings).map(|own| (own, Adjustments::default())).map_err(|error| error.to_string())
        }
    };
    let (settings, mut adjustments) = read.map_err(|error| format!("invalid settings: {error}"))?;
    let mut policy = P::configure(settings).map_err(|error| error.to_string())?;
    if P::ADJUSTABLE {
        policy.adjust(&mut adjustments).map_err(|error| error.to_string())?;
    }
    *slot.borrow_mut() = Some((policy, adjustments));
    Ok(())
}

/// Decides on one call with the policy in `slot`.
///
/// # Errors
///
/// If the policy isn't configured, or if it returns an error.
pub fn decide<P: Policy>(slot: &Slot<P>, tool: &str, input: &str) -> Result<Decision, String> {
    decide_with(slot, tool, input, || Rc::new(analysis()))
}

/// Decides like [`decide`], with another source of the analysis.
///
/// # Errors
///
/// As in [`decide`].
pub fn decide_with<P: Policy>(
    slot: &Slot<P>,
    tool: &str,
    input: &str,
    analyze: fn() -> Rc<Analysis>,
) -> Result<Decision, String> {
    let slot = slot.borrow();
    let (policy, adjustments) = slot.as_ref().ok_or("decide was called before configure")?;
    let decision = policy.decide(&Call::new(tool, input, analyze)).map_err(|error| error.to_string())?;
    Ok(if P::ADJUSTABLE { adjustments.apply(decision) } else { decision })
}

/// Returns the analysis of the current call, for policies that consume it.
#[must_use]
pub fn analysis() -> Analysis {
    possible(host::analysis())
}

/// Returns the host's analysis without effects that can't happen.
#[must_use]
pub fn possible(mut analysis: Analysis) -> Analysis {
    folders::remove_impossible(&mut analysis);
    analysis
}

/// Sends the text of a panic to the host before the instance traps. In native tests, the test harness reports it.
fn report_panics() {
    #[cfg(target_arch = "wasm32")]
    report_to_host();
}

#[cfg(target_arch = "wasm32")]
fn report_to_host() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|info| host::log(Level::Error, &info.to_string()))));
}
