//! Targets in the `project.json` files of an nx workspace.

use std::collections::BTreeSet;

use guard_sdk::syntax::Word;

use super::super::task_files::at_keys;
use super::{SCRIPTS, operands};
use crate::sources;
use crate::walk::Walker;
use crate::walk::content::Content;
use crate::walk::started::{Started, values};
use crate::walk::written::GOAL;
use crate::word::expand::literal;

/// The file with a project's targets.
const PROJECT: &str = "/project.json";

/// The maximum number of read projects.
const PROJECTS: usize = 64;

/// The usual folders of projects. Searching all folders would include installed packages.
const FOLDERS: &[&str] = &["apps/", "apps/*/", "libs/", "libs/*/", "packages/", "packages/*/", "tools/"];

/// Options for targets and for projects.
const TARGETS: &[&str] = &["--target", "--targets", "-t"];
const NAMES: &[&str] = &["--project", "--projects", "-p"];

/// Other options with a value.
const VALUED: &[&str] = &["--base", "--configuration", "--exclude", "--head", "--parallel", "-c"];

/// Returns the targets that a call of nx runs, and its projects. Without projects, all of them.
fn called(words: &[Word]) -> (Vec<String>, Vec<String>) {
    let listed = |options: &[&str]| -> Vec<String> {
        let found = options.iter().flat_map(|option| values(words, option));
        found.flat_map(|list| list.text.split(',').map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    let valued = [TARGETS, NAMES, VALUED].concat();
    let mut operands = operands(words, &valued);
    let (mut targets, mut projects) = (listed(TARGETS), listed(NAMES));
    match operands.next() {
        Some("run") => {
            let mut parts = operands.next().unwrap_or_default().split(':');
            projects.extend(parts.next().map(str::to_owned));
            targets.extend(parts.next().map(str::to_owned));
        }
        Some("affected" | "run-many") | None => {}
        Some(target) => {
            targets.push(target.to_owned());
            projects.extend(operands.next().map(str::to_owned));
        }
    }
    (targets, projects)
}

impl Walker {
    /// Returns the commands of the targets that a call of nx runs, in the projects of the workspace.
    pub(super) fn nx_targets(&mut self, words: &[Word]) -> Vec<Started> {
        let (targets, projects) = called(words);
        let Some((config, _)) = self.nearest(None, &["nx.json"]).filter(|_| !targets.is_empty()) else {
            return Vec::new();
        };
        let root = config.trim_end_matches("/nx.json").to_owned();
        // A project is mostly named after its folder.
        let last = |name: &String| name.rsplit('/').next().unwrap_or(name).to_owned();
        let names: Vec<String> =
            if projects.is_empty() { vec!["*".to_owned()] } else { projects.iter().take(SCRIPTS).map(last).collect() };
        let mut paths = BTreeSet::new();
        for name in &names {
            for folder in FOLDERS {
                let path = format!("{root}/{folder}{name}{PROJECT}");
                if path.contains('*') {
                    paths.extend(sources::list(&path));
                } else {
                    paths.insert(path);
                }
            }
        }
        let mut found = Vec::new();
        for path in paths.into_iter().take(PROJECTS) {
            let Some(content) = self.running(&path) else { continue };
            let Some(project) = self.json(&path, &content) else { continue };
            let mut commands = Vec::new();
            for target in targets.iter().take(SCRIPTS) {
                let target = project.get("targets").and_then(|all| all.get(target.as_str()));
                target.iter().for_each(|target| at_keys(target, &["command", "commands"], &mut commands));
            }
            if commands.is_empty() {
                continue;
            }
            let text = literal(&commands.join("\n"));
            found.push(Started {
                name: format!("{path}{GOAL}{}", targets.join(" ")),
                argv: Vec::new(),
                content: Content { text, is_excerpt: true, ..content },
                sure: false,
                is_given: false,
                folder: Some(root.clone()),
            });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_name_targets_and_projects() {
        for (call, targets, projects) in [
            ("run web:build", &["build"][..], &["web"][..]),
            ("run web:build:production", &["build"], &["web"]),
            ("build web --configuration production", &["build"], &["web"]),
            ("run-many -t build,test", &["build", "test"], &[]),
            ("run-many --targets=build --projects=web,api", &["build"], &["web", "api"]),
            ("affected -t lint", &["lint"], &[]),
        ] {
            let words: Vec<Word> = call.split(' ').map(literal).collect();
            let (own_targets, own_projects) = called(&words);
            assert_eq!(own_targets, targets, "{call}");
            assert_eq!(own_projects, projects, "{call}");
        }
    }
}
