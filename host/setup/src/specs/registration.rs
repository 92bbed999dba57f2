//! The [`Registration`] for every [`RegistrationSpec`].

use std::path::Path;

use serde_json::Value;

use super::{RegistrationSpec, plugins, survey};
use crate::install::{
    Action, FailureBehavior, HookLocation, InstallError, InstallOptions, ManagedFile, Registration, Scope, Survey,
    next_steps_of_managed,
};
use guard_harness::Reply;
use guard_harness::capabilities::{Confidence, Deny};

impl Registration for RegistrationSpec {
    fn title(&self) -> &'static str {
        self.capabilities.title
    }

    fn pieces(&self, options: &InstallOptions, site: HookLocation<'_>) -> Result<Vec<ManagedFile>, InstallError> {
        let hook = self.hook(options, site)?;
        let dirs = self.dirs(options, site)?;
        let of_others = options.managed || dirs.iter().any(|(_, within)| within.is_some());
        let mode = if of_others { 0o644 } else { 0o600 };
        Ok(dirs.into_iter().map(|(path, within)| self.piece(path, within, mode, &hook, site)).collect())
    }

    fn retired(&self, options: &InstallOptions, site: HookLocation<'_>, _: Action) -> Vec<ManagedFile> {
        let (name, path) = plugins::RETIRED;
        let Ok(hook) = self.hook(options, site) else { return Vec::new() };
        let is_users = self.capabilities.name == name
            && options.scope != Some(Scope::Project)
            && !options.shared
            && !options.managed;
        is_users.then(|| self.piece(self.place(path, site), None, 0o755, &hook, site)).into_iter().collect()
    }

    fn next_steps(&self, options: &InstallOptions, site: HookLocation<'_>) -> Vec<String> {
        let (name, title) = (self.capabilities.name, self.capabilities.title);
        let mut steps: Vec<String> = self.gates.iter().map(|gate| (*gate).to_owned()).collect();
        steps.push(format!("start a new session of {title}, then run `guard-host doctor {name}`: it tries a deny"));
        let dirs = self.dirs(options, site).unwrap_or_default();
        let shown = dirs.first().map(|(path, _)| path.display().to_string()).unwrap_or_default();
        match (options.shared, options.scope) {
            (true, _) => {
                steps.push(format!("commit `{shown}`; everybody who works here needs `guard-host` on the PATH"));
            }
            (_, Some(Scope::Project)) => {
                steps.push(format!("keep `{shown}` out of the repository: it contains paths of this machine"));
            }
            _ => {}
        }
        if options.managed {
            steps.extend(next_steps_of_managed(site));
            steps.push(format!(
                "know that nobody has seen {title} read this file: `guard-host doctor {name}` tries the command"
            ));
        }
        let names: Vec<&'static str> = self.tools.iter().map(|(name, _)| *name).collect();
        let matcher = options.matcher.as_deref().unwrap_or_default();
        if let Some(unasked) = self.matching.excluded_tools(matcher, &names).ok().filter(|tools| !tools.is_empty()) {
            steps.push(format!("know that with this matcher {} run unasked", unasked.join(", ")));
        }
        let failing = self.failing(!options.fail_open);
        steps.push(format!("know that {}", failing.text));
        if self.capabilities.confidence != Confidence::High {
            steps.push(format!(
                "know that not all of this was seen with {title} itself; docs/harness-details.md says what"
            ));
        }
        steps
    }

    fn tools(&self) -> Vec<&'static str> {
        self.tools.iter().map(|(name, _)| *name).collect()
    }

    fn survey(&self, _: &InstallOptions, site: HookLocation<'_>) -> Survey {
        survey::of(self, site)
    }

    fn when_it_fails(&self, blocks: bool) -> FailureBehavior {
        self.failing(blocks)
    }

    fn unverified(&self) -> &'static [&'static str] {
        self.capabilities.unverified
    }

    fn payload(&self, command: &str, cwd: &Path) -> String {
        (self.payload)(command, cwd).to_string()
    }

    fn is_deny(&self, reply: &Reply) -> bool {
        let (place, denies, reason) = self.denial;
        let output: Value = serde_json::from_str(&reply.stdout).unwrap_or_default();
        let said = output.pointer(place).is_some_and(denies)
            && output.pointer(reason).and_then(Value::as_str).is_some_and(|reason| !reason.is_empty());
        let exited = reply.exit == 2 && !reply.stderr.trim().is_empty();
        match self.capabilities.surfaces.first().map(|surface| surface.deny) {
            Some(Deny::Exit) => exited,
            Some(Deny::Both) => exited && said,
            _ => reply.exit == 0 && said,
        }
    }
}
