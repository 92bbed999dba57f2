//! Compares a path with an entry of a list, component by component, ASCII case folded.
//!
//! The forms of an entry:
//!
//! - `name`: the last component is `name`,
//! - `folder/name`: the last components are these,
//! - `folder/`: anything below a component `folder`,
//! - `/etc/name`, `/etc/`: the same, from the root,
//! - `~/name`, `~/folder/`: the same, from any user's home directory.
//!
//! `*` matches any text within a component. [`crate::entry`] documents the other patterns. Doesn't access the file
//! system: `.`, `..` and doubled slashes are resolved by text alone. Trailing dots and spaces of a component are
//! ignored, because some file systems drop them, and so is `::$DATA`, the default stream of Windows files.

use std::cell::OnceCell;

use guard_sdk::globs::Glob;
use guard_sdk::paths::without_stream;

use crate::byte_set::ByteSet;

/// The maximum number of components that are compared. Only the end of a deeper path is compared.
const DEEPEST: usize = 256;

/// The name of an unknown file. No file has this name.
const ANY_NAME: &str = "\u{1}";

/// The maximum length of a component in bytes that is compared, which is the limit of file systems.
const LONGEST: usize = 255;

/// The start of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// At any component.
    Anywhere,
    /// At the root of the file system.
    Top,
    /// At any user's home directory.
    Home,
}

/// The features of an entry that rule out most paths, computed once from its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternShape {
    /// `~/name`.
    Home,
    /// `/name`.
    Top,
    /// Several components, or one folder, with the first byte of the first component.
    Several { first: u8 },
    /// A file's name, with its first and last byte.
    Name { first: u8, last: u8 },
}

impl PatternShape {
    pub(crate) const fn parse(entry: &str) -> Self {
        match *entry.as_bytes() {
            [b'~', b'/', ..] => PatternShape::Home,
            [b'/', ..] => PatternShape::Top,
            // Entries are never empty. A wildcard rules nothing out.
            [] => PatternShape::Name { first: b'*', last: b'*' },
            [first, ref rest @ ..] => {
                let mut rest = rest;
                let mut last = first;
                while let [next, after @ ..] = rest {
                    if *next == b'/' {
                        return PatternShape::Several { first };
                    }
                    last = *next;
                    rest = after;
                }
                PatternShape::Name { first, last }
            }
        }
    }

    /// Returns the start of an entry with this shape.
    pub(crate) fn root(self) -> Root {
        match self {
            PatternShape::Home => Root::Home,
            PatternShape::Top => Root::Top,
            PatternShape::Several { .. } | PatternShape::Name { .. } => Root::Anywhere,
        }
    }

    /// Returns the shapes of a list, in its order.
    pub(crate) const fn parse_all<const N: usize>(mut texts: &[&str]) -> [Self; N] {
        let mut shapes = [PatternShape::Home; N];
        let mut left: &mut [Self] = &mut shapes;
        while let ([text, more @ ..], [shape, after @ ..]) = (texts, left) {
            *shape = PatternShape::parse(text);
            (texts, left) = (more, after);
        }
        shapes
    }
}

/// The first and last bytes of a list's entries. They rule out most paths for all entries at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListBytes {
    /// An entry is a glob that may begin with any byte.
    has_globs: bool,
    /// First bytes of [`PatternShape::Home`], [`PatternShape::Top`] and [`PatternShape::Several`].
    home: ByteSet,
    top: ByteSet,
    several: ByteSet,
    /// Last bytes of [`PatternShape::Name`], indexed by the bit of the first byte.
    names: [ByteSet; 64],
}

impl ListBytes {
    pub(crate) const NONE: Self = ListBytes {
        has_globs: false,
        home: ByteSet::NONE,
        top: ByteSet::NONE,
        several: ByteSet::NONE,
        names: [ByteSet::NONE; 64],
    };

    /// Adds an entry. `None` stands for a glob.
    pub(crate) fn add(&mut self, entry: Option<(&str, PatternShape)>) {
        let Some((text, shape)) = entry else {
            self.has_globs = true;
            return;
        };
        let first = || {
            let text = text.strip_prefix('~').unwrap_or(text).trim_start_matches('/');
            text.bytes().next().unwrap_or(b'*')
        };
        match shape {
            PatternShape::Home => self.home = self.home.with_byte(first()),
            PatternShape::Top => self.top = self.top.with_byte(first()),
            PatternShape::Several { first } => self.several = self.several.with_byte(first),
            PatternShape::Name { first, last } => {
                for place in ByteSet::NONE.with_byte(first).indexes() {
                    if let Some(ends) = self.names.get_mut(place) {
                        *ends = ends.with_byte(last);
                    }
                }
            }
        }
    }
}

/// A parsed path.
pub(crate) struct Path<'a> {
    /// The last [`DEEPEST`] components, without `.`, `..` and empty ones.
    components: Vec<&'a str>,
    absolute: bool,
    /// Whether it ends with a slash, and means everything below.
    folder: bool,
    /// First bytes of the components. Any byte if a component has wildcards.
    begins: ByteSet,
    /// First byte of the last component. Any byte if a component has wildcards.
    last_begins: ByteSet,
    /// Last byte of the last component without trailing dots and spaces. Any byte if a component has wildcards.
    last_ends: ByteSet,
    /// The rest of a path that begins with a home directory. Computed on demand.
    below_home: OnceCell<Option<Box<Path<'a>>>>,
}

impl<'a> Path<'a> {
    pub(crate) fn new(path: &'a str) -> Self {
        let mut components = Vec::new();
        for component in path.split('/') {
            match component {
                "" | "." => {}
                ".." => drop(components.pop()),
                name => components.push(without_stream(name)),
            }
        }
        let deep = components.len() > DEEPEST;
        components.drain(..components.len().saturating_sub(DEEPEST));
        Path::from_components(components, path.starts_with('/') && !deep, path.ends_with('/'))
    }

    fn from_components(components: Vec<&'a str>, absolute: bool, folder: bool) -> Self {
        let last = components.last().copied();
        let [begins, last_begins, last_ends] = if has_wildcards(&components) {
            [ByteSet::ANY; 3]
        } else {
            let ends = last.and_then(|name| trim_component(name).bytes().next_back());
            [
                ByteSet::from_names(components.iter().copied()),
                ByteSet::from_names(last),
                ends.map_or(ByteSet::ANY, ByteSet::from_byte),
            ]
        };
        Path { components, absolute, folder, begins, last_begins, last_ends, below_home: OnceCell::new() }
    }

    /// Returns whether an entry of a list with these bytes may cover this path.
    #[inline]
    pub(crate) fn may_be_covered(&self, bytes: &ListBytes) -> bool {
        if self.begins == ByteSet::ANY || bytes.has_globs {
            return true;
        }
        let begins = |path: &Path<'_>, set: ByteSet| path.components.first().is_some_and(|name| set.may_fit(name));
        let ends = bytes.names.get(self.last_begins.index());
        self.begins.intersects(bytes.several)
            || ends.is_some_and(|ends| ends.intersects(self.last_ends))
            || self.absolute && begins(self, bytes.top)
            || self.strip_home().is_some_and(|path| begins(path, bytes.home))
    }

    /// Converts the path to everything below it.
    pub(crate) fn into_folder(self) -> Self {
        Path { folder: true, below_home: OnceCell::new(), ..self }
    }

    /// The last component.
    pub(crate) fn last_component(&self) -> &'a str {
        self.components.last().copied().unwrap_or_default()
    }

    /// Returns whether a component has wildcards, which the shell expands.
    pub(crate) fn has_wildcards(&self) -> bool {
        has_wildcards(&self.components)
    }

    /// Returns the number of components with this name.
    pub(crate) fn count(&self, name: &str) -> usize {
        self.components.iter().filter(|component| component_fits(name, component)).count()
    }

    /// Returns whether `entry` covers this path.
    pub(crate) fn is_covered_by(&self, entry: &str) -> bool {
        self.is_covered(entry, PatternShape::parse(entry))
    }

    /// Returns whether an entry with a known shape covers this path.
    #[inline]
    pub(crate) fn is_covered(&self, entry: &str, shape: PatternShape) -> bool {
        match shape {
            PatternShape::Home => {
                self.strip_home().is_some_and(|path| path.is_covered_from_root(entry.get(2..).unwrap_or_default()))
            }
            PatternShape::Top => self.absolute && self.is_covered_from_root(entry),
            PatternShape::Several { first } => self.begins.has(first) && self.matches(entry, false),
            PatternShape::Name { first, last } => {
                self.last_begins.has(first)
                    && self.last_ends.has(last)
                    && self.components.last().is_some_and(|name| component_fits(entry, name))
            }
        }
    }

    /// Returns whether the components from `root` on match the glob. A folder whose whole content is affected also
    /// matches if its content may.
    pub(crate) fn matches_glob(&self, root: Root, glob: &Glob) -> bool {
        let Some(path) = self.relative_to(root) else { return false };
        let name = |component: &&'a str| {
            let name = trim_component(component);
            // Only the end of a longer name can be compared.
            name.get(name.ceil_char_boundary(name.len().saturating_sub(LONGEST))..).unwrap_or(name)
        };
        let mut components: Vec<&str> = path.components.iter().map(name).collect();
        if glob.fits(&components) {
            return true;
        }
        components.push(ANY_NAME);
        path.folder && glob.fits(&components)
    }

    /// Returns the path below a root. `None` if it isn't known to be there.
    fn relative_to(&self, root: Root) -> Option<&Path<'a>> {
        match root {
            Root::Home => self.strip_home(),
            Root::Top => Some(self).filter(|path| path.absolute),
            Root::Anywhere => Some(self),
        }
    }

    /// Returns whether `entry` covers this path, both relative to the same directory.
    fn is_covered_from_root(&self, entry: &str) -> bool {
        self.begins.may_fit(entry.trim_start_matches('/')) && self.matches(entry, true)
    }

    /// Returns the rest of a path that begins with a home directory, judged by the text.
    fn strip_home(&self) -> Option<&Path<'a>> {
        self.below_home.get_or_init(|| self.without_home().map(Box::new)).as_deref()
    }

    fn without_home(&self) -> Option<Path<'a>> {
        let homes = match self.components.as_slice() {
            // Homes grouped by department, domain or file server.
            ["home" | "Users", group, _, _, ..] if self.absolute && is_group(group) => 3,
            ["home" | "Users", _, ..] if self.absolute => 2,
            // Fedora Atomic, domain accounts, file servers, and build services.
            [_, "home", _, ..] if self.absolute => 3,
            // Mounted disks and copies of systems.
            ["mnt" | "media" | "srv" | "net" | "data" | "run", _, "home" | "Users", _, ..] if self.absolute => 4,
            ["run", "media", _, _, "home" | "Users", _, ..] if self.absolute => 6,
            ["mnt" | "media", "Users", _, ..] if self.absolute => 3,
            ["var", "lib", "jenkins" | "gitlab-runner" | "buildkite-agent", ..] if self.absolute => 3,
            ["root", ..] if self.absolute => 1,
            [first, ..] if !self.absolute && (first.starts_with('~') || matches!(*first, "$HOME" | "${HOME}")) => 1,
            _ => return None,
        };
        Some(Path::from_components(self.components.get(homes..)?.to_vec(), true, self.folder))
    }

    fn matches(&self, entry: &str, rooted: bool) -> bool {
        let wanted = || entry.split('/').filter(|name| !name.is_empty());
        if !entry.ends_with('/') {
            // The last name rules out most paths.
            let mut left = self.components.iter().rev();
            let fits = wanted().rev().all(|wanted| left.next().is_some_and(|name| component_fits(wanted, name)));
            return fits && (!rooted || left.len() == 0);
        }
        let fits = |start: usize| {
            let mut left = self.components.iter().skip(start);
            let fits = wanted().all(|wanted| left.next().is_some_and(|name| component_fits(wanted, name)));
            // Something must be below the folder, at least its trailing slash.
            fits && (self.folder || left.len() > 0)
        };
        let starts = if rooted { 1 } else { self.components.len() };
        (0..starts).any(fits)
    }
}

/// Returns a component without the trailing characters that some file systems drop.
fn trim_component(component: &str) -> &str {
    component.trim_end_matches(['.', ' '])
}

/// Returns whether a component has wildcards, which the shell expands.
fn has_wildcards(components: &[&str]) -> bool {
    components.iter().any(|component| component.contains(['*', '?', '[']))
}

/// Returns whether a folder below the homes' folder is that of a group of people, not a home.
fn is_group(name: &str) -> bool {
    const GROUPS: &[&str] = &[
        "corp",
        "dept",
        "devs",
        "domain",
        "employees",
        "faculty",
        "groups",
        "guests",
        "interns",
        "labs",
        "ldap",
        "members",
        "people",
        "staff",
        "students",
        "team",
        "teams",
        "users",
    ];
    const DOMAINS: &[&str] = &["com", "corp", "edu", "internal", "lan", "local", "net", "org"];
    // `/home/example.org/u`
    let is_domain = name.rsplit_once('.').is_some_and(|(_, end)| DOMAINS.contains(&end));
    is_domain || GROUPS.iter().any(|group| name.eq_ignore_ascii_case(group))
}

/// Returns whether `pattern` matches the whole text, with `*` for any text and `?` for any byte, ASCII case folded.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    wildcard(pattern.as_bytes(), text.as_bytes())
}

/// Returns whether a component, which may have wildcards, is or clearly targets `wanted`.
fn component_fits(wanted: &str, component: &str) -> bool {
    let component = trim_component(component);
    if component.len() > LONGEST {
        // Only the end of such a long name can be compared.
        return wanted.strip_prefix('*').is_some_and(|end| {
            component
                .len()
                .checked_sub(end.len())
                .and_then(|at| component.get(at..))
                .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
        });
    }
    if wildcard(wanted.as_bytes(), component.as_bytes()) {
        return true;
    }
    // A shell pattern targets a listed name if enough of the name is spelled out.
    component.contains(['*', '?', '[']) && !wanted.contains('*') && reaches(component, wanted)
}

/// Returns whether the shell pattern `glob` matches `name` and spells out enough of it.
fn reaches(glob: &str, name: &str) -> bool {
    let prefix = glob.find(['*', '?', '[']).unwrap_or(glob.len());
    let spelled = glob.bytes().filter(|byte| !matches!(byte, b'*' | b'?' | b'[' | b']')).count();
    // A dot and a letter, or a small set of letters, are specific enough: few names begin this way.
    let is_set = || {
        let set = glob.strip_prefix(".[").and_then(|rest| rest.split_once(']'));
        set.is_some_and(|(letters, _)| letters.bytes().all(|letter| letter.is_ascii_alphanumeric()))
    };
    let begins = prefix >= 3 || prefix == 2 && glob.starts_with('.') || is_set();
    let telling = if glob.contains('*') { begins } else { spelled >= 2 };
    // `*.env*` spells out the whole name.
    let is_whole = name.starts_with('.') && glob.trim_matches('*').eq_ignore_ascii_case(name);
    // `.env?` matches the names next to `.env`, such as its backups.
    let neighbours = glob.get(..prefix).is_some_and(|start| start.eq_ignore_ascii_case(name));
    is_whole || telling && (neighbours || expands_to(glob, name))
}

/// Returns whether the shell may expand the pattern to the name. `[0-9]` matches no letter.
fn expands_to(glob: &str, name: &str) -> bool {
    let ranged = CLASSES.iter().fold(glob.to_owned(), |glob, (class, ranges)| glob.replace(class, ranges));
    match Glob::new(&ranged) {
        Ok(exact) if !glob.contains(['{', '\\']) => exact.fits(&[name]),
        _ => wildcard(&sets_to_wildcards(&ranged), name.as_bytes()),
    }
}

/// The character classes of a set, as ranges.
const CLASSES: &[(&str, &str)] = &[
    ("[:alnum:]", "a-zA-Z0-9"),
    ("[:alpha:]", "a-zA-Z"),
    ("[:digit:]", "0-9"),
    ("[:graph:]", "!-~"),
    ("[:lower:]", "a-z"),
    ("[:print:]", " -~"),
    ("[:punct:]", "!-/:-@_"),
    ("[:upper:]", "A-Z"),
];

/// Returns the pattern with each `[...]` replaced by `?`.
fn sets_to_wildcards(glob: &str) -> Vec<u8> {
    let mut simple = Vec::with_capacity(glob.len());
    let mut inside = false;
    for byte in glob.bytes() {
        match (inside, byte) {
            (false, b'[') => {
                inside = true;
                simple.push(b'?');
            }
            (true, b']') => inside = false,
            (true, _) => {}
            (false, byte) => simple.push(byte),
        }
    }
    simple
}

/// Returns whether `pattern`, with `*` and `?`, matches the whole text, in at most `pattern` times `text` steps.
fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(position) {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at + 1, position));
                at += 1;
            }
            Some(wanted) if *wanted == b'?' || wanted.eq_ignore_ascii_case(byte) => {
                at += 1;
                position += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    (at, position) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|byte| *byte == b'*')
}
