//! Caches that tools keep in the home, and fill again by downloading or building. Deleting them loses nothing.

use guard_sdk::syntax::Effect;

use crate::blast_radius::is_inside;
use crate::call_view::CallView;

/// The systems' folders for caches, below the home.
const PARENTS: &[&str] = &[".cache", "Library/Caches"];

/// Folders of tools in a system's folder for caches. Others there may contain models, sign-ins or virtual environments.
const IN_PARENTS: &[&str] = &[
    "CocoaPods",
    "Cypress",
    "Homebrew",
    "Yarn",
    "bazel",
    "bazelisk",
    "ccache",
    "com.apple.dt.Xcode",
    "composer",
    "coursier",
    "deno",
    "electron",
    "electron-builder",
    "go-build",
    "golangci-lint",
    "gopls",
    "helm",
    "mypy",
    "mypy_cache",
    "ms-playwright",
    "node",
    "node-gyp",
    "nuget",
    "org.swift.swiftpm",
    "pip",
    "pip-tools",
    "pnpm",
    "pre-commit",
    "puppeteer",
    "pypoetry/artifacts",
    "pypoetry/cache",
    "ruff",
    "sccache",
    "turbo",
    "typescript",
    "uv",
    "vcpkg",
    "yarn",
    "zig",
];

/// Folders of tools elsewhere in the home.
const IN_HOME: &[&str] = &[
    ".android/build-cache",
    ".android/cache",
    ".bun/install/cache",
    ".cargo/git/checkouts",
    ".cargo/git/db",
    ".cargo/registry/cache",
    ".cargo/registry/index",
    ".cargo/registry/src",
    ".ccache",
    ".composer/cache",
    ".gradle/caches",
    ".gradle/daemon",
    ".gradle/wrapper/dists",
    ".hex/packages",
    ".ivy2/cache",
    ".konan/cache",
    ".local/share/pnpm/store",
    ".node-gyp",
    ".npm/_cacache",
    ".npm/_logs",
    ".npm/_npx",
    ".nuget/packages",
    ".pnpm-store",
    ".pub-cache/hosted",
    ".sbt/boot",
    ".swiftpm/cache",
    ".terraform.d/plugin-cache",
    ".yarn/berry/cache",
    "AppData/Local/NuGet/v3-cache",
    "AppData/Local/Yarn/Cache",
    "AppData/Local/go-build",
    "AppData/Local/ms-playwright",
    "AppData/Local/npm-cache/_cacache",
    "AppData/Local/pip/Cache",
    "AppData/Local/pnpm/store",
    "Library/Developer/Xcode/DerivedData",
    "Library/pnpm/store",
    "go/pkg/mod/cache",
];

/// Returns whether all known names of the deleted path are in such a cache.
pub(crate) fn is_tool_cache(effect: &Effect, view: &CallView<'_>) -> bool {
    let home = view.facts().home.trim_end_matches('/');
    let path = &effect.path;
    let names = [&path.lexical, &path.canonical];
    let mut names = names.into_iter().filter(|name| !name.is_empty()).peekable();
    effect.tag("where").is_none()
        && (effect.certain || effect.tag("glob").is_some())
        && !effect.target.contains(['`', '{'])
        && !home.is_empty()
        && names.peek().is_some()
        && names.all(|name| is_in_cache(name, home))
}

fn is_in_cache(name: &str, home: &str) -> bool {
    let Some(below) = name.strip_prefix(home).and_then(|rest| rest.strip_prefix('/')) else { return false };
    let is_in = |folders: &[&str], path: &str| folders.iter().any(|folder| is_inside(path, folder));
    let in_parent = |parent: &&str| {
        let rest = below.strip_prefix(*parent).and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|rest| is_in(IN_PARENTS, rest))
    };
    !below.split('/').any(|part| part == "..") && (is_in(IN_HOME, below) || PARENTS.iter().any(in_parent))
}

#[cfg(test)]
mod tests {
    use super::is_in_cache;

    #[test]
    fn only_folders_that_a_tool_fills_again_are_caches() {
        for name in [".cache/pip", ".cache/pip/http/*", ".npm/_cacache", "Library/Caches/Yarn/v6", ".gradle/caches"] {
            assert!(is_in_cache(&format!("/home/u/{name}"), "/home/u"), "{name}");
        }
        for name in [".cache", ".cache/*", ".npm", ".gradle", ".cache/pipx", ".cache/huggingface", "pip", ".cargo/bin"]
        {
            assert!(!is_in_cache(&format!("/home/u/{name}"), "/home/u"), "{name}");
        }
        assert!(!is_in_cache("/srv/.cache/pip", "/home/u"));
    }
}
