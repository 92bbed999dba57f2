//! Limits on copies of files that git ignores, and the names of files that tools recreate.
//!
//! The tag `disposable` and undo use the same limits: an ignored file is deleted without a prompt only if undo keeps a
//! copy of it, or if a tool recreates it.

/// The maximum size of an ignored file or folder that is copied.
pub const KEPT: Room = Room { bytes: 16 << 20, entries: 1000 };

/// The maximum size of one that a tool recreates.
pub const REMADE: Room = Room { bytes: 1 << 20, entries: 500 };

/// An amount of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// The bytes.
    pub bytes: u64,
    /// The files and folders.
    pub entries: usize,
}

impl Room {
    /// Returns the space left after a file or folder of this size. `None` if it doesn't fit.
    #[must_use]
    pub fn without(self, bytes: u64) -> Option<Self> {
        Some(Room { bytes: self.bytes.checked_sub(bytes)?, entries: self.entries.checked_sub(1)? })
    }
}

/// Names of files and folders from builds, test runs, package managers and caches, in lowercase. Those
/// with a `*` are endings. Longer than command-guard's own list, because these files are also ignored by git.
const NAMES: &[&str] = &[
    "*.a",
    "*.class",
    "*.dll",
    "*.dylib",
    "*.egg-info",
    "*.exe",
    "*.log",
    "*.map",
    "*.o",
    "*.obj",
    "*.pdb",
    "*.pyc",
    "*.pyo",
    "*.rlib",
    "*.so",
    "*.swo",
    "*.swp",
    "*.tmp",
    "*.tsbuildinfo",
    "*-build",
    "*cache",
    "*cache__",
    "*-cache",
    "*_cache",
    ".angular",
    ".astro",
    ".aws-sam",
    ".bloop",
    ".build",
    ".bundle",
    ".coverage",
    ".cxx",
    ".dart_tool",
    ".direnv",
    ".docusaurus",
    ".eggs",
    ".expo",
    ".gradle",
    ".hypothesis",
    ".metals",
    ".next",
    ".nox",
    ".nuxt",
    ".nx",
    ".nyc_output",
    ".output",
    ".pnpm-store",
    ".serverless",
    ".stack-work",
    ".svelte-kit",
    ".swc",
    ".terraform",
    ".tox",
    ".turbo",
    ".venv",
    ".vercel",
    ".vite",
    ".vs",
    ".wrangler",
    ".yarn",
    "__generated__",
    "_build",
    "_site",
    "bazel-bin",
    "bazel-out",
    "bazel-testlogs",
    "bin",
    "bower_components",
    "build",
    "builds",
    "built",
    "cdk.out",
    "coverage",
    "debug",
    "deps",
    "deriveddata",
    "dist",
    "dist-newstyle",
    "elm-stuff",
    "env",
    "gen",
    "generated",
    "htmlcov",
    "jspm_packages",
    "lib",
    "log",
    "logs",
    "node_modules",
    "obj",
    "out",
    "playwright-report",
    "pods",
    "release",
    "site-packages",
    "storybook-static",
    "target",
    "temp",
    "test-results",
    "tmp",
    "vendor",
    "venv",
    "virtualenv",
    "wheelhouse",
    "x64",
    "zig-out",
];

/// Returns whether a tool recreates the path, judged by a name in it. `relative` is the path below the
/// repository's root.
#[must_use]
pub fn is_remade(relative: &str) -> bool {
    let is_known = |name: &str| {
        let name = name.to_ascii_lowercase();
        let fits = |known: &&str| match known.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == **known || is_variant(&name, known),
        };
        NAMES.iter().any(fits)
    };
    relative.split('/').any(is_known)
}

/// Returns whether the name is a build folder's with an addition: `build-linux`, `cmake-build-debug`, `dist.old`.
fn is_variant(name: &str, known: &str) -> bool {
    let is_of_build = matches!(known, "build" | "dist" | "out" | "target");
    is_of_build && name.split(['-', '_', '.']).any(|part| part == known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_builds_and_caches_are_told_from_those_of_data() {
        for path in [
            "node_modules",
            "packages/a/dist/x.js",
            "build-linux",
            "cmake-build-debug",
            ".pytest_cache",
            "__pycache__",
            "obj/*",
            "*.o",
            "target/debug",
            "Pods",
        ] {
            assert!(is_remade(path), "{path}");
        }
        for path in
            ["uploads", "data/raw", "models", "backups", "*.db", "storage/app", "rebuilding", "distances", "videos/*"]
        {
            assert!(!is_remade(path), "{path}");
        }
    }
}
