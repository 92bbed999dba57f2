//! `policies/NAME/RULES.md` is generated from doc comments: those of the policy and of each rule's file.
//!
//! `UPDATE_PAGES=1 cargo test --release -p guard-host --test all docs::rules` rewrites the pages. Ids, order, defaults
//! and summaries come from the manifest, as printed by `guard-host policy inspect`. Each example must be a case that
//! runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use guard_kit::suite::{self, Case, Suite};
use serde_json::Value;

use crate::support::pages::root;
use crate::support::world::World;

const UPDATE: &str = "UPDATE_PAGES=1 cargo test --release -p guard-host --test all docs::rules";

const HEAD: &str = "\
This page is generated from doc comments: to change it, edit them and run `UPDATE_PAGES=1 cargo test --release -p guard-host --test all docs::rules`.

In the examples, *denied* calls are blocked, and *asked* calls need confirmation.
For a call that *passes*, the policy reports nothing.
A *noted* call runs, and the finding appears only in `guard-host explain`.
Each example is also a test case in [cases](cases).
";

/// The sections of a rule's doc comment, in order. The first two are required.
const SECTIONS: [&str; 4] = ["Why", "Examples", "Instead", "Settings"];

/// The result in an example, and the outcome of its case.
const ENDS: [(&str, &str); 6] = [
    ("denied", "deny"),
    ("asked", "ask"),
    ("warned", "warn"),
    ("allowed", "allow"),
    ("noted", "abstain"),
    ("passes", "abstain"),
];

/// A rule in the manifest.
pub(crate) struct Rule {
    pub(crate) id: String,
    summary: String,
    default: String,
}

/// Returns the rules of a built-in policy, as printed by `policy inspect`.
pub(crate) fn rules(policy: &str, world: &World) -> Vec<Rule> {
    let ended = world.run(&["policy", "inspect", policy, "--format", "json"], "");
    let about: Value =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{policy}: {error}: {ended:?}"));
    let rules = about["rules"].as_array().unwrap_or_else(|| panic!("{policy}: no rules in {about}"));
    let text = |rule: &Value, key: &str| rule[key].as_str().unwrap().to_owned();
    let rule =
        |rule: &Value| Rule { id: text(rule, "id"), summary: text(rule, "summary"), default: text(rule, "default") };
    rules.iter().map(rule).collect()
}

fn suites(policy: &Path) -> Vec<Suite> {
    let files = suite::find(&policy.join("cases")).unwrap_or_else(|error| panic!("{error}"));
    files.iter().map(|file| suite::read(file).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// Returns the doc comment at the start of a source file.
fn doc(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

/// Returns the rules' classes in settings, by the rule's module, from lines such as `"git": git_push, git_clean;`.
fn classes(policy: &Path) -> BTreeMap<String, String> {
    let source = fs::read_to_string(policy.join("src/rules.rs")).unwrap();
    let mut classes = BTreeMap::new();
    for line in source.lines() {
        let line = line.trim().strip_prefix('"').and_then(|line| line.strip_suffix(';')?.split_once("\": "));
        for module in line.iter().flat_map(|(_, modules)| modules.split(", ")) {
            classes.insert(module.to_owned(), line.unwrap().0.to_owned());
        }
    }
    classes
}

/// An example: `- asked by `rm-glob`: `rm *.log`, with a remark`.
struct Example<'a> {
    end: &'a str,
    by: Option<&'a str>,
    text: &'a str,
    remark: &'a str,
}

fn example(line: &str) -> Option<Example<'_>> {
    let (head, rest) = line.strip_prefix("- ")?.split_once(": ")?;
    let (end, by) = match head.split_once(" by `") {
        Some((end, by)) => (end, Some(by.strip_suffix('`')?)),
        None => (head, None),
    };
    let ticks = rest.len() - rest.trim_start_matches('`').len();
    let (fence, rest) = rest.split_at(ticks);
    let (text, remark) = rest.split_once(fence).filter(|_| ticks > 0)?;
    let text = if ticks > 1 { text.trim() } else { text };
    Some(Example { end, by, text, remark: remark.trim_start_matches(", ") })
}

/// Formats a call as in an example: a command, or a tool and a path.
fn shown(case: &Case) -> Option<String> {
    let of_payload = || case.payload.as_ref()?.get("tool_input")?.as_object().cloned();
    let input = case.input().or_else(of_payload)?;
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    match text("command") {
        Some(command) => Some(command.to_owned()),
        None => Some(format!("{} {}", case.tool(), text("file_path")?)),
    }
}

/// Returns the error in an example. `None` if a case is the same call with the same outcome.
fn fault(rule: &str, line: &str, suites: &[Suite]) -> Option<String> {
    let Some(Example { end, by, text, remark }) = example(line) else {
        return Some(format!("`{line}` is no example: `- denied: CODE`, `- asked by RULE: CODE`, `- passes: CODE`"));
    };
    let Some((_, outcome)) = ENDS.iter().find(|(name, _)| *name == end) else {
        return Some(format!("`{end}` is no end of a call"));
    };
    let by = if end == "passes" { None } else { by.or(Some(rule)) };
    let same =
        |case: &Case| shown(case).as_deref() == Some(text) && case.expect.0 == [*outcome] && case.rule.as_deref() == by;
    let of: Vec<&Suite> = suites.iter().filter(|suite| suite.cases.iter().any(same)).collect();
    if of.is_empty() {
        return Some(format!("no case says that `{text}` is {end}"));
    }
    let plain = of.iter().any(|suite| suite.settings.is_empty());
    (!plain && !remark.starts_with("with ")).then(|| format!("`{text}` needs settings: add `, with ...`"))
}

/// Returns a rule's section of the page, from its doc comment.
fn section(rule: &Rule, doc: &str, suites: &[Suite]) -> Result<String, Vec<String>> {
    let mut faults = Vec::new();
    let mut parts = doc.split("\n## ");
    let about = parts.next().unwrap_or_default();
    let start = format!("`{}`: ", rule.id);
    let Some(about) = about.strip_prefix(&start) else {
        return Err(vec![format!("the doc comment does not begin with `{start}`")]);
    };
    let mut page = format!("## `{}`\n\nDefault: {}. Catches {about}", rule.id, rule.default);
    let mut known = SECTIONS.iter();
    let mut names = Vec::new();
    for part in parts {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        if !known.any(|known| *known == name) {
            faults.push(format!("`## {name}` is not one of {SECTIONS:?}, or not in its place"));
        }
        if text.trim().is_empty() {
            faults.push(format!("`## {name}` is empty"));
        }
        names.push(name);
        page += &format!("\n### {name}\n\n{}\n", text.trim());
        if name == "Examples" {
            let lines: Vec<&str> = text.trim().lines().collect();
            faults.extend(lines.iter().filter_map(|line| fault(&rule.id, line, suites)));
            let has = |wanted: fn(&Example<'_>) -> bool| {
                lines.iter().filter_map(|line| example(line)).any(|one| wanted(&one))
            };
            if !has(|one| one.end != "passes" && one.by.is_none()) {
                faults.push("no example shows the rule's own answer".to_owned());
            }
            if !has(|one| one.end == "passes") {
                faults.push("no example shows a call that passes".to_owned());
            }
        }
    }
    for name in SECTIONS.iter().take(2).filter(|name| !names.contains(*name)) {
        faults.push(format!("`## {name}` is missing"));
    }
    if faults.is_empty() { Ok(page) } else { Err(faults) }
}

/// Returns a policy's page.
fn page(policy: &str, world: &World) -> Result<String, Vec<String>> {
    let folder = root().join("policies").join(policy);
    let rules = rules(policy, world);
    let (suites, classes) = (suites(&folder), classes(&folder));
    let about = doc(&fs::read_to_string(folder.join("src/lib.rs")).unwrap());
    let mut index = String::from("| rule | default | catches |\n|---|---|---|\n");
    if !classes.is_empty() {
        index = String::from("| rule | class | default | catches |\n|---|---|---|---|\n");
    }
    let (mut sections, mut faults) = (Vec::new(), Vec::new());
    for rule in &rules {
        let Rule { id, summary, default } = rule;
        let module = id.replace('-', "_");
        let class = classes.get(&module).map(|class| format!(" {class} |")).unwrap_or_default();
        index += &format!("| [`{id}`](#{id}) |{class} {default} | {summary} |\n");
        let file = format!("policies/{policy}/src/rules/{module}.rs");
        match fs::read_to_string(root().join(&file)) {
            Ok(source) => match section(rule, &doc(&source), &suites) {
                Ok(section) => sections.push(section),
                Err(wrong) => faults.extend(wrong.iter().map(|fault| format!("{file}: {fault}"))),
            },
            Err(error) => faults.push(format!("{file}: {error}")),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let about = about.replacen("`: ", "` ", 1);
    Ok(format!("# Rules of `{policy}`\n\n{about}\n## Rules\n\n{HEAD}\n{index}\n{}", sections.join("\n")))
}

#[test]
fn the_pages_of_the_rules_are_their_doc_comments() {
    let world = World::new();
    let mut faults = Vec::new();
    for builtin in guard_builtins::all() {
        let path = root().join("policies").join(builtin.name).join("RULES.md");
        let page = match page(builtin.name, &world) {
            Ok(page) => page,
            Err(wrong) => {
                faults.extend(wrong);
                continue;
            }
        };
        if std::env::var_os("UPDATE_PAGES").is_some() {
            fs::write(&path, &page).unwrap();
        }
        if fs::read_to_string(&path).unwrap_or_default() != page {
            faults.push(format!("policies/{}/RULES.md is old; run `{UPDATE}`", builtin.name));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn a_rule_whose_doc_lacks_something_makes_no_page() {
    let rule = Rule { id: "a-b".to_owned(), summary: "x".to_owned(), default: "deny".to_owned() };
    let suite: Suite = toml::from_str(
        "[[cases]]\ninput = 'rm a'\nexpect = 'deny'\nrule = 'a-b'\n[[cases]]\ninput = 'ls'\nexpect = 'abstain'\n",
    )
    .unwrap();
    let whole = "`a-b`: a.\n\n## Why\nB.\n\n## Examples\n- denied: `rm a`\n- passes: `ls`\n";
    let suites = [suite];
    section(&rule, whole, &suites).unwrap();
    for (part, other, fault) in [
        ("`a-b`: ", "", "does not begin with"),
        ("## Why\nB.\n\n", "", "`## Why` is missing"),
        ("\nB.\n", "\n", "`## Why` is empty"),
        ("## Examples", "## Example", "`## Examples` is missing"),
        ("- passes: `ls`\n", "", "a call that passes"),
        ("- denied: `rm a`\n", "", "the rule's own answer"),
        ("`rm a`", "`rm b`", "no case says that `rm b` is denied"),
        ("- denied", "- asked", "no case says that `rm a` is asked"),
        ("- passes: `ls`", "`ls` passes", "is no example"),
    ] {
        let faults = section(&rule, &whole.replace(part, other), &suites).unwrap_err();
        assert!(faults.iter().any(|found| found.contains(fault)), "{part}: {faults:?}");
    }
}
