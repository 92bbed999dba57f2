//! Functions called by the expansion of [`crate::export!`], by the bundle and by the policy languages. Not for use by
//! hand.

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

/// Holds the configured policy of an instance, and what its settings adjust.
pub type Slot<P> = RefCell<Option<(P, Adjustments)>>;

/// The policy's manifest in the contract's words.
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

/// Reads the settings and keeps the policy that they give.
///
/// # Errors
///
/// The settings are not what the policy takes, or it refuses them.
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

/// Answers one call with the policy of `slot`.
///
/// # Errors
///
/// The policy was not configured, or it gives an error itself.
pub fn decide<P: Policy>(slot: &Slot<P>, tool: &str, input: &str) -> Result<Decision, String> {
    decide_with(slot, tool, input, || Rc::new(analysis()))
}

/// Answers as [`decide`], with another source of the analysis.
///
/// # Errors
///
/// Those of [`decide`].
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

/// The analysis of the call that is being decided, for a policy that takes it apart.
#[must_use]
pub fn analysis() -> Analysis {
    possible(host::analysis())
}

/// The analysis as the host gave it, without effects that cannot happen.
#[must_use]
pub fn possible(mut analysis: Analysis) -> Analysis {
    folders::keep_possible(&mut analysis);
    analysis
}

/// Sends the text of a panic to the host before the instance traps. In a native test the harness tells it.
fn report_panics() {
    #[cfg(target_arch = "wasm32")]
    report_to_host();
}

#[cfg(target_arch = "wasm32")]
fn report_to_host() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|info| host::log(Level::Error, &info.to_string()))));
}
