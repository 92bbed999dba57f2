//! `rego`: lets the rules of a text in Rego decide.
//!
//! The text is the policy's settings. [README.md](README.md) says what the text sees and what its rules may say. The
//! text has no network, no clock and no random numbers.

mod calls;
mod names;
mod own;
mod rules;
mod text;
mod walk;

use std::cell::RefCell;
use std::collections::BTreeMap;

use guard_sdk::serde_json::{Map, Value};
use guard_sdk::{Call, Decision, Error, Level, Manifest, Outcome, Policy};
use serde::Deserialize;

use rules::policy;
use text::{Sources, Text};

/// How the name of a module ends that only tests the others.
const TESTS: &str = "_test.rego";

/// The settings: a file or a folder as the host gives it, or a table with texts.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Where the text stands, for messages.
    file: Option<String>,
    /// The text in Rego.
    text: Option<String>,
    /// Modules by their paths.
    files: BTreeMap<String, String>,
    /// What the text finds below `data`.
    data: Map<String, Value>,
}

impl Settings {
    /// The modules that judge, and the data.
    fn sources(self) -> Sources {
        let Self { file, text, files, data } = self;
        let place =
            file.clone().unwrap_or_else(|| if files.is_empty() { "settings.text" } else { "settings" }.to_owned());
        // Only a folder has files, and then it is their place.
        let below = |path: String| file.as_ref().map_or_else(|| path.clone(), |folder| format!("{folder}/{path}"));
        let text = text.map(|text| (file.clone().unwrap_or_else(|| "settings.text".to_owned()), text));
        let files = files.into_iter().filter(|(path, _)| !path.ends_with(TESTS));
        let modules = text.into_iter().chain(files.map(|(path, text)| (below(path), text))).collect();
        Sources { place, modules, data }
    }
}

/// The policy.
#[derive(Debug)]
pub struct Rego {
    /// Evaluation changes what the engine remembers, and nothing that a later one could see.
    text: RefCell<Text>,
}

impl Policy for Rego {
    type Settings = Settings;

    const MANIFEST: Manifest = Manifest {
        id: "rego",
        version: env!("CARGO_PKG_VERSION"),
        summary: "decides by rules in Rego, the language of the Open Policy Agent",
        tools: &["*"],
        rules: &[policy::RULE],
        ..Manifest::EMPTY
    };

    fn configure(settings: Settings) -> Result<Self, Error> {
        let sources = settings.sources();
        if sources.modules.is_empty() {
            return Err("there is no text in Rego: name its file with `settings-file`, and see that it is there".into());
        }
        Ok(Self { text: RefCell::new(Text::load(sources)?) })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let document = policy_input_document::of_call(call)?;
        let mut text = self.text.borrow_mut();
        text.see(document);
        let (mut said, mut fault) = (Vec::new(), None);
        for (outcome, name) in text::HEADS {
            let answers = text.value(name).and_then(|value| policy::answers(outcome, name, &value));
            match answers {
                Ok(answers) => said.extend(answers),
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        text.prints().iter().for_each(|line| call.log(Level::Debug, line));
        match fault {
            // Nothing is more severe, so what else went wrong changes no verdict.
            Some(error) if said.iter().any(|one| one.outcome == Outcome::Deny) => call.log(Level::Error, &error),
            Some(error) => return Err(error.into()),
            None => {}
        }
        Ok(policy_input_document::decision(&policy::RULE, said))
    }
}

guard_sdk::export!(Rego);
