//! Where Claude Code has its hooks: the settings files, a plugin, or a given file.
//!
//! Determines the files of a registration. `settings` has their content, and `plugin` has a plugin's own files.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::settings::{AFTER, BEFORE, END, Entry, add, strip};
use super::survey;
use super::{plugin, script, version};
use crate::command::{self, ProgramNames, StartedHook, arguments, text};
use crate::entries::Shape;
use crate::install::{
    Action, FailureBehavior, FoundHook, HookLocation, InstallError, InstallOptions, ManagedFile, Registration, Scope,
    Survey, next_steps_of_managed, serve_line,
};
use crate::matcher::Matching;
use guard_contract::Outcome;
use guard_harness::capabilities;
use guard_harness::response::BLOCK;
use guard_harness::{Answer, Reply};
use guard_platform::paths::native;
use guard_state::registrations::Record;

/// The variable that replaces the folder `~/.claude`.
const FOLDER_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

/// The flag for the folder of settings files.
pub(super) const SETTINGS_DIR: &str = "--settings-dir";

/// The harness's name in the hook's command line.
pub(super) const NAME: &str = "claude";

/// The tools that run commands or write files.
pub(super) const TOOLS: [&str; 4] = ["Bash", "Write", "Edit", "MultiEdit"];

/// The file of the administrator's settings. Claude Code also reads the files in the folder beside it.
pub(super) const MANAGED_FILE: &str = "managed-settings.json";

/// The registration with Claude Code.
pub(crate) struct ClaudeCode;

impl Registration for ClaudeCode {
    fn title(&self) -> &'static str {
        capabilities::CLAUDE.title
    }

    fn pieces(&self, options: &InstallOptions, site: HookLocation<'_>) -> Result<Vec<ManagedFile>, InstallError> {
        if let Some(why) = options.server.as_ref().and_then(|_| version::too_old_for_server(site)) {
            return Err(InstallError::Arguments(why));
        }
        let target = target(options, site)?;
        let mut pieces = Vec::new();
        if let Some(plugin) = &options.plugin {
            pieces.extend(plugin::pieces(plugin, site)?);
        }
        let shim = options.shim.as_deref().map(|name| script::place(name, options, &target, site)).transpose()?;
        if let (Some(path), true) = (&shim, options.is_confirming()) {
            // A person starts this script, not the harness.
            let text = script::confirming_text(path, options, site)?;
            pieces.push(script::piece(path.clone(), text, &target, site));
            return Ok(pieces);
        }
        let entry = entry(options, site, &target, shim.as_deref())?;
        if let Some(path) = shim {
            let text = script::hook_text(&path, options, site)?;
            pieces.push(script::piece(path, text, &target, site));
        }
        let (names, again) = (target.names(site), target.names(site));
        let shape = target.shape;
        pieces.push(ManagedFile::Shared {
            path: target.file,
            within: target.within,
            mode: target.mode,
            is_secret: options.server.is_some(),
            blank: "{}\n",
            add: Box::new(move |text| add(text, shape, &entry, &names)),
            strip: Box::new(move |text| strip(text, shape, &again)),
        });
        Ok(pieces)
    }

    fn retired(&self, options: &InstallOptions, site: HookLocation<'_>, aim: Action) -> Vec<ManagedFile> {
        let Ok(target) = target(options, site) else { return Vec::new() };
        if options.is_confirming() {
            return Vec::new();
        }
        let wanted = options.shim.as_deref().and_then(|name| script::place(name, options, &target, site).ok());
        let survey = survey::of(options, site);
        let (here, elsewhere): (Vec<_>, Vec<_>) = survey.found.iter().partition(|found| found.place == target.file);
        let asked = options.policies();
        let is_covered = |found: &&FoundHook| {
            asked.is_empty() || !found.only.is_empty() && found.only.iter().all(|name| asked.contains(name))
        };
        let mut scripts: Vec<PathBuf> =
            here.into_iter().filter(is_covered).filter_map(|found| found.script.clone()).collect();
        scripts.sort();
        scripts.dedup();
        // `install` didn't write scripts in other folders, and never writes through links.
        scripts.retain(|path| {
            let used = elsewhere.iter().any(|found| found.script.as_ref() == Some(path));
            let is_recorded = || Record::read(&site.dirs.state, path).is_some();
            let is_of_install = path.parent() == Some(&*script::folder(&target)) || is_recorded();
            let made = is_of_install && path.symlink_metadata().is_ok_and(|data| data.is_file());
            made && !used && wanted.as_ref() != Some(path)
        });
        if aim == Action::Uninstall {
            scripts.extend(script::confirming(&target, site));
        }
        scripts.into_iter().map(|path| script::piece(path, String::new(), &target, site)).collect()
    }

    fn next_steps(&self, options: &InstallOptions, site: HookLocation<'_>) -> Vec<String> {
        let mut steps = script::next_steps(options, site);
        if options.is_confirming() {
            return steps;
        }
        match &options.plugin {
            Some(folder) => steps.extend(plugin::next_steps(folder, site)),
            None => {
                steps.push("start a new session of Claude Code; `/hooks` shows the entry".to_owned());
                steps.push(format!(
                    "run `guard-host doctor{}`: it tests that dangerous calls are blocked",
                    options.named_file()
                ));
            }
        }
        if options.scope == Some(Scope::Project) && !options.shared {
            steps
                .push("keep `settings.local.json` out of the repository: it contains paths of this machine".to_owned());
        }
        if options.managed {
            steps.extend(next_steps_of_managed(site));
        }
        if options.shared && options.plugin.is_none() {
            steps.push("commit the file; everybody who works here needs `guard-host` on the PATH".to_owned());
        }
        let matcher = options.matcher.as_deref().unwrap_or_default();
        if let Some(unasked) = Matching::Names.excluded_tools(matcher, &TOOLS).ok().filter(|tools| !tools.is_empty()) {
            steps.push(format!("know that with this matcher {} run unasked", unasked.join(", ")));
        }
        if let Some(server) = &options.server {
            let start = serve_line(&server.address.to_string(), site);
            steps.push(format!("start `{start}`: without it, Claude Code blocks every call"));
            steps.push(
                "know that Claude Code before 2.1.295 lets a call run that the server does not answer".to_owned(),
            );
        }
        if options.fail_open {
            let text = "a payload that cannot be read is reported and the call goes on; \
                        set `on-malformed = \"allow\"` in your guard.toml to have no report either";
            steps.push(text.to_owned());
        }
        steps
    }

    fn takes_server(&self) -> bool {
        true
    }

    fn tools(&self) -> Vec<&'static str> {
        TOOLS.to_vec()
    }

    fn survey(&self, options: &InstallOptions, site: HookLocation<'_>) -> Survey {
        survey::of(options, site)
    }

    fn when_it_fails(&self, blocks: bool) -> FailureBehavior {
        let text = match blocks {
            true if cfg!(windows) => "if the program is gone or fails, the call is blocked (by `onFailure`)",
            true => {
                "if the program is gone or fails, the call is blocked (by the line that starts it, and by `onFailure`)"
            }
            false => "if the program is gone or fails, the call passes unasked (there is no `onFailure`)",
        };
        let remedy = if blocks { "" } else { "run `guard-host install claude` without `--fail-open`" };
        FailureBehavior { text: text.to_owned(), remedy: remedy.to_owned() }
    }

    fn payload(&self, command: &str, cwd: &Path) -> String {
        self.payload_of("Bash", &json!({ "command": command }), cwd).unwrap_or_default()
    }

    fn payload_of(&self, tool: &str, input: &serde_json::Value, cwd: &Path) -> Option<String> {
        let payload = json!({
            "session_id": "guard-host-doctor", "cwd": cwd, "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        });
        Some(payload.to_string())
    }

    fn is_deny(&self, reply: &Reply) -> bool {
        reply.exit == BLOCK && denied(&reply.stdout).is_some_and(|reason| reply.stderr == format!("{reason}\n"))
    }

    fn is_deny_of_server(&self, body: &str) -> bool {
        denied(body).is_some()
    }
}

/// Returns the reason in a reply that denies.
fn denied(text: &str) -> Option<String> {
    let answer = Answer::from_text(text).ok().filter(|answer| answer.outcome == Outcome::Deny)?;
    Some(answer.reason).filter(|reason| !reason.is_empty())
}

/// The file with the entry, and its properties.
pub(super) struct Target {
    pub(super) file: PathBuf,
    pub(super) shape: Shape,
    pub(super) within: Option<PathBuf>,
    mode: u32,
    /// The value of `${CLAUDE_PLUGIN_ROOT}`.
    pub(super) plugin: Option<PathBuf>,
}

impl Target {
    /// Returns the names by which an entry of this program is recognized.
    pub(super) fn names(&self, site: HookLocation<'_>) -> ProgramNames {
        ProgramNames::at(site, NAME, self.plugin.clone())
    }
}

/// Returns the folders of the settings for all users: on Linux or Windows, and on macOS.
pub(super) fn managed_folders(site: HookLocation<'_>) -> [PathBuf; 2] {
    let here = match cfg!(windows) {
        true => PathBuf::from(r"C:\Program Files\ClaudeCode"),
        false => site.dirs.machine().join("claude-code"),
    };
    [here, PathBuf::from("/Library/Application Support/ClaudeCode")]
}

/// Returns the folder of the user's settings.
pub(super) fn user_folder(site: HookLocation<'_>) -> PathBuf {
    let moved = site.environment.variables.get(FOLDER_VARIABLE).filter(|folder| Path::new(folder).is_absolute());
    moved.map_or_else(|| native(&site.environment.home).join(".claude"), PathBuf::from)
}

/// Determines the file from the options.
pub(super) fn target(options: &InstallOptions, site: HookLocation<'_>) -> Result<Target, InstallError> {
    let refuse = |text: &str| Err(InstallError::Arguments(text.to_owned()));
    let absolute = |path: &Path| native(&site.environment.cwd).join(path);
    let named = [options.plugin.is_some(), options.hooks_file.is_some(), options.scope.is_some(), options.managed];
    if named.into_iter().filter(|is_given| *is_given).count() > 1 {
        return refuse("`--scope`, `--managed`, `--plugin` and `--hooks-file` each name the place; give one of them");
    }
    if options.managed {
        if options.shared || options.shim.is_some() || options.server.is_some() {
            return refuse("`--managed` can't be combined with `--shared`, `--shim` or `--http`");
        }
        let [other, macos] = managed_folders(site);
        let file = if cfg!(target_os = "macos") { macos } else { other }.join(MANAGED_FILE);
        return Ok(Target { file, shape: Shape::Wrapped, within: None, mode: 0o644, plugin: None });
    }
    if options.shared && options.scope == Some(Scope::User) {
        return refuse("`--shared` is for files that others get; your own settings are not");
    }
    if let Some(plugin) = &options.plugin {
        let plugin = absolute(plugin);
        let file = plugin.join("hooks/hooks.json");
        let within = Some(plugin.clone());
        return Ok(Target { file, shape: Shape::Wrapped, within, mode: 0o644, plugin: Some(plugin) });
    }
    if let Some(file) = &options.hooks_file {
        let file = absolute(file);
        // Plugins and settings have their hooks below a key. A bare hooks file has the events at the top level.
        let parent = |depth| file.ancestors().nth(depth).unwrap_or(Path::new("/"));
        let of_plugin = parent(2).join(".claude-plugin").is_dir();
        let bare = file.file_name().is_some_and(|name| name == "hooks.json") && !of_plugin || has_bare_shape(&file);
        let plugin = of_plugin.then(|| parent(2).to_path_buf());
        let shape = if bare { Shape::Bare } else { Shape::Wrapped };
        return Ok(Target { file, shape, within: None, mode: 0o644, plugin });
    }
    let project = |name: &str, mode| Target {
        file: site.project.join(".claude").join(name),
        shape: Shape::Wrapped,
        // A repository can contain a link, which must not lead to the user's other files.
        within: Some(site.project.to_path_buf()),
        mode,
        plugin: None,
    };
    match (options.scope, options.shared) {
        (_, true) => Ok(project("settings.json", 0o644)),
        (Some(Scope::Project), false) => Ok(project("settings.local.json", 0o600)),
        _ if site.environment.home.is_empty() => {
            refuse("there is no home directory; name the file with `--hooks-file`")
        }
        _ => {
            let file = user_folder(site).join("settings.json");
            Ok(Target { file, shape: Shape::Wrapped, within: None, mode: 0o600, plugin: None })
        }
    }
}

/// Returns whether the file has events at its top level, instead of below `hooks`.
fn has_bare_shape(file: &Path) -> bool {
    let settings = settings_in(file);
    settings.get("hooks").is_none() && [BEFORE, AFTER, END].iter().any(|event| settings.get(event).is_some())
}

/// Reads a settings file. `null` if it can't be read.
pub(super) fn settings_in(file: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// The folder of a hook's settings files in a plugin.
const PLUGIN_SETTINGS: &str = "\"${CLAUDE_PLUGIN_ROOT}\"/hooks/config";

fn entry(
    options: &InstallOptions,
    site: HookLocation<'_>,
    target: &Target,
    shim: Option<&Path>,
) -> Result<Entry, InstallError> {
    let call = |program: String| -> Result<String, InstallError> {
        Ok(format!("{program} {}", command::line(&arguments(options, site, NAME)?)?))
    };
    let line = match shim {
        Some(path) => script::line(path, options, target, site)?,
        None if options.plugin.is_some() && options.has_settings() => {
            format!("{} {SETTINGS_DIR} {PLUGIN_SETTINGS}", call(plugin::PROGRAM.to_owned())?)
        }
        None if options.plugin.is_some() => call(plugin::PROGRAM.to_owned())?,
        None if options.shared => call("guard-host".to_owned())?,
        None => call(command::line(&[text(&site.environment.program)?])?)?,
    };
    let matcher = options.matcher.clone().unwrap_or_else(|| "*".to_owned());
    if let Err(error) = Matching::Names.excluded_tools(&matcher, &TOOLS) {
        let names = TOOLS.join("|");
        let text = format!(
            "`--matcher {matcher}` cannot be read: {error}; name the tools, such as `{names}`, or leave it out for all"
        );
        return Err(InstallError::Arguments(text));
    }
    let script = shim.map(|path| text(path).map(str::to_owned)).transpose()?;
    let started = StartedHook { only: options.policies(), script, ..StartedHook::default() };
    let server = options.server.clone();
    // Other machines or users may read the file with other versions.
    let is_own = !options.shared && !options.managed && options.plugin.is_none() && options.hooks_file.is_none();
    let has_new_events = is_own && version::knows_new_events(site);
    let blocks = !options.fail_open;
    Ok(Entry { matcher, line, timeout: options.timeout, blocks, started, server, has_new_events })
}
