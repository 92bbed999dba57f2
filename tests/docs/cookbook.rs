//! The cookbook's recipes work: each has cases that it stops and cases that pass, and all of them run.

use std::collections::BTreeSet;
use std::fs;

use crate::support::pages::{Block, Shell, blocks, root};
use crate::support::world::World;
use guard_kit::suite::{self, Case};

const PAGE: &str = "guest-sdk/docs/cookbook.md";

/// The part of the page below one `###` heading.
#[derive(Debug)]
struct Recipe {
    title: String,
    why: String,
    policy: Block,
    cases: Vec<Case>,
    command: String,
}

impl Recipe {
    fn new(title: &str, why: &str, blocks: &[Block]) -> Result<Self, String> {
        let file = |block: &&Block, is_suite: bool| {
            block.file.as_ref().is_some_and(|name| name.starts_with("fixtures/") == is_suite)
        };
        let one = |is_suite| blocks.iter().find(|block| file(block, is_suite));
        let (Some(policy), Some(suite)) = (one(false), one(true)) else {
            return Err(format!("`{title}` has no policy or no cases"));
        };
        let (text, names) = (&suite.text, [&suite.file, &policy.file].map(|name| name.clone().unwrap_or_default()));
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join("suite.toml");
        fs::write(&path, text).map_err(|error| error.to_string())?;
        let cases = suite::read(&path).map_err(|error| format!("`{title}`: {error}"))?.cases;
        let lines = blocks.iter().filter(|block| block.language == "console").flat_map(|block| block.text.lines());
        let tests =
            |command: &&str| command.starts_with("guard-host test ") && names.iter().all(|name| command.contains(name));
        let Some(command) = lines.filter_map(|line| line.strip_prefix("$ ")).find(tests) else {
            return Err(format!("`{title}`: no command tests {names:?}"));
        };
        let (title, why, command) = (title.to_owned(), why.to_owned(), command.to_owned());
        Ok(Recipe { title, why, policy: policy.clone(), cases, command })
    }

    fn is_entry(&self) -> bool {
        self.policy.text.contains("[[policy]]")
    }

    fn file(&self) -> &str {
        self.policy.file.as_deref().unwrap_or_default()
    }

    /// Returns the names of the rules in a CEL or Rego text.
    fn rules(&self) -> BTreeSet<&str> {
        let starts = ["\nrule = \"", "\"rule\": \""];
        let rules = starts.iter().flat_map(|start| self.policy.text.split(start).skip(1));
        rules.map(|rest| rest.split('"').next().unwrap_or_default()).collect()
    }

    /// Returns the missing parts.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let stops = |case: &&Case| case.expect.0.iter().all(|outcome| ["ask", "deny"].contains(&outcome.as_str()));
        let (stopped, passed): (Vec<&Case>, Vec<&Case>) = self.cases.iter().partition(stops);
        let named: BTreeSet<&str> = stopped.iter().filter_map(|case| case.rule.as_deref()).collect();
        if self.why.is_empty() {
            faults.push("it does not say why".to_owned());
        }
        if stopped.is_empty() || stopped.iter().any(|case| case.rule.is_none()) {
            faults.push("no case is stopped by a rule, or one does not name its rule".to_owned());
        }
        if passed.is_empty() {
            faults.push("no case passes".to_owned());
        }
        let of_cases: BTreeSet<&str> = self.cases.iter().filter_map(|case| case.rule.as_deref()).collect();
        faults.extend(self.rules().difference(&of_cases).map(|rule| format!("no case hits `{rule}`")));
        if !self.is_entry() {
            faults.extend(named.difference(&self.rules()).map(|rule| format!("the text has no rule `{rule}`")));
        }
        faults.iter().map(|fault| format!("`{}`: {fault}", self.title)).collect()
    }
}

fn recipes() -> Vec<Recipe> {
    let text = fs::read_to_string(root().join(PAGE)).unwrap();
    let (mut headings, mut fenced) = (Vec::new(), false);
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        fenced ^= line.starts_with("```");
        if let Some(title) = line.strip_prefix("### ").filter(|_| !fenced) {
            let why = lines.get(at + 2).filter(|line| !line.starts_with(['`', '#'])).copied().unwrap_or_default();
            headings.push((at + 1, title, why));
        }
    }
    let all = blocks(PAGE);
    let ends = headings.iter().skip(1).map(|heading| heading.0).chain([usize::MAX]);
    let below = headings.iter().zip(ends).map(|((start, title, why), end)| {
        let own: Vec<Block> = all.iter().filter(|block| (*start..end).contains(&block.line)).cloned().collect();
        Recipe::new(title, why, &own).unwrap_or_else(|error| panic!("{PAGE}: {error}"))
    });
    below.collect()
}

#[test]
fn every_recipe_passes_its_cases() {
    Shell::new().follow(PAGE).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_recipe_stops_something_and_lets_something_pass() {
    let recipes = recipes();
    let files: BTreeSet<&str> = recipes.iter().map(Recipe::file).collect();
    let faults: Vec<String> = recipes.iter().flat_map(Recipe::faults).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(recipes.len() >= 20, "{}", recipes.len());
    assert_eq!(files.len(), recipes.len(), "two recipes write the same file");
}

/// An entry whose cases also pass without it would show nothing.
#[test]
fn an_entry_of_a_recipe_changes_what_the_preset_says() {
    let shell = &mut Shell::new();
    shell.follow(PAGE).unwrap_or_else(|error| panic!("{error}"));
    let mut tried = 0;
    for recipe in recipes().iter().filter(|recipe| recipe.is_entry()) {
        let (command, _) = recipe.command.split_once(" --config ").unwrap_or_else(|| panic!("{}", recipe.command));
        assert_ne!(shell.run(command).exit, 0, "`{}` is what `standard` does anyway", recipe.title);
        tried += 1;
    }
    assert!(tried >= 3, "{tried}");
}

/// Each text by itself passes its cases. Here, all of them are in one chain, which the check also tests with unusual
/// calls.
#[test]
fn all_recipes_stand_in_one_chain() {
    let world = World::new();
    let mut entries = String::new();
    for recipe in recipes().iter().filter(|recipe| !recipe.is_entry()) {
        let (name, ending) = recipe.file().rsplit_once('.').unwrap();
        let builtin = if ending == "rego" { "rego" } else { "cel" };
        world.write(&format!(".config/guard-host/{}", recipe.file()), &recipe.policy.text);
        entries += &format!("[[policy]]\nname = \"{name}\"\nsource = \"builtin:{builtin}\"\n");
        entries += &format!("settings-file = \"{}\"\n\n", recipe.file());
    }
    world.configure(&entries);
    let ended = world.run(&["config", "check"], "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    assert_eq!(world.bash("git commit -m x").decision(), "deny");
    assert!(world.bash("ls -la").is_silent());
}

#[test]
fn a_recipe_that_lacks_something_is_found() {
    let block = |file: Option<&str>, language: &str, text: &str| Block {
        language: language.to_owned(),
        file: file.map(str::to_owned),
        text: text.to_owned(),
        line: 1,
    };
    let policy = block(Some("a.toml"), "toml", "[[rules]]\nrule = \"a\"\n");
    let stop = "[[cases]]\ninput = 'rm a'\nexpect = 'deny'\nrule = 'a'\n";
    let pass = "[[cases]]\ninput = 'ls'\nexpect = 'abstain'\n";
    let suite = |text: &str| block(Some("fixtures/a.toml"), "toml", text);
    let shown = block(None, "console", "$ guard-host test cel fixtures/a.toml --settings-file a.toml\n");
    let made = |why: &str, suite: Block| {
        Recipe::new("A", why, &[policy.clone(), suite, shown.clone()]).unwrap().faults().join("\n")
    };
    let whole = format!("{stop}{pass}");
    assert_eq!(made("B.", suite(&whole)), "");
    for (why, text, fault) in [
        ("", whole.clone(), "why"),
        ("B.", stop.to_owned(), "no case passes"),
        ("B.", pass.to_owned(), "no case hits `a`"),
        ("B.", whole.replace("rule = 'a'\n", ""), "name its rule"),
        ("B.", whole.replace("'a'", "'b'"), "the text has no rule `b`"),
        ("B.", whole.replace("'deny'", "['abstain', 'deny']"), "no case is stopped"),
    ] {
        let faults = made(why, suite(&text));
        assert!(faults.contains(fault), "{fault}: {faults}");
    }
    let parts = [policy.clone(), suite(&whole), shown.clone()];
    for left_out in 0..3 {
        let some: Vec<Block> =
            parts.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, part)| part.clone()).collect();
        Recipe::new("A", "B.", &some).unwrap_err();
    }
}
