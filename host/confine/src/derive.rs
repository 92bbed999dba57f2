//! The profile of a command: the effects in its analysis, and the folders of its programs.

use std::path::Path;

use guard_contract::syntax::{Analysis, Effect};
use guard_sensitive_paths::{Lists, matches};

use crate::command_dirs::{canonical, link_on_the_way};
use crate::profile::Profile;
use crate::programs::{Programs, base_name};
use crate::{Attempt, CommandDirs, Refusal};

/// The maximum number of files for one pattern.
const MATCHES: usize = 1_000;

/// The maximum number of commands whose programs are looked up.
const COMMANDS: usize = 1_000;

/// Operations that use the network, but have another effect kind than `network`.
const REMOTE: &[&str] = &["git.push", "git.pull", "git.fetch", "git.clone", "package.install", "package.publish"];

/// Derives a command's permissions from its analysis.
#[must_use]
pub fn derive(analysis: &Analysis, places: &CommandDirs<'_>, lists: &Lists) -> Profile {
    let mut profile = Profile::default();
    for effect in &analysis.effects {
        profile.add(match link_profile(effect, places) {
            Some(profile) => profile,
            None => effect_profile(effect, lists),
        });
    }
    let started = analysis.commands.iter().take(COMMANDS).filter_map(|command| command.argv.first());
    let programs = Programs::load(started.map(|word| base_name(&word.text)));
    for command in analysis.commands.iter().take(COMMANDS) {
        let words: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
        let cwd = if command.cwd.is_empty() { places.cwd.clone() } else { places.absolute(&command.cwd) };
        profile.add(programs.call_profile(&words, &cwd, places));
    }
    // Patterns and the table of programs may also lead through links.
    for list in [&mut profile.read, &mut profile.write, &mut profile.patterns] {
        list.retain(|path| {
            let link = link_on_the_way(Path::new(path.trim_end_matches('/')), places);
            profile.through.extend(link.iter().filter_map(|link| link.to_str()).map(str::to_owned));
            link.is_none()
        });
    }
    let shown = |path: &String| {
        let shown = places.format_path(Path::new(path));
        if path.ends_with('/') { format!("{}/", shown.trim_end_matches('/')) } else { shown }
    };
    profile.read = profile.read.iter().map(shown).collect();
    profile.write = profile.write.iter().map(shown).collect();
    profile.patterns = profile.patterns.iter().map(shown).collect();
    profile.links = profile.links.iter().map(shown).collect();
    profile.through = profile.through.iter().map(shown).collect();
    profile.through.sort();
    profile.through.dedup();
    profile
}

/// Returns the profile of an effect whose path leads through a symbolic link that an earlier command may have created.
/// Policies judge the target, but the link may now lead to another one than the user expects. `None` if there is no
/// such link.
fn link_profile(effect: &Effect, places: &CommandDirs<'_>) -> Option<Profile> {
    let named = Path::new(effect.path.lexical.trim_end_matches('/'));
    if !named.is_absolute() {
        return None;
    }
    let Some(link) = link_on_the_way(named, places) else {
        // In `link/../x`, the link isn't part of the lexical path.
        let (folder, name) = (named.parent()?, named.file_name()?);
        let led = Path::new(effect.path.canonical.trim_end_matches('/'));
        let is_same = led == canonical(named) || led == canonical(folder).join(name);
        return (!is_same).then(|| Profile { through: vec![effect.target.clone()], ..Profile::default() });
    };
    let text = link.to_str()?.to_owned();
    // The link itself is deleted or replaced.
    let is_itself =
        link == named && effect.path.canonical.trim_end_matches('/').ends_with(named.file_name()?.to_str()?);
    Some(match is_itself && matches!(effect.kind.as_str(), "write" | "delete") {
        true => Profile { links: vec![text], ..Profile::default() },
        false => Profile { through: vec![text], ..Profile::default() },
    })
}

/// Returns the profile that would allow what was refused.
#[must_use]
pub fn needs(refused: &[Refusal], places: &CommandDirs<'_>) -> Profile {
    let mut profile = Profile::default();
    for refusal in refused {
        let target = || places.format_path(Path::new(&refusal.target));
        profile.add(match refusal.attempt {
            Attempt::Write => Profile { write: vec![target()], ..Profile::default() },
            Attempt::Read => Profile { read: vec![target()], ..Profile::default() },
            Attempt::Connect if refusal.target.starts_with("unix") => {
                Profile { unix_sockets: true, ..Profile::default() }
            }
            Attempt::Connect => Profile { net: true, ..Profile::default() },
        });
    }
    profile
}

fn effect_profile(effect: &Effect, lists: &Lists) -> Profile {
    let path = effect.path.canonical.as_str();
    if effect.kind == "network" || REMOTE.iter().any(|prefix| effect.operation.starts_with(prefix)) {
        return Profile { net: true, ..Profile::default() };
    }
    if !path.starts_with('/') {
        return Profile::default();
    }
    match effect.kind.as_str() {
        "read" if lists.secret(path).is_some() => Profile { read: expand_pattern(path), ..Profile::default() },
        "write" | "delete" | "metadata" => {
            let mut write = expand_pattern(path);
            if includes_descendants(effect) {
                let content: Vec<String> = write.iter().map(|path| format!("{path}/")).collect();
                // A deleted folder is itself removed, but a written one stays.
                write = if effect.kind == "delete" { [write, content].concat() } else { content };
            }
            // `cp -r a b` copies into `b`, or creates it with everything in it.
            let above = Path::new(path).parent().filter(|above| is_into(effect) && !above.exists());
            write.extend(above.and_then(Path::to_str).map(|above| format!("{above}/")));
            Profile { write, ..Profile::default() }
        }
        _ => Profile::default(),
    }
}

/// Returns whether the effect also applies to everything below its target.
fn includes_descendants(effect: &Effect) -> bool {
    let has = |name: &str| effect.tags.iter().any(|(tag, _)| tag == name);
    let is_deep = ["tree", "archive", "recursive", "into", "below", "patch"].into_iter().any(has);
    let is_deletion = effect.kind == "delete" && effect.path.kind == "dir";
    is_deep || is_deletion || effect.operation == "fs.delete.recursive" || effect.target.ends_with('/')
}

/// Returns whether the target is a name in the folder of the call, if that is a folder.
fn is_into(effect: &Effect) -> bool {
    effect.tags.iter().any(|(tag, _)| tag == "into")
}

/// Returns the files for a path. A pattern in its last name is expanded as in a shell.
fn expand_pattern(path: &str) -> Vec<String> {
    let path = path.trim_end_matches('/');
    let Some((folder, name)) = path.rsplit_once('/') else { return vec!["/".to_owned()] };
    if !path.contains(['*', '?', '[']) {
        return vec![path.to_owned()];
    }
    if folder.contains(['*', '?', '[']) {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|other| matches(name, other)).take(MATCHES).map(|name| format!("{folder}/{name}")).collect()
}

#[cfg(test)]
mod tests {
    use guard_contract::syntax::{Coverage, Severity};
    use guard_contract::{Presence, ResolvedPath};

    use super::*;

    fn effect(kind: &str, operation: &str, path: &str, tags: &[&str]) -> Effect {
        Effect {
            kind: kind.into(),
            operation: operation.into(),
            severity: Severity::Notable,
            target: path.into(),
            path: ResolvedPath {
                raw: path.into(),
                lexical: path.into(),
                canonical: path.into(),
                project_relative: String::new(),
                git_root: String::new(),
                exists: Presence::Yes,
                kind: "file".into(),
            },
            command_id: 1,
            certain: true,
            tags: tags.iter().map(|tag| ((*tag).to_owned(), "true".to_owned())).collect(),
        }
    }

    fn derived(effects: Vec<Effect>) -> Profile {
        let analysis = Analysis {
            coverage: Coverage::Complete,
            reasons: Vec::new(),
            commands: Vec::new(),
            effects,
            scripts: Vec::new(),
        };
        let none = |_: &str| None;
        let places = CommandDirs { cwd: "/w".into(), project: "/w".into(), home: "/home/u".into(), variable: &none };
        derive(&analysis, &places, &Lists::default())
    }

    #[test]
    fn effects_on_files_become_paths() {
        let profile = derived(vec![
            effect("write", "fs.write", "/w/a.txt", &[]),
            effect("write", "fs.write", "/w/a.txt", &["append"]),
            effect("delete", "fs.delete.recursive", "/w/build", &[]),
            effect("write", "fs.write", "/home/u/x", &["tree"]),
            effect("read", "fs.read", "/w/.env", &[]),
            effect("read", "fs.read", "/w/README", &[]),
        ]);
        assert_eq!(profile.write, ["a.txt", "build", "build/", "~/x/"]);
        assert_eq!(profile.read, [".env"]);
        assert!(!profile.net && !profile.unix_sockets);
    }

    #[test]
    fn a_copied_tree_may_be_a_new_folder() {
        assert_eq!(
            derived(vec![effect("write", "fs.write", "/w/new/src", &["into", "tree"])]).write,
            ["new/src/", "new/"]
        );
        assert_eq!(derived(vec![effect("write", "fs.write", "/tmp/src", &["into", "tree"])]).write, ["/tmp/src/"]);
    }

    #[test]
    fn effects_without_a_known_path_allow_nothing() {
        assert_eq!(derived(vec![effect("write", "fs.write", "", &[])]), Profile::default());
        assert_eq!(derived(vec![effect("process", "process.kill", "/w/x", &[])]), Profile::default());
    }

    #[test]
    fn what_reaches_another_machine_has_the_network() {
        assert!(derived(vec![effect("network", "network.request", "", &[])]).net);
        assert!(derived(vec![effect("vcs", "git.push.force", "", &[])]).net);
        assert!(!derived(vec![effect("vcs", "git.reset.hard", "", &[])]).net);
    }

    #[test]
    fn a_pattern_stands_for_the_files_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.o", "b.o", "c.c"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let mut found = expand_pattern(&format!("{}/*.o", folder.path().display()));
        found.sort();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|path| path.ends_with(".o")));
        assert!(expand_pattern("/*/x").is_empty());
    }

    #[test]
    fn a_path_through_a_link_in_the_project_is_not_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for (path, text) in [("p/real.txt", ""), ("out/x.txt", ""), ("p/dir/y.txt", ""), ("linked/z.txt", "")] {
            std::fs::create_dir_all(top.join(path).parent().unwrap()).unwrap();
            std::fs::write(top.join(path), text).unwrap();
        }
        for (target, link) in [("../out/x.txt", "p/a.txt"), ("../out", "p/target"), ("linked", "home")] {
            std::os::unix::fs::symlink(target, top.join(link)).unwrap();
        }
        let none = |_: &str| None;
        let places = CommandDirs { cwd: top.join("p"), project: top.join("p"), home: top.clone(), variable: &none };
        let derived = |kind: &str, lexical: &str, canonical: &str| {
            let mut effect = effect(kind, "fs.x", top.join(canonical).to_str().unwrap(), &[]);
            effect.path.lexical = top.join(lexical).display().to_string();
            let (reasons, commands, scripts) = (Vec::new(), Vec::new(), Vec::new());
            let analysis = Analysis { coverage: Coverage::Complete, reasons, commands, effects: vec![effect], scripts };
            derive(&analysis, &places, &Lists::default())
        };
        for (lexical, canonical, link) in [("p/a.txt", "out/x.txt", "a.txt"), ("p/target/o.txt", "out/o.txt", "target")]
        {
            let profile = derived("write", lexical, canonical);
            assert_eq!((profile.write.len(), profile.through), (0, vec![link.to_owned()]), "{lexical}");
        }
        assert_eq!(derived("write", "p/*.txt", "p/*.txt").write, ["real.txt"]);
        assert_eq!(derived("write", "home/z.txt", "linked/z.txt").write, ["~/linked/z.txt"]);
        assert_eq!(derived("write", "p/real.txt", "p/real.txt").write, ["real.txt"]);
        assert_eq!(derived("write", "p/y", "y").write.len(), 0, "as in `target/../y`");
        let profile = derived("delete", "p/a.txt", "p/a.txt");
        assert_eq!((profile.links, profile.write.len()), (vec!["a.txt".to_owned()], 0));
    }

    #[test]
    fn refusals_say_what_a_profile_needs() {
        let none = |_: &str| None;
        let places = CommandDirs { cwd: "/w".into(), project: "/w".into(), home: "/home/u".into(), variable: &none };
        let refused = [
            Refusal { attempt: Attempt::Write, target: "/w/a".into() },
            Refusal { attempt: Attempt::Read, target: "/home/u/.ssh/id".into() },
            Refusal { attempt: Attempt::Connect, target: "127.0.0.1:80".into() },
        ];
        let (read, write) = (vec!["~/.ssh/id".into()], vec!["a".into()]);
        let expected = Profile { read, write, net: true, ..Profile::default() };
        assert_eq!(needs(&refused, &places), expected);
    }
}
