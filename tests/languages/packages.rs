//! The packages for JavaScript, TypeScript and Python: built as archives, tested as their authors do, and used by the
//! policy that all languages share.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::pages::{Shell, root};
use crate::{Language, conforms, describes_itself, missing, refuses_settings, run, says_the_same, skip};

pub(crate) const JAVASCRIPT: Language = Language {
    name: "js-package",
    page: "guest-sdk/js/README.md",
    tools: &["npm --version", "node --input-type=module --eval 'import \"node:module\"'"],
    checks: "npm ci --no-audit --no-fund && npm run --silent check && npm test",
};

pub(crate) const PYTHON: Language = Language {
    name: "python-package",
    page: "guest-sdk/python/README.md",
    tools: &["python3 -c 'import venv, ensurepip'"],
    checks: "python3 -m venv .venv
        .venv/bin/pip install --quiet --disable-pip-version-check build==1.6.1 mypy==2.4.1
        .venv/bin/python -m build --outdir dist . > /dev/null
        .venv/bin/pip install --quiet --disable-pip-version-check dist/*.whl
        .venv/bin/python -m unittest discover -s tests
        MYPYPATH=src .venv/bin/mypy src tests",
};

/// How a project installs a package and builds its policy.
struct Use {
    template: &'static str,
    /// The extension of the policy's file.
    extension: &'static str,
    /// Writes the archives to `$HERE`.
    pack: &'static str,
    install: &'static str,
    build: &'static str,
}

/// Bundled, because the tool that creates the component takes one file.
const OF_TYPESCRIPT: Use = Use {
    template: "ts",
    extension: "ts",
    pack: "npm pack --silent --pack-destination \"$HERE\"",
    install: "npm install --silent --no-audit --no-fund --save-exact esbuild@0.28.2 \"$ARCHIVE\"",
    build:
        "npm run --silent check
        npx esbuild policy.ts --bundle --format=esm --platform=neutral '--external:guard:*' --outfile=build/policy.js \
            --log-level=warning
        npx componentize-qjs --wit wit --world guest --js build/policy.js --output policy.wasm --sync --stub-wasi > log",
};

const OF_PYTHON: Use = Use {
    template: "python",
    extension: "py",
    pack: "cp dist/*.whl dist/*.tar.gz \"$HERE\"",
    install: "echo \"$ARCHIVE\" >> requirements.txt",
    build: "./build.sh
        .venv/bin/python -c 'import policy; policy.Policy().describe()'",
};

/// Files in the archives besides the sources.
const PAPERS: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"];

pub(crate) fn javascript() {
    try_out(&JAVASCRIPT, &OF_TYPESCRIPT);
}

pub(crate) fn python() {
    try_out(&PYTHON, &OF_PYTHON);
}

fn try_out(language: &Language, of: &Use) {
    if let Some(tool) = missing(language) {
        return skip(language, &format!("`{tool}` fails"));
    }
    let mut shell = Shell::new();
    let here = shell.folder().to_path_buf();
    // Copied out of the repository, because builds leave files behind.
    let package = Path::new(language.page).parent().unwrap();
    for path in [package, Path::new("guest-sdk/globs.json"), Path::new("guest-sdk/templates/js-and-ts/types")] {
        copy(&root().join(path), &here.join("clone").join(path));
    }
    let own =
        format!("HERE=\"$PWD\"\ncd 'clone/{}'\n{}\n{}\ncd \"$HERE\"", package.display(), language.checks, of.pack);
    if !run(&mut shell, language, &own) {
        return;
    }
    for archive in archives(&here) {
        let listed = shell.run(&format!("python3 -m zipfile -l {archive} 2>/dev/null || tar -tf {archive}"));
        for paper in PAPERS {
            // A wheel's page is in its metadata.
            let is_there = listed.stdout.contains(paper) || archive.ends_with(".whl") && paper == "README.md";
            assert!(is_there, "{archive} lacks {paper}: {}", listed.stdout);
        }
    }
    assert_eq!(shell.run(&format!("guard-host new team-rules --lang {} && cd team-rules", of.template)).exit, 0);
    let archive = archives(&here).into_iter().find(|name| !name.ends_with(".tar.gz")).unwrap();
    let install = format!("ARCHIVE='{}'\n{}", here.join(archive).display(), of.install);
    if !run(&mut shell, language, &install) || !builds(&mut shell, language, of, "policy") {
        return;
    }
    let ended = shell.run("guard-host test policy.wasm fixtures/");
    assert_eq!(ended.exit, 0, "{}: {}", language.name, ended.stdout);
    says_the_same(&mut shell, language);
    refuses_settings(&mut shell, language);
    describes_itself(&mut shell, language);
    conforms(&mut shell, language);
    if !builds(&mut shell, language, of, "host") {
        return;
    }
    let cases = root().join("tests/languages/packages/host.toml");
    let ended = shell.run(&format!("guard-host test policy.wasm '{}'", cases.display()));
    assert_eq!(ended.exit, 0, "{}: {}", language.name, ended.stdout);
    println!("{}: builds, passes its tests, and its policies say what they must", language.name);
}

/// Builds a policy of `languages/packages`. Returns `false` without a network.
fn builds(shell: &mut Shell, language: &Language, of: &Use, policy: &str) -> bool {
    let from = root().join(format!("tests/languages/packages/{policy}.{}", of.extension));
    fs::copy(from, shell.folder().join(format!("policy.{}", of.extension))).unwrap();
    run(shell, language, of.build)
}

/// Returns the names of a package's archives.
fn archives(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut found: Vec<String> =
        names.filter(|name| [".tgz", ".whl", ".tar.gz"].iter().any(|end| name.ends_with(end))).collect();
    found.sort();
    assert!(!found.is_empty(), "there is no archive in {}", folder.display());
    found
}

fn copy(from: &PathBuf, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_owned();
        if !["node_modules", ".venv", "dist", "__pycache__"].iter().any(|made| name == *made) {
            copy(&path, &to.join(name));
        }
    }
}
