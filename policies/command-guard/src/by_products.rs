//! Files and folders that a program creates as by-products and recreates when it runs again. Deleting them loses
//! nothing.

use guard_sdk::globs::Glob;
use guard_sdk::syntax::{Command, Effect};

use crate::blast_radius::{is_in_home, is_in_project, is_inside, is_temporary};
use crate::call_view::CallView;
use crate::own_folders::BRING;
use crate::tool_caches::is_tool_cache;

/// Names that only programs use.
const NAMES: &[&str] = &[
    ".coverage",
    ".ds_store",
    ".eslintcache",
    ".mypy_cache",
    ".nyc_output",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".sass-cache",
    ".stylelintcache",
    "__pycache__",
    "coverage.xml",
    "ehthumbs.db",
    "gmon.out",
    "htmlcov",
    "lcov.info",
    "thumbs.db",
];

/// Names of build output. Outside of the project it may be served, and in the home it contains settings.
const BUILT: &[&str] = &[
    ".angular",
    ".astro",
    ".aws-sam",
    ".benchmarks",
    ".bloop",
    ".build",
    ".cxx",
    ".dart_tool",
    ".docusaurus",
    ".eggs",
    ".elixir_ls",
    ".expo",
    ".gradle",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".metals",
    ".next",
    ".nox",
    ".nuxt",
    ".nx",
    ".output",
    ".serverless",
    ".stack-work",
    ".svelte-kit",
    ".swc",
    ".terraform",
    ".tox",
    ".turbo",
    ".vite",
    ".zig-cache",
    "_build",
    "cdk.out",
    "cmake-build-debug",
    "cmake-build-minsizerel",
    "cmake-build-release",
    "cmake-build-relwithdebinfo",
    "cmakefiles",
    "deriveddata",
    "dist-newstyle",
    "obj_dir",
    "playwright-report",
    "storybook-static",
    "zig-cache",
    "zig-out",
];

/// Prefixes of profilers' files, followed by a number or `old`.
const FRONTS: &[&str] = &["cachegrind.out", "callgrind.out", "massif.out", "perf.data"];

/// Endings of files from interpreters, compilers or editors. A search may delete them anywhere.
const FOUND_ENDS: &[&str] = &[".gcda", ".gcno", ".profraw", ".pyc", ".pyo", ".swo", ".swp", ".tmp", "~"];

/// Metadata of an installed Python package, which each installation writes.
const INSTALLED: &str = "*.egg-info";

/// Endings of compiled code and of measurements, which folders don't have.
pub(crate) const COMPILED_ENDS: &[&str] = &[
    ".beam",
    ".class",
    ".cmi",
    ".cmo",
    ".cmt",
    ".cmti",
    ".cmx",
    ".dwo",
    ".dyn_hi",
    ".dyn_o",
    ".elc",
    ".gcda",
    ".gch",
    ".gcno",
    ".gcov",
    ".hi",
    ".la",
    ".lo",
    ".o",
    ".obj",
    ".pch",
    ".profdata",
    ".profraw",
    ".pyc",
    ".pyo",
    ".rlib",
    ".rmeta",
    ".xo",
];

/// Folders that contain only build output.
pub(crate) const OF_BUILDS: &[&str] = &["build", "coverage", "dist", "out", "target", "test-results"];

/// Returns whether the deletion only affects by-products in the project or in a folder for temporary files, or a tool's
/// cache in the home.
pub(crate) fn is_by_product(effect: &Effect, view: &CallView<'_>) -> bool {
    if effect.tag("where").is_some() || is_brought(effect, view) {
        return false;
    }
    if is_rebuilt(effect, view) || is_of_pods(effect, view) || is_tool_cache(effect, view) {
        return true;
    }
    match effect.tag("every").or(effect.tag("every-ignore-case")) {
        Some("*.tmp") if starts_in(effect, |start| start.split('/').any(|part| matches!(part, "tmp" | "temp"))) => true,
        Some(name) => {
            let name = name.to_ascii_lowercase();
            // A search below the home also finds the home's own folders.
            let home = &view.facts().home;
            let is_right =
                |start: &str| !is_inside(home, start.trim_end_matches(['/', '.'])) && !is_below_home(start, view);
            let finds_built = || BUILT.contains(&name.trim_matches('*')) && starts_in(effect, is_right);
            (is_found(&name) || finds_built()) && starts_in_project(effect, view)
        }
        None if is_named(effect, NAMES) && is_in_project(effect, view) => true,
        None => {
            (is_named(effect, NAMES) || is_named(effect, BUILT) || is_inside_one(effect))
                && (is_output(effect, view) || is_temporary(effect, view))
        }
    }
}

/// Returns whether the text moved or linked something to a deleted name, so that the name may now be anything.
pub(crate) fn is_brought(effect: &Effect, view: &CallView<'_>) -> bool {
    let named = effect.tag("every").or(effect.tag("every-ignore-case"));
    let name = named.or_else(|| effect.target.trim_end_matches('/').rsplit('/').next()).unwrap_or_default();
    let Ok(name) = Glob::new(name) else { return false };
    let is_git_mv = |other: &Effect| {
        let moves = |command: &Command| command.argv.iter().skip(1).any(|word| word.text == "mv");
        other.tag("by") == Some("git") && view.command(other).is_some_and(moves)
    };
    let brings = |other: &&Effect| {
        let by = other.tag("by").unwrap_or_default();
        other.kind == "write" && other.command_id < effect.command_id && (BRING.contains(&by) || is_git_mv(other))
    };
    let mut incoming = view.analysis.effects.iter().filter(brings);
    incoming.any(|other| other.path.lexical.split('/').any(|part| name.folded(part)))
}

/// Folders that a tool fills, and the tools that refill them: a program, and words of which one must follow, if there
/// are any.
const BUILDERS: &[(&str, &[&str])] = &[
    ("ant", &[]),
    ("bazel", &["build"]),
    ("bun", &["build"]),
    ("cargo", &["b", "build", "doc", "install", "run", "test"]),
    ("cmake", &[]),
    ("docusaurus", &["build"]),
    ("dotnet", &["build", "publish"]),
    ("esbuild", &[]),
    ("go", &["build", "test"]),
    ("gradle", &[]),
    ("gradlew", &[]),
    ("hugo", &[]),
    ("jekyll", &["build"]),
    ("make", &[]),
    ("meson", &["compile", "setup"]),
    ("mkdocs", &["build"]),
    ("mvn", &[]),
    ("mvnw", &[]),
    ("next", &["build"]),
    ("ng", &["build"]),
    ("ninja", &[]),
    ("nx", &["build"]),
    ("parcel", &["build"]),
    ("poetry", &["build"]),
    ("rollup", &[]),
    ("sphinx-build", &[]),
    ("swc", &[]),
    ("tsc", &[]),
    ("tsup", &[]),
    ("turbo", &["build"]),
    ("uv", &["build"]),
    ("vite", &["build"]),
    ("webpack", &[]),
    ("zig", &["build"]),
];

/// Folders that a tool fills, the tool, and words of which one must follow, if there are any.
const FILLERS: &[(&str, &str, &[&str])] = &[
    ("_site", "jekyll", &["build"]),
    ("assets", "rails", &["assets:precompile"]),
    ("assets", "rake", &["assets:precompile"]),
    ("deps", "mix", &["deps.get"]),
    ("packs", "rails", &["assets:precompile", "webpacker:compile"]),
    ("public", "hugo", &[]),
    ("site", "mkdocs", &["build"]),
    ("vendor", "composer", &["install", "update"]),
    ("vendor", "go", &["vendor"]),
];

/// Lock files, and the package manager that writes each of them.
const LOCKS: &[(&str, &str)] = &[("package-lock.json", "npm"), ("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn")];

/// Returns whether the text deletes a lock file and then has its package manager write it again.
pub(crate) fn is_resolved_again(effect: &Effect, view: &CallView<'_>) -> bool {
    let name = effect.target.rsplit('/').next().unwrap_or_default();
    let Some((_, manager)) = LOCKS.iter().find(|(lock, _)| *lock == name) else { return false };
    let resolves = |command: &Command| {
        let verb = command.word(1);
        let is_install = matches!(verb, "" | "add" | "i" | "install" | "up" | "update" | "upgrade");
        command.id > effect.command_id && command.word(0) == *manager && (is_install || verb.starts_with('-'))
    };
    effect.kind == "delete" && effect.certain && view.analysis.commands.iter().any(resolves)
}

/// Programs that run a task of the manifest by its name.
const TASK_RUNNERS: &[&str] = &["bun", "deno", "npm", "npx", "pnpm", "yarn"];

/// Returns whether the text deletes build output and rebuilds it: `rm -rf dist && npm run build`.
fn is_rebuilt(effect: &Effect, view: &CallView<'_>) -> bool {
    let name = effect.target.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let is_written = effect.operation == "fs.delete.recursive" && effect.tag("glob").is_none() && effect.certain;
    let builds = |command: &Command| {
        let program = command.word(0).rsplit('/').next().unwrap_or_default();
        let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
        let is_task = |word: &str| word.split([':', '-']).next() == Some("build");
        let by_task = TASK_RUNNERS.contains(&program) && words().any(is_task);
        let by_tool = BUILDERS
            .iter()
            .any(|(tool, verbs)| *tool == program && (verbs.is_empty() || words().any(|word| verbs.contains(&word))));
        let by_module = program.starts_with("python") && words().any(|word| word == "build" || word == "setup.py");
        let fills = FILLERS.iter().any(|(folder, tool, verbs)| {
            *folder == name && *tool == program && (verbs.is_empty() || words().any(|word| verbs.contains(&word)))
        });
        fills || OF_BUILDS.contains(&name) && (by_task || by_tool || by_module)
    };
    is_written
        && (is_in_project(effect, view)
            || is_temporary(effect, view)
            || is_in_home(effect, view) && !is_of_home(effect, view))
        && view.analysis.commands.iter().any(|command| command.id > effect.command_id && builds(command))
}

/// Returns whether the folder is the one that CocoaPods fills from `Podfile.lock`, in its exact spelling.
fn is_of_pods(effect: &Effect, view: &CallView<'_>) -> bool {
    let name = effect.path.lexical.rsplit('/').next().unwrap_or_default();
    name == "Pods" && effect.certain && is_output(effect, view)
}

/// Returns whether all names of the path are in the project, and outside of the home's own by-products.
fn is_output(effect: &Effect, view: &CallView<'_>) -> bool {
    let facts = view.facts();
    let is_own = |path: &str| {
        [&facts.cwd, &facts.project_root].into_iter().any(|folder| !folder.is_empty() && is_inside(path, folder))
    };
    let mut names = [&effect.path.lexical, &effect.path.canonical].into_iter().filter(|name| !name.is_empty());
    is_in_project(effect, view) && names.all(|name| is_own(name) && !is_below_home(name, view))
}

/// Folders of installed packages, and of temporary files in a project.
const OF_TOOLS: &[&str] = &["node_modules", "temp", "tmp"];

/// Returns whether a folder in a text is build output in the working directory, or in a folder for temporary files.
pub(crate) fn is_below_output(folder: &str, view: &CallView<'_>) -> bool {
    let facts = view.facts();
    let is_own = |name: &str| {
        let folders = [&facts.cwd, &facts.project_root];
        folders.into_iter().any(|folder| !folder.is_empty() && is_inside(name, folder))
    };
    if folder.split('/').any(|part| part == ".." || part.contains(['*', '?', '[', '$', '~', '{'])) {
        return false;
    }
    let is_one = |part: &str| OF_BUILDS.contains(&part) || OF_TOOLS.contains(&part) || is_program_name(part);
    match folder.starts_with('/') {
        true => TEMPORARY.iter().any(|start| is_inside(folder, start)) && !is_own(folder),
        false => folder.split('/').any(is_one),
    }
}

/// Folders for temporary files.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/private/tmp"];

/// Returns whether the path is a by-product directly below the home, or in one.
fn is_below_home(path: &str, view: &CallView<'_>) -> bool {
    let home = view.facts().home.trim_end_matches('/');
    let below = path.strip_prefix(home).and_then(|rest| rest.strip_prefix('/')).filter(|_| !home.is_empty());
    let first = below.and_then(|below| below.split('/').next()).unwrap_or_default().to_ascii_lowercase();
    first == "pods" || is_program_name(&first)
}

/// Returns whether only programs use the name, which must be in lower case.
pub(crate) fn is_program_name(name: &str) -> bool {
    NAMES.contains(&name) || BUILT.contains(&name)
}

/// Returns whether a program creates the file or folder again, by its name in lower case alone.
pub(crate) fn is_product_name(name: &str) -> bool {
    const LEFT: &[&str] = &[".pid", ".sock", "index.lock"];
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    is_program_name(name) || OF_BUILDS.contains(&name) || ends(COMPILED_ENDS) || ends(FOUND_ENDS) || ends(LEFT)
}

/// Returns whether the folder is one of the home itself, which a person created.
fn is_of_home(effect: &Effect, view: &CallView<'_>) -> bool {
    let above = effect.path.lexical.trim_end_matches('/').rsplit_once('/').map(|(above, _)| above);
    above.is_none_or(|above| above == view.facts().home.trim_end_matches('/'))
}

fn starts_in_project(effect: &Effect, view: &CallView<'_>) -> bool {
    let facts = view.facts();
    let is_own = |start: &str| {
        [&facts.cwd, &facts.project_root].into_iter().any(|folder| !folder.is_empty() && is_inside(start, folder))
    };
    starts_in(effect, is_own)
}

/// Returns whether a search starts in a matching folder, by all of its known names.
fn starts_in(effect: &Effect, is_right: impl Fn(&str) -> bool) -> bool {
    match effect.tag("below") {
        Some(start) => is_right(start),
        None => is_right(&effect.path.lexical) && is_right(&effect.path.canonical),
    }
}

/// Returns whether every file with a name that a search finds is a by-product.
fn is_found(name: &str) -> bool {
    let is_plain = |text: &str| !text.contains(['*', '?', '[']);
    // A search for a part of such a name only finds by-products.
    NAMES.contains(&name.trim_matches('*'))
        || name == "*.py[co]"
        || name == INSTALLED
        || name.strip_prefix('*').is_some_and(|end| is_plain(end) && FOUND_ENDS.contains(&end))
}

/// Returns whether both names of the path contain a hidden folder that is such a by-product.
fn is_inside_one(effect: &Effect) -> bool {
    let folder = effect.target.trim_end_matches('/').rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_one = |part: &str| part.starts_with('.') && is_program_name(&part.to_ascii_lowercase());
    let mut parts = folder.split('/');
    let is_one_path = effect.tag("glob").is_none() && effect.certain;
    let plain =
        is_one_path && !folder.contains(['$', '`', '{', '*', '?', '[']) && !folder.split('/').any(|part| part == "..");
    let canonical = &effect.path.canonical;
    plain && parts.any(is_one) && (canonical.is_empty() || canonical.split('/').any(is_one))
}

/// Returns whether a deletion targets a by-product itself, which is no link and has one of the names.
fn is_named(effect: &Effect, names: &[&str]) -> bool {
    let last = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let name = last(&effect.target);
    let is_glob = effect.tag("glob").is_some();
    let folder = effect.target.trim_end_matches('/').rsplit_once('/').map_or("", |(folder, _)| folder);
    if !effect.certain && !is_glob || effect.target.contains(['$', '`', '{']) {
        return false;
    }
    // Programs use the name in any folder.
    if is_glob && folder.contains('*') && name.starts_with(['.', '_']) && names.contains(&name.as_str()) {
        return !folder.split('/').any(|part| part == "..");
    }
    if folder.contains(['*', '?', '[']) {
        return false;
    }
    let is_front = |name: &str| FRONTS.iter().any(|front| name.starts_with(front));
    match (is_glob, name.strip_prefix('*')) {
        (false, _) => {
            let is_link = !effect.path.canonical.is_empty() && last(&effect.path.canonical) != name;
            !is_link && (names.contains(&name.as_str()) || is_front(&name))
        }
        (true, _) if name == INSTALLED => true,
        (true, _) => name.strip_suffix('*').is_some_and(|front| is_front(front) && !front.contains(['*', '?', '['])),
    }
}
