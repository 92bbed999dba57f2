//! `guard-host install` and `uninstall`: adds the hook to a harness's files and removes it.

use std::net::SocketAddr;
use std::path::Path;

use similar::TextDiff;

use super::args::{InstallArgs, UninstallArgs};
use super::serve::TOKEN_HINT;
use super::subject::{call_context, exit_error};
use super::terminal::{answer, is_attended};
use super::{cache, print};
use guard_config::load;
use guard_config::problem::nearest;
use guard_contract::exit::Exit;
use guard_harness::Harness;
use guard_platform::access::is_administrator;
use guard_platform::account::user_of_home;
use guard_platform::paths::native;
use guard_setup::install::{
    Action, Change, HookLocation, InstallError, InstallOptions, Registration, Server, apply, aside, plan,
};
use guard_setup::presence::evidence;
use guard_setup::surroundings::{READ, START, closed_to_users};
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// Installs the hook. `has_paths` means that paths of the program's files were given on the command line.
pub(super) fn install(
    args: &InstallArgs,
    dirs: &AppDirs,
    has_paths: bool,
    environment: &Environment,
) -> anyhow::Result<Exit> {
    if has_paths && args.options().managed {
        let text = "`--managed` can't be combined with `--config`, `--state` or `--cache`";
        return Err(exit_error(Exit::Usage, text, "leave them out: each user has their own files below their home"));
    }
    let at = call_context(environment, None);
    let site = HookLocation { environment, project: &native(&at.project_root), dirs };
    let Some(name) = &args.harness else {
        let chosen = choose(site)?;
        return match chosen.as_slice() {
            [] => Ok(Exit::Choice),
            names => names.iter().try_fold(Exit::Success, |exit, (harness, _)| {
                print::line(&format!("{}:", harness.name()))?;
                let ended = install_to(harness.name(), args, &at.projects(), site)?;
                Ok(if exit == Exit::Success { ended } else { exit })
            }),
        };
    };
    install_to(name, args, &at.projects(), site)
}

/// Registers the hook with one harness, and prepares what its first call needs.
fn install_to(name: &str, args: &InstallArgs, projects: &[String], site: HookLocation<'_>) -> anyhow::Result<Exit> {
    let HookLocation { environment, dirs, .. } = site;
    let (_, registration) = registration(name)?;
    let dry = args.target.dry_run;
    let server = args.http.map(|address| server(address, registration, dirs, dry)).transpose()?;
    let options = InstallOptions { server, ..args.options() };
    check_names(&options, dirs, projects)?;
    note_own_paths(&options, site);
    change(registration, &options, site, Action::Install, dry)?;
    if dry {
        return Ok(Exit::Success);
    }
    let survey = registration.survey(&options, site);
    for (place, setting) in survey.switches.iter().map(|switch| (&switch.place, &switch.setting)) {
        print::note(&format!("warning: no hook runs: `{}` has `{setting}`", place.display()));
    }
    for (place, error) in &survey.unreadable {
        print::note(&format!("warning: no hook of `{}` runs: {error}", place.display()));
    }
    // Each user's own hook prepares its chain.
    if options.managed && user_of_home(&native(&dirs.home)).is_some() {
        return Ok(Exit::Success);
    }
    let warmed = cache::warm(dirs, environment)?;
    let beside = cache::ready_beside(&options.policies(), dirs, environment)?;
    for step in registration.next_steps(&options, site) {
        print::status(&format!("next: {step}"))?;
    }
    Ok(if warmed == Exit::Success { beside } else { warmed })
}

/// Warns about paths on the command line that a registration for other users doesn't have.
fn note_own_paths(options: &InstallOptions, HookLocation { environment, dirs, .. }: HookLocation<'_>) {
    let usual = AppDirs::under_home(&environment.home);
    let pairs = dirs.arguments().into_iter().zip(usual.arguments());
    let given = pairs.filter(|((_, path), (_, usual))| path != usual).map(|((flag, _), _)| format!("`{flag}`"));
    let flags = given.collect::<Vec<_>>().join(", ");
    if (options.shared || options.managed) && !flags.is_empty() {
        print::note(&format!("warning: the hook is registered without {flags}: it uses each user's own files"));
    }
}

/// Lists the harnesses on this machine, and prompts the person at the terminal to choose. Empty if nothing was chosen.
fn choose(site: HookLocation<'_>) -> anyhow::Result<Vec<Registered>> {
    let mut found = Vec::new();
    for (harness, registration) in registrable_harnesses() {
        found.extend(evidence(harness.name(), registration, site).map(|path| ((harness, registration), path)));
    }
    if found.is_empty() {
        let hint = "name it, for example: guard-host install claude; `guard-host install --help` lists the names";
        return Err(exit_error(Exit::Unavailable, "found no harness on this machine", hint));
    }
    print::line("harnesses on this machine:")?;
    for (number, ((harness, registration), path)) in (1..).zip(&found) {
        let (name, title) = (harness.name(), registration.title());
        let is_registered = !registration.survey(&InstallOptions::default(), site).found.is_empty();
        let state = if is_registered { "installed" } else { "" };
        let path = match path.strip_prefix(&site.environment.home) {
            Ok(below) => format!("~/{}", below.display()),
            Err(_) => path.display().to_string(),
        };
        let line = format!("{number:>3}  {title:<17} {path:<24} guard-host install {name:<12} {state}");
        print::line(line.trim_end())?;
    }
    if !is_attended() {
        return Ok(Vec::new());
    }
    let answer = answer("Install to which? [numbers, or Enter for none]")?;
    let words = answer.split([' ', ',']).filter(|word| !word.is_empty());
    let chosen = words.map(|word| {
        let at = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let harness = at.and_then(|at| found.get(at)).map(|(harness, _)| *harness);
        harness.map_or_else(|| registration(word), Ok)
    });
    chosen.collect()
}

pub(super) fn uninstall(args: &UninstallArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let (_, registration) = registration(&args.harness)?;
    let at = call_context(environment, None);
    let site = HookLocation { environment, project: &native(&at.project_root), dirs };
    // Scripts are removed with the registrations that start them, whether they are given or not.
    let options = InstallOptions { shim: None, ..args.target.options() };
    let changes = change(registration, &options, site, Action::Uninstall, args.target.dry_run)?;
    if !args.target.dry_run && changes.iter().all(|change| change.is_none() && !change.kept) {
        let name = &args.harness;
        let hint = "`guard-host self uninstall` lists all registrations";
        print::note(&format!("note: nothing was removed: `{name}` has no registration in this place; {hint}"));
    }
    for script in unregistered_scripts(&changes) {
        print::status(&format!("next: register `{}` again: the settings were changed since it was replaced", script))?;
    }
    Ok(Exit::Success)
}

/// Returns the server at a local address, with its current or future token.
fn server(address: SocketAddr, registration: &dyn Registration, dirs: &AppDirs, dry: bool) -> anyhow::Result<Server> {
    if !registration.takes_server() {
        return Err(exit_error(Exit::Usage, "`--http` is for claude: no other harness posts its calls", ""));
    }
    // A dry run contains no secrets and creates no files.
    let token = if dry { Ok("TOKEN".to_owned()) } else { guard_serve::token(dirs) };
    let token = token.map_err(|error| exit_error(Exit::Config, error.to_string(), TOKEN_HINT))?;
    Ok(Server { address, token })
}

/// Checks the policy names. A name that is neither in the chain nor a built-in would make every call an ask.
fn check_names(options: &InstallOptions, dirs: &AppDirs, projects: &[String]) -> anyhow::Result<()> {
    let chain = load(dirs, projects).entries;
    let is_known = |name: &str| guard_builtins::find(name).is_some() || chain.iter().any(|entry| entry.name == name);
    let Some(unknown) = options.only.iter().find(|name| !is_known(name)) else {
        return Ok(());
    };
    let names: Vec<&str> = chain.iter().map(|entry| entry.name.as_str()).collect();
    let hint = format!("the chain has: {}; `preset` and `[[policy]]` in your guard.toml add others", names.join(", "));
    Err(exit_error(Exit::Usage, format!("`--only` names `{unknown}`, and no policy of the chain has that name"), hint))
}

/// Returns the harness with this name, and its registration.
pub(super) fn registration(name: &str) -> anyhow::Result<Registered> {
    let known = registrable_harnesses();
    let is_meant = |(harness, registration): &&Registered| {
        harness.name() == name || title_in_words(registration.title()) == title_in_words(name)
    };
    if let Some(found) = known.iter().find(is_meant) {
        return Ok(*found);
    }
    if guard_harness::find_harness(name).is_some() {
        let text = format!("`{name}` has no file to register in");
        let hint = format!("let your program start `guard-host hook {name}` with the payload on its standard input");
        return Err(exit_error(Exit::Usage, text, hint));
    }
    let names: Vec<&str> = known.iter().map(|(harness, _)| harness.name()).collect();
    let titles: Vec<String> = known.iter().map(|(_, registration)| title_in_words(registration.title())).collect();
    let title = nearest(&title_in_words(name), &titles.iter().map(String::as_str).collect::<Vec<_>>());
    let of_title = names.iter().zip(&titles).find(|(_, own)| title == Some(own.as_str())).map(|(name, _)| *name);
    let text = format!("there is no harness `{name}` that guard-host registers with");
    // Any short word is within a small edit distance of another one.
    let hint = match nearest(name, &names)
        .or(of_title)
        .filter(|similar| similar.starts_with(title_in_words(name).chars().take(1).collect::<Vec<_>>().as_slice()))
    {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("known harnesses: {}; docs/harness-details.md says what to do with others", names.join(", ")),
    };
    Err(exit_error(Exit::Usage, text, hint))
}

/// Normalizes a title: `Claude Code`, `ClaudeCode` and `claude_code` are the same, as are `Copilot CLI` and `copilot`.
fn title_in_words(title: &str) -> String {
    let lower = title.to_ascii_lowercase();
    let words: Vec<&str> = lower.split([' ', '-', '_']).filter(|word| !matches!(*word, "" | "cli")).collect();
    words.concat()
}

/// A harness and its registration.
pub(super) type Registered = (&'static dyn Harness, &'static dyn Registration);

/// Returns all harnesses with a registration.
pub(super) fn registrable_harnesses() -> Vec<Registered> {
    guard_harness::ALL
        .iter()
        .filter_map(|harness| Some((*harness, guard_setup::registration(harness.name())?)))
        .collect()
}

pub(super) fn change(
    registration: &dyn Registration,
    options: &InstallOptions,
    site: HookLocation<'_>,
    aim: Action,
    dry: bool,
) -> anyhow::Result<Vec<Change>> {
    let to_error = |error: InstallError| match (&error, options.managed) {
        (InstallError::Refused(..) | InstallError::Io(..), true) if !is_administrator() => {
            exit_error(error.exit(), error.to_string(), "nothing was changed; run the command with `sudo`")
        }
        _ => exit_error(error.exit(), error.to_string(), error.hint()),
    };
    let state = &site.dirs.state;
    let changes = registration
        .pieces(options, site)
        .and_then(|pieces| plan(pieces, registration.retired(options, site, aim), aim, state))
        .map_err(to_error)?;
    if options.managed && aim == Action::Install {
        let program = (site.environment.program.as_path(), START);
        let mut files = changes.iter().map(|change| (change.path.as_path(), READ)).chain([program]);
        if let Some(problem) = files.find_map(|(path, bits)| closed_to_users(path, bits, site.dirs)) {
            return Err(exit_error(
                Exit::Unavailable,
                problem.to_string(),
                format!("nothing was changed; {}", problem.hint),
            ));
        }
    }
    if dry {
        changes.iter().try_for_each(show)?;
        return Ok(Vec::new());
    }
    apply(&changes, state).map_err(to_error)?;
    for change in &changes {
        let done = match (change.kept, change.is_none(), &change.after) {
            (true, ..) => "kept, because guard-host didn't write it:",
            (_, true, Some(_)) => "unchanged:",
            (_, true, None) => continue,
            (_, false, Some(_)) => "wrote",
            (_, false, None) => "removed",
        };
        print::status(&format!("{done} {}", change.path.display()))?;
    }
    Ok(changes)
}

/// Returns the names of the scripts that an uninstall restores and that no settings start.
fn unregistered_scripts(changes: &[Change]) -> Vec<String> {
    let is_removed = |path: &Path| changes.iter().any(|change| change.path == aside(path) && change.after.is_none());
    let back = changes.iter().filter(|change| change.after.is_some() && is_removed(&change.path));
    let names = back.filter_map(|change| Some(change.path.file_name()?.to_string_lossy().into_owned()));
    let is_started = |name: &str| {
        let texts =
            changes.iter().filter(|change| !is_removed(&change.path)).filter_map(|change| change.after.as_deref());
        texts.into_iter().any(|text| String::from_utf8_lossy(text).contains(name))
    };
    names.filter(|name| !is_started(name)).collect()
}

/// Prints the change of a file as a unified diff.
pub(super) fn show(change: &Change) -> anyhow::Result<()> {
    let text = |bytes: &Option<Vec<u8>>| match bytes {
        Some(bytes) => std::str::from_utf8(bytes).map(str::to_owned).ok(),
        None => Some(String::new()),
    };
    let path = change.path.display();
    if change.is_none() {
        return print::line(&format!("unchanged: {path}"));
    }
    let (Some(before), Some(after)) = (text(&change.before), text(&change.after)) else {
        let verb = if change.after.is_some() { "written" } else { "removed" };
        return print::line(&format!("Binary file {path} would be {verb}"));
    };
    let named = |bytes: &Option<Vec<u8>>| match bytes {
        Some(_) => path.to_string(),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (named(&change.before), named(&change.after));
    let diff = TextDiff::from_lines(&before, &after);
    let diff = diff.unified_diff().header(&old, &new).to_string();
    // An empty file that is created or removed has no lines to show.
    print::line(diff.trim_end_matches('\n'))
}
