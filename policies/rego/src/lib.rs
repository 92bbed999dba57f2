//! `rego`: runs the rules that you write in Rego.
//!
//! The rules are the policy's settings. [rego](README.md) describes what they see and return.
//! They have no network, no clock and no random numbers.

mod calls;
mod helpers;
mod lines;
mod misspelt;
mod names;
mod own;
mod rule_names;
mod rules;
mod shapes;
mod text;
mod trial;
mod walk;

use std::cell::RefCell;
use std::collections::BTreeMap;

use guard_sdk::serde_json::{Map, Value};
use guard_sdk::{Call, Decision, Error, Level, Manifest, Outcome, Policy};
use serde::Deserialize;

use rules::policy;
use text::{Sources, Text};
use trial::TrialRequest;

/// The suffix of modules that only contain tests.
const TESTS: &str = "_test.rego";

/// The settings: a file or a folder, as the host provides it, or a table with texts.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The location of the text, for messages.
    file: Option<String>,
    /// The Rego text.
    text: Option<String>,
    /// Modules by path.
    files: BTreeMap<String, String>,
    /// The data below `data`.
    data: Map<String, Value>,
    /// Whether calls request tests and get no decision. `guard-host test` sets this.
    test: bool,
    /// Whether the trace lists the evaluated lines. `guard-host test` sets this.
    coverage: bool,
}

impl Settings {
    /// Returns the data and the modules for decisions, or for tests all modules.
    fn sources(self) -> Sources {
        let Self { file, text, files, data, test, .. } = self;
        let place =
            file.clone().unwrap_or_else(|| if files.is_empty() { "settings.text" } else { "settings" }.to_owned());
        // Without a text, the path is a folder.
        let folder = file.clone().filter(|_| text.is_none());
        let below = |path: String| match &folder {
            Some(folder) if !path.starts_with('/') => format!("{folder}/{path}"),
            _ => path,
        };
        let text = text.map(|text| (file.clone().unwrap_or_else(|| "settings.text".to_owned()), text));
        let files = files.into_iter().filter(|(path, _)| test || !path.ends_with(TESTS));
        let modules = text.into_iter().chain(files.map(|(path, text)| (below(path), text))).collect();
        Sources { place, modules, data }
    }
}

/// The policy.
#[derive(Debug)]
pub struct Rego {
    /// In a cell because evaluation changes the engine's caches. Later evaluations don't depend on them.
    text: RefCell<Text>,
    names_history: bool,
    /// As in the settings.
    test: bool,
    coverage: bool,
}

impl Policy for Rego {
    type Settings = Settings;

    const MANIFEST: Manifest = Manifest {
        id: "rego",
        version: env!("CARGO_PKG_VERSION"),
        summary: "runs your rules in Rego, the language of Open Policy Agent",
        tools: &["*"],
        rules: &[policy::RULE],
        ..Manifest::EMPTY
    };

    fn configure(settings: Settings) -> Result<Self, Error> {
        let (test, coverage) = (settings.test, settings.coverage);
        let sources = settings.sources();
        if sources.modules.is_empty() {
            return Err("there is no text in Rego: name its file with `settings-file`, and see that it is there".into());
        }
        let names_history = sources.modules.iter().any(|(_, text)| text.contains(policy_input_document::HISTORY));
        let mut text = Text::load(sources)?;
        if coverage {
            text.watch_lines();
        }
        Ok(Self { text: RefCell::new(text), names_history, test, coverage })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let mut text = self.text.borrow_mut();
        if self.test {
            self.try_out(call, &mut text)?;
            return Err("the settings have `test`, so that tests are run and no call is judged".into());
        }
        let document = policy_input_document::call_document(call, self.names_history)?;
        text.set_input(document);
        let (mut rule_answers, mut fault) = (Vec::new(), None);
        for (outcome, name) in text::HEADS {
            let answers = text.value(name).and_then(|value| policy::answers(outcome, name, &value));
            match answers {
                Ok(answers) => rule_answers.extend(answers),
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        self.note(call, &mut text);
        match fault {
            // No outcome is more severe, so the errors don't change the verdict.
            Some(error) if rule_answers.iter().any(|one| one.outcome == Outcome::Deny) => {
                call.log(Level::Error, &error)
            }
            Some(error) => return Err(error.into()),
            None => {}
        }
        Ok(policy_input_document::decision(&policy::RULE, rule_answers))
    }
}

impl Rego {
    /// Logs the list of tests, or the result of one.
    fn try_out(&self, call: &Call<'_>, text: &mut Text) -> Result<(), Error> {
        match TrialRequest::parse(&call.input()?) {
            Some(TrialRequest::List(from)) => {
                trial::page(&text.tests()?, from).iter().for_each(|line| call.log(Level::Info, line));
            }
            Some(TrialRequest::Run(name)) => {
                if let Some(outcome) = text.run(&name)? {
                    call.log(Level::Info, &trial::format_outcome(&outcome));
                }
                self.note(call, text);
            }
            None => {}
        }
        Ok(())
    }

    /// Logs the evaluated lines if requested, and the printed text.
    fn note(&self, call: &Call<'_>, text: &mut Text) {
        if self.coverage {
            let rules = text.rules();
            let lines = policy_input_document::format_rules(rules.iter().map(String::as_str));
            lines.iter().for_each(|line| call.log(Level::Info, line));
            lines::format_lines(&text.lines()).iter().for_each(|line| call.log(Level::Info, line));
        }
        text.prints().iter().for_each(|line| call.log(Level::Debug, line));
    }
}
