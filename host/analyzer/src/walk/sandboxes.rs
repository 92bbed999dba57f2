//! Containers, sandboxes and logins: the state of a command's shell in them.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Walker;
use super::shell::{Shell, resolve};
use crate::view::{Inside, View};
use crate::wrappers::layer::place_of;
use crate::wrappers::sandbox::{Mount, Sandbox};

impl Walker {
    /// Returns the file systems of commands for which it isn't just this machine's.
    pub(crate) fn file_systems(&self) -> &BTreeMap<u32, Inside> {
        &self.files.inside
    }

    /// Enters a container, or another file system.
    pub(super) fn enter_sandbox(&mut self, sandbox: &Sandbox) {
        let known =
            if sandbox.joins { self.files.containers.get(&sandbox.name).cloned() } else { self.view_in(sandbox) };
        let directory = sandbox.directory.as_ref().and_then(|word| self.host_text(&word.text));
        let is_lost = sandbox.mounts.iter().any(|mount| mount.target == "/" && self.source(mount).is_none());
        let Some(view) = known else {
            // It contains nothing of this machine.
            self.shell = Shell::new("", "");
            return;
        };
        if sandbox.isolated {
            self.shell = Shell::new("", &view.home);
        } else if is_lost || view.host(&self.shell.cwd).is_none() {
            self.shell.lose_directory();
        }
        if let Some(directory) = directory.filter(|_| !is_lost) {
            self.shell.cwd = directory;
        }
        self.shell.view = Some(view);
    }

    /// Returns the file system of a new container. `None` if it contains nothing of this machine.
    fn view_in(&mut self, sandbox: &Sandbox) -> Option<Rc<View>> {
        let nothing = || Rc::new(View::new(true, String::new()));
        let is_elsewhere = self.shell.view.is_none() && !place_of(&self.scope.via).is_empty();
        let outer = if is_elsewhere { Some(nothing()) } else { self.shell.view.clone() };
        let mut view = match &outer {
            Some(outer) if !sandbox.isolated => View::clone(outer),
            _ => View::new(sandbox.isolated, self.home_inside(sandbox)),
        };
        view.host_processes = sandbox.host_processes && !is_elsewhere;
        if !is_elsewhere && self.shell.view.is_none() {
            view.host_home = self.shell.home_text().unwrap_or_default();
        }
        let mut has_host = view.host_processes || !sandbox.isolated;
        for mount in &sandbox.mounts {
            let source = self.source(mount);
            let Some(target) = self.host_text(&mount.target) else { continue };
            if source.is_none() && target == "/" {
                // An unknown root may be any path.
                continue;
            }
            has_host |= source.is_some();
            if !view.mount(outer.as_deref(), source.as_deref(), &target, mount.read_only) {
                self.partial("a container has more mounts than are followed");
                break;
            }
        }
        for other in sandbox.mounts_from.iter().filter_map(|name| self.files.containers.get(name)) {
            has_host = true;
            view.mount(Some(other), Some("/"), "/", false);
        }
        let view = has_host.then(|| Rc::new(view));
        if let Some(view) = view.as_ref().filter(|_| !sandbox.name.is_empty()) {
            self.files.containers.insert(sandbox.name.clone(), view.clone());
        }
        view
    }

    /// Returns the mounted path. `None` if it is a volume, or unknown.
    fn source(&self, mount: &Mount) -> Option<String> {
        let is_path = mount.is_path && !mount.source.is_empty();
        if is_path { self.host_text(&mount.source) } else { None }
    }

    /// Returns a path as the outer shell expands it without quotes.
    fn host_text(&self, text: &str) -> Option<String> {
        let home = self.shell.home_text().unwrap_or_default();
        let places = [
            ("~", &home),
            ("$HOME", &home),
            ("${HOME}", &home),
            ("${HOME:?}", &home),
            ("$PWD", &self.shell.cwd),
            ("${PWD}", &self.shell.cwd),
            ("$(pwd)", &self.shell.cwd),
            ("`pwd`", &self.shell.cwd),
        ];
        let begins = |(name, folder): &(&str, &String)| {
            let rest = text.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
            (!folder.is_empty()).then(|| format!("{folder}{rest}"))
        };
        let path = places.iter().find_map(begins).unwrap_or_else(|| text.to_owned());
        if path.starts_with(['~', '$', '`']) { None } else { resolve(&self.shell.cwd, &path) }
    }

    /// Returns the home in a container: as set, or according to a mount's target.
    fn home_inside(&self, sandbox: &Sandbox) -> String {
        if !sandbox.isolated {
            return self.shell.home_text().unwrap_or_default();
        }
        if let Some(home) = &sandbox.home {
            return self.host_text(home).unwrap_or_default();
        }
        let of_user = |mount: &Mount| {
            let target = self.host_text(&mount.target)?;
            let user = target.strip_prefix("/home/")?.split('/').next()?.to_owned();
            Some(format!("/home/{user}"))
        };
        sandbox.mounts.iter().find_map(of_user).unwrap_or_else(|| "/root".to_owned())
    }

    /// Enters the home of a user of this machine, or of the container in which the login happens.
    pub(super) fn log_in(&mut self, user: &str) {
        let view = self.shell.view.take();
        let home = match &view {
            Some(view) => view.home.clone(),
            None if !place_of(&self.scope.via).is_empty() => String::new(),
            None => self.shell.home_text().unwrap_or_default(),
        };
        let home = match user {
            "" => home,
            user if home.ends_with(&format!("/{user}")) || home.is_empty() => home,
            "root" => "/root".to_owned(),
            user => format!("/home/{user}"),
        };
        self.shell = Shell::new(&home, &home);
        self.shell.view = view;
    }

    /// Returns to the machine outside the container, if the container sees its processes.
    pub(super) fn leave_container(&mut self) {
        match &self.shell.view {
            Some(view) if view.host_processes => self.shell = Shell::new("", &view.host_home),
            _ => self.shell.lose_directory(),
        }
    }
}
