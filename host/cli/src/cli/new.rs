//! `guard-host new`: the project of a new policy.

use std::path::Path;

use super::args::{LanguageName, NewArgs};
use super::print;
use super::subject::refused;
use guard_contract::exit::Exit;
use guard_kit::scaffold::{self, Language, ScaffoldError};
use guard_state::environment::Environment;

pub(super) fn run(args: &NewArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let language = match args.lang {
        LanguageName::Rust => Language::Rust,
        LanguageName::Js => Language::JavaScript,
        LanguageName::Ts => Language::TypeScript,
        LanguageName::Python => Language::Python,
        LanguageName::C => Language::C,
        LanguageName::Rego => Language::Rego,
        LanguageName::Cel => Language::Cel,
    };
    match scaffold::make(Path::new(&environment.cwd), &args.name, language) {
        Ok(_) => {
            print::note(&format!("{} is there, with a policy and its cases in it. Go on with:", args.name));
            print::line(&format!("cd {}\n{}", args.name, language.commands()))?;
            Ok(Exit::Success)
        }
        Err(error @ ScaffoldError::Name(_)) => {
            let hint = "take at most 64 small letters, digits and `-`, with a letter first";
            Err(refused(Exit::Usage, error.to_string(), hint))
        }
        Err(error @ ScaffoldError::Taken(..)) => {
            Err(refused(Exit::Unavailable, error.to_string(), "take another name, or move it away"))
        }
        Err(error @ ScaffoldError::Io(..)) => Err(error.into()),
    }
}
