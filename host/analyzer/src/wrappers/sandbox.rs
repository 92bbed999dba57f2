//! [`Sandbox`]: the file system that a container or sandbox gives its command, according to the command line.

use guard_sdk::syntax::Word;

use crate::options::{Flag, Parsed};
use crate::word::expand::literal;

/// The file system that a command line sets up for its command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Sandbox {
    pub(crate) mounts: Vec<Mount>,
    /// The working directory in the sandbox.
    pub(crate) directory: Option<Word>,
    /// The home in the sandbox, if the command line sets it.
    pub(crate) home: Option<String>,
    /// Whether it contains nothing of this machine except the mounts.
    pub(crate) isolated: bool,
    /// Whether it shares its processes with this machine.
    pub(crate) host_processes: bool,
    /// Whether it is already running.
    pub(crate) joins: bool,
    /// Containers whose mounts it also has.
    pub(crate) mounts_from: Vec<String>,
    /// The name by which later commands refer to it, or empty.
    pub(crate) name: String,
}

/// A mount in the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The source as written. Empty for nothing of this machine.
    pub(crate) source: String,
    pub(crate) target: String,
    pub(crate) read_only: bool,
    /// Whether a source without a slash is a path, and not a volume's name.
    pub(crate) is_path: bool,
}

impl Mount {
    fn path(source: &str, target: &str, read_only: bool) -> Mount {
        Mount { source: source.to_owned(), target: target.to_owned(), read_only, is_path: true }
    }

    /// Creates a mount at the root directory.
    pub(super) fn root(source: &str) -> Mount {
        Mount::path(source, "/", false)
    }

    /// Returns the mount with its source as the target.
    pub(super) fn shared(self) -> Mount {
        Mount { target: self.source.clone(), ..self }
    }

    /// Parses `SOURCE:TARGET:OPTIONS`. `alone`: a source without a target is mounted at its own path.
    fn of_fields(spec: &str, alone: bool) -> Option<Mount> {
        let mut fields = fields(spec).into_iter();
        let source = fields.next().filter(|source| !source.is_empty())?;
        let Some(target) = fields.next() else {
            return Some(if alone { Mount::path(source, source, false) } else { Mount::path("", source, false) });
        };
        let mut options = fields.flat_map(|options| options.split(','));
        // Changes to an overlay stay in the container.
        let read_only = options.any(|option| matches!(option, "ro" | "readonly" | "O"));
        let is_path = alone || source.starts_with(['/', '.', '~', '$', '`']);
        Some(Mount { is_path, ..Mount::path(source, target.trim_end_matches('!'), read_only) })
    }

    /// Parses `type=bind,source=SOURCE,target=TARGET`.
    fn of_pairs(spec: &str) -> Option<Mount> {
        let (mut source, mut device, mut target, mut kind, mut read_only) = ("", "", None, "volume", false);
        for pair in spec.split(',').map(|pair| pair.trim_matches('"')) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, "true"));
            match key.trim().to_ascii_lowercase().as_str() {
                "type" => kind = value,
                "source" | "src" => source = value,
                "target" | "destination" | "dst" => target = Some(value),
                "readonly" | "ro" => read_only = !matches!(value, "false" | "0"),
                "rw" => read_only = matches!(value, "false" | "0"),
                // A volume may be backed by a folder.
                "volume-opt" => device = value.strip_prefix("device=").unwrap_or(device),
                _ => {}
            }
        }
        let is_bind = kind.eq_ignore_ascii_case("bind") || kind.eq_ignore_ascii_case("glob") || source.starts_with('/');
        let source = if !device.is_empty() { device } else { source };
        let of_machine = is_bind || !device.is_empty();
        Some(Mount::path(if of_machine { source } else { "" }, target?, read_only))
    }
}

/// Splits at colons outside expansions.
fn fields(spec: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0_usize, 0, Vec::new());
    for (at, char) in spec.char_indices() {
        match char {
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => {
                found.extend(spec.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    found.extend(spec.get(from..));
    found
}

/// Returns the value of an option, which may follow a letter and `=`.
fn value<'a>(flag: &'a Flag<'_>) -> &'a str {
    flag.text().strip_prefix('=').unwrap_or(flag.text())
}

/// Returns the mounts in the options of docker and similar engines.
pub(crate) fn mounts_of_engine(options: &Parsed<'_>) -> Vec<Mount> {
    let mount = |flag: &Flag<'_>| match flag {
        flag if flag.is_any(&["v", "volume"]) => Mount::of_fields(value(flag), false),
        flag if flag.is("mount") => Mount::of_pairs(flag.text()),
        flag if flag.is("tmpfs") => Some(Mount::path("", fields(flag.text()).first()?, false)),
        _ => None,
    };
    options.flags.iter().filter_map(mount).collect()
}

/// Returns the container that `run` of docker and similar engines creates.
pub(super) fn of_engine(options: &Parsed<'_>) -> Sandbox {
    let last = |names: &[&str]| options.flags.iter().rfind(|flag| flag.is_any(names));
    let set = options.flags.iter().filter(|flag| flag.is_any(&["e", "env"]));
    Sandbox {
        mounts: mounts_of_engine(options),
        directory: last(&["w", "workdir"]).map(|flag| literal(value(flag))),
        home: set.filter_map(|flag| flag.text().strip_prefix("HOME=")).next_back().map(str::to_owned),
        isolated: true,
        host_processes: last(&["pid"]).is_some_and(|flag| flag.text() == "host"),
        joins: false,
        mounts_from: options.flags.iter().filter(|flag| flag.is("volumes-from")).map(of_other).collect(),
        name: last(&["name"]).map(|flag| flag.text().to_owned()).unwrap_or_default(),
    }
}

/// Returns the container in a value of `--volumes-from`.
fn of_other(flag: &Flag<'_>) -> String {
    flag.text().split(':').next().unwrap_or_default().to_owned()
}

/// Returns the container with this name, in which `exec` of docker and similar engines starts a command.
pub(super) fn of_name(name: &str, options: &Parsed<'_>) -> Sandbox {
    let made = of_engine(options);
    Sandbox { mounts: Vec::new(), joins: true, name: name.to_owned(), ..made }
}

/// Returns a plain wrapper's mounts: options with `SOURCE:TARGET` and with a new root.
pub(super) fn mounts_of(options: &Parsed<'_>, binds: &[&str], root: &[&str]) -> Vec<Mount> {
    let mut mounts = Vec::new();
    for flag in &options.flags {
        if flag.is_any(root) && !flag.text().is_empty() {
            mounts.insert(0, Mount::root(flag.text()));
        } else if flag.is_any(binds) {
            let specs = flag.text().split(',').filter_map(|spec| Mount::of_fields(spec, true));
            let is_fixed = flag.is("bind-ro");
            mounts.extend(specs.map(|mount| Mount { read_only: mount.read_only || is_fixed, ..mount }));
        }
    }
    mounts
}

/// Returns the mounts of `bwrap`, whose options have two values.
pub(super) fn mounts_of_bwrap(words: &[Word]) -> Vec<Mount> {
    let mut mounts = Vec::new();
    let mut rest = words;
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        let (one, two) = (tail.first(), tail.get(1));
        let (Some(name), Some(one)) = (first.text.strip_prefix("--"), one) else { continue };
        match (name.trim_end_matches("-try"), two) {
            ("bind" | "dev-bind", Some(two)) => mounts.push(Mount::path(&one.text, &two.text, false)),
            ("ro-bind", Some(two)) => mounts.push(Mount::path(&one.text, &two.text, true)),
            ("tmpfs" | "proc" | "dev" | "mqueue" | "tmp-overlay", _) => mounts.push(Mount::path("", &one.text, false)),
            _ => {}
        }
    }
    mounts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_read_in_every_spelling() {
        let fields =
            |spec: &str| Mount::of_fields(spec, false).map(|it| (it.source, it.target, it.read_only, it.is_path));
        let some = |source: &str, target: &str, fixed, path| Some((source.to_owned(), target.to_owned(), fixed, path));
        assert_eq!(fields("/a:/b"), some("/a", "/b", false, true));
        assert_eq!(fields("./a:/b:ro,z"), some("./a", "/b", true, true));
        assert_eq!(fields("${A:-/x}/a:/b"), some("${A:-/x}/a", "/b", false, true));
        assert_eq!(fields("data:/b"), some("data", "/b", false, false));
        assert_eq!(fields("/b"), some("", "/b", false, true));
        assert_eq!(fields(""), None);
        let pairs = |spec: &str| Mount::of_pairs(spec).map(|it| (it.source, it.target, it.read_only, it.is_path));
        for spec in
            ["type=bind,source=/a,target=/b", "dst=/b,src=/a,type=bind", "\"type=bind\",src=/a,destination=/b,ro=false"]
        {
            assert_eq!(pairs(spec), some("/a", "/b", false, true), "{spec}");
        }
        assert_eq!(pairs("type=bind,src=/a,dst=/b,readonly"), some("/a", "/b", true, true));
        assert_eq!(pairs("type=volume,src=a,dst=/b"), some("", "/b", false, true));
        assert_eq!(pairs("type=volume,dst=/b,volume-opt=o=bind,volume-opt=device=/a"), some("/a", "/b", false, true));
        assert_eq!(pairs("type=bind,src=/a"), None);
    }
}
