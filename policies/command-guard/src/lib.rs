//! Stub.

use guard_sdk::{Call, Decision, Error, Manifest, NoSettings, Policy};

/// The policy.
#[derive(Debug)]
pub struct CommandGuard;

impl Policy for CommandGuard {
    type Settings = NoSettings;
    const MANIFEST: Manifest = Manifest { id: "command-guard", tools: &["*"], ..Manifest::EMPTY };

    fn configure(_: NoSettings) -> Result<Self, Error> {
        Ok(Self)
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let _ = call.analysis();
        Ok(Decision::abstain())
    }
}

guard_sdk::export!(CommandGuard);
