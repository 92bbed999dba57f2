//! An external policy: deployments need confirmation, or are denied if the settings say so.

use guard_sdk::{Call, Decision, Error, Finding, Manifest, Outcome, Policy, Rule};

const DEPLOY: Rule =
    Rule { id: "deploy", summary: "a deployment", default: Outcome::Ask, ceiling: Outcome::Deny };

struct NoFriday {
    forbidden: bool,
}

#[derive(serde::Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    forbidden: bool,
}

impl Policy for NoFriday {
    type Settings = Settings;
    const MANIFEST: Manifest = Manifest {
        id: "no-friday",
        summary: "deployments are confirmed",
        tools: &["Bash"],
        rules: &[DEPLOY],
        grants: &["env:DEPLOYER"],
        ..Manifest::EMPTY
    };

    fn configure(settings: Settings) -> Result<Self, Error> {
        Ok(NoFriday { forbidden: settings.forbidden })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let analysis = call.analysis();
        let deploys = analysis.commands.iter().filter(|command| command.program() == "deploy");
        let deployer = call.env("DEPLOYER").unwrap_or_else(|_| "nobody".to_owned());
        let outcome = if self.forbidden { Outcome::Deny } else { Outcome::Ask };
        let finding = |command: &guard_sdk::syntax::Command| {
            Finding::new(&DEPLOY, format!("`{}` by {deployer}", command.text())).at(outcome).remedy("wait for Monday")
        };
        Ok(deploys.map(finding).collect())
    }
}

guard_sdk::export!(NoFriday);
