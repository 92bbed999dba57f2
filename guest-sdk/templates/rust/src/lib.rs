//! my-policy: a policy of guard-host.
//!
//! It sees what a tool call does, not how it is spelled: commands with their wrappers peeled off, and effects with a
//! stable name and a severity. Each rule below is one function; add yours beside them, and a case to `fixtures/`.

use guard_sdk::syntax::{Analysis, Command, Coverage, Effect, Severity};
use guard_sdk::{Call, Decision, Error, Example, Facts, Finding, Manifest, Outcome, Policy, Rule};
use guard_sdk::{addresses, export, serde_json::Value};
use serde::Deserialize;

const PROTECTED_BRANCH: Rule = rule("protected-branch", "a protected branch is rewritten or removed", Outcome::Deny);
const OUTSIDE_PROJECT: Rule = rule("outside-project", "a change outside of the project", Outcome::Ask);
const ELEVATED: Rule = rule("elevated", "a command with the rights of another user", Outcome::Ask);
const FOREIGN_REGISTRY: Rule = rule("foreign-registry", "packages from another registry", Outcome::Ask);
const UNKNOWN_HOST: Rule = rule("unknown-host", "a connection to a host that is not allowed", Outcome::Ask);
const PRIVATE_KEY: Rule = rule("private-key", "a private key in the text of a file", Outcome::Deny);
const UNCLEAR: Rule = rule("unclear", "a command that cannot be followed to its end", Outcome::Ask);

/// Programs that run a command as another user.
const ELEVATORS: [&str; 3] = ["sudo", "doas", "su"];

const fn rule(id: &'static str, summary: &'static str, default: Outcome) -> Rule {
    Rule { id, summary, default, ceiling: Outcome::Deny }
}

/// The settings in guard.toml, with their defaults.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
struct Settings {
    protected_branches: Vec<String>,
    scratch: Vec<String>,
    registry: String,
    allowed_hosts: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Settings {
            protected_branches: list(&["main", "master"]),
            scratch: list(&["/tmp"]),
            registry: String::new(),
            allowed_hosts: list(&["localhost", "127.0.0.1"]),
        }
    }
}

struct MyPolicy {
    settings: Settings,
}

impl Policy for MyPolicy {
    type Settings = Settings;

    const MANIFEST: Manifest = Manifest {
        id: "my-policy",
        version: env!("CARGO_PKG_VERSION"),
        summary: "keeps changes in the project, branches whole, and traffic to known hosts",
        tools: &["Bash", "Write", "Edit", "MultiEdit", "NotebookEdit"],
        rules: &[
            PROTECTED_BRANCH,
            OUTSIDE_PROJECT,
            ELEVATED,
            FOREIGN_REGISTRY,
            UNKNOWN_HOST,
            PRIVATE_KEY,
            UNCLEAR,
        ],
        examples: &[
            Example {
                tool: "Bash",
                input: r#"{"command": "git push --force origin main"}"#,
                outcome: Outcome::Deny,
                rule: "protected-branch",
            },
            Example { tool: "Bash", input: r#"{"command": "sudo ls"}"#, outcome: Outcome::Ask, rule: "elevated" },
            Example { tool: "Bash", input: r#"{"command": "ls"}"#, outcome: Outcome::Abstain, rule: "" },
        ],
        ..Manifest::EMPTY
    };

    fn configure(settings: Settings) -> Result<Self, Error> {
        Ok(MyPolicy { settings })
    }

    fn decide(&self, call: &Call<'_>) -> Result<Decision, Error> {
        let Analysis { coverage, commands, effects, .. } = call.analysis();
        let (facts, input) = (call.context(), call.input()?);
        let unclear = call.tool() == "Bash" && *coverage != Coverage::Complete;
        let findings = call
            .effects("git.push.")
            .filter_map(|effect| self.protected_branch(effect))
            .chain(effects.iter().filter_map(|effect| self.outside_project(effect, &facts)))
            .chain(commands.iter().filter_map(|command| elevated(command, &facts)))
            .chain(commands.iter().flat_map(|command| self.foreign_registry(command)))
            .chain(call.effects("network").filter_map(|effect| self.unknown_host(effect)))
            .chain(private_keys(&input))
            .chain(unclear.then(|| {
                Finding::new(&UNCLEAR, "the command cannot be followed to its end")
                    .remedy("write it without names that are known only at run time")
            }));
        Ok(findings.collect())
    }
}

impl MyPolicy {
    fn protected_branch(&self, effect: &Effect) -> Option<Finding> {
        let (operation, branch) = (&effect.operation, &effect.target);
        if branch.is_empty() {
            let message = format!("`{operation}` names no branch, and the current one may be protected");
            let finding = Finding::new(&PROTECTED_BRANCH, message).at(Outcome::Ask);
            return Some(finding.remedy("name the branch that you mean"));
        }
        let message = format!("`{operation}` would rewrite or remove `{branch}`, a protected branch");
        let finding = Finding::new(&PROTECTED_BRANCH, message);
        let remedy = "push a branch of your own and open a pull request";
        self.settings.protected_branches.contains(branch).then(|| finding.remedy(remedy))
    }

    fn outside_project(&self, effect: &Effect, facts: &Facts) -> Option<Finding> {
        let path = &effect.path;
        let changes = matches!(effect.kind.as_str(), "write" | "delete" | "metadata") && !path.raw.is_empty();
        let is_scratch = self.settings.scratch.iter().any(|folder| is_below(&path.canonical, folder));
        if !changes || !path.project_relative.is_empty() || is_scratch {
            return None;
        }
        let outcome = if effect.severity >= Severity::Destructive { Outcome::Deny } else { Outcome::Ask };
        let finding = Finding::new(&OUTSIDE_PROJECT, format!("`{}` lies outside of the project", effect.target));
        Some(finding.at(outcome).remedy(format!("stay below `{}`", facts.project_root)))
    }

    fn foreign_registry(&self, command: &Command) -> Vec<Finding> {
        let program = command.program();
        if !["npm", "pnpm", "yarn", "pip", "pip3"].contains(&program) {
            return Vec::new();
        }
        let registry = self.settings.registry.as_str();
        let remedy =
            if registry.is_empty() { "leave the option out".to_owned() } else { format!("use `{registry}`") };
        let foreign = |value: &str| {
            let finding = Finding::new(&FOREIGN_REGISTRY, format!("`{program}` would take packages from `{value}`"));
            let is_own = value.trim_end_matches('/') == registry.trim_end_matches('/');
            (!is_own).then(|| finding.remedy(remedy.as_str()))
        };
        let words = command.argv.iter().map(|word| word.text.as_str());
        let next = words.clone().skip(1).map(Some).chain([None]);
        words.zip(next).filter_map(|(word, next)| foreign(registry_named_by(word, next)?)).collect()
    }

    fn unknown_host(&self, effect: &Effect) -> Option<Finding> {
        let target = &effect.target;
        if !effect.certain {
            let finding = Finding::new(&UNKNOWN_HOST, format!("where `{target}` leads is known only at run time"));
            return Some(finding.remedy("write the address out"));
        }
        let host = addresses::host(target);
        let is_known = self.settings.allowed_hosts.iter().any(|allowed| {
            host.strip_suffix(allowed.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        });
        let finding = Finding::new(&UNKNOWN_HOST, format!("`{host}` is not one of the allowed hosts"));
        (!is_known).then(|| finding.remedy("have it added to `allowed-hosts`"))
    }
}

fn elevated(command: &Command, facts: &Facts) -> Option<Finding> {
    let kinds = command.via.iter().map(|via| via.kind.as_str());
    let by = kinds.chain([command.program()]).find(|kind| ELEVATORS.contains(kind))?;
    // Nobody is asked in this mode.
    let outcome = if facts.permission_mode == "bypassPermissions" { Outcome::Deny } else { Outcome::Ask };
    let finding = Finding::new(&ELEVATED, format!("`{}` runs with the rights of another user", command.word(0)));
    Some(finding.at(outcome).remedy(format!("run it without `{by}`")))
}

fn private_keys(input: &Value) -> Vec<Finding> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let file = text("file_path").or_else(|| text("notebook_path")).unwrap_or_default();
    let found = ["content", "new_string", "new_source"].into_iter().filter_map(text);
    found
        .filter(|text| text.contains("PRIVATE KEY-----"))
        .map(|_| {
            Finding::new(&PRIVATE_KEY, format!("the text for `{file}` holds a private key"))
                .remedy("refer to the key by its path")
        })
        .collect()
}

/// The registry that a word names, alone or together with the next one.
fn registry_named_by<'a>(word: &'a str, next: Option<&'a str>) -> Option<&'a str> {
    let options = ["--registry", "--index-url", "--extra-index-url"];
    if options.contains(&word) {
        return next;
    }
    let (option, value) = word.split_once('=')?;
    options.contains(&option).then_some(value)
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

export!(MyPolicy);

#[cfg(test)]
mod tests {
    use super::*;
    use guard_sdk::testing::World;

    #[test]
    fn a_private_key_is_not_written() {
        let input = r#"{"file_path": "k", "content": "-----BEGIN PRIVATE KEY-----"}"#;
        let decision = World::default().decide::<MyPolicy>("{}", "Write", input).unwrap();
        assert_eq!((decision.outcome, decision.findings.len()), (Outcome::Deny, 1));
    }

    #[test]
    fn a_protected_branch_is_not_pushed_by_force() {
        let push = Effect { target: "main".to_owned(), ..Effect::new("vcs", "git.push.force") };
        let mut world = World::default();
        world.analysis.effects.push(push);
        let decision = world.decide::<MyPolicy>("{}", "Bash", r#"{"command": "git push -f origin main"}"#).unwrap();
        assert_eq!(decision.outcome, Outcome::Deny);
    }
}
