//! [`readings`]: commands in written files that run by themselves: install scripts, hooks, generators.
//!
//! `npm install` runs `postinstall`, and no call names it. So a write of such a file is also judged as its commands.

use serde_json::{Map, Value};

use super::{Certainty, Reading, Readings};
use crate::call::ToolCall;
use crate::shell_word::word;

/// Scripts of a package that run when it is installed, packed or published.
const OF_NODE: &[&str] = &[
    "preinstall",
    "install",
    "postinstall",
    "prepare",
    "preprepare",
    "postprepare",
    "prepublish",
    "prepublishOnly",
    "prepack",
    "postpack",
    "dependencies",
];

/// The same of a package for PHP.
const OF_PHP: &[&str] = &[
    "pre-install-cmd",
    "post-install-cmd",
    "pre-update-cmd",
    "post-update-cmd",
    "pre-autoload-dump",
    "post-autoload-dump",
    "post-root-package-install",
    "post-create-project-cmd",
    "pre-package-install",
    "post-package-install",
];

/// Git's hooks that a package's settings name.
const OF_GIT: &[&str] = &[
    "commit-msg",
    "post-checkout",
    "post-commit",
    "post-merge",
    "pre-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
];

/// Settings by which npm starts another program.
const OF_NPM: &[&str] = &["git", "node-options", "registry", "script-shell", "shell"];

/// The maximum number of commands in a file.
const LINES: usize = 16;

/// A write of a file as the commands in it that run by themselves.
pub(super) fn readings(call: &ToolCall) -> Readings {
    let reading = |line: String| Reading {
        call: ToolCall {
            original_tool: call.original_tool.clone(),
            ..ToolCall::new("Bash", Map::from_iter([("command".to_owned(), Value::String(line))]))
        },
        argument: "content".to_owned(),
        taken_for: "a command that runs by itself later",
        certainty: Certainty::Perhaps,
    };
    Readings { all: lines(&call.input).into_iter().map(reading).collect(), is_cut: false }
}

/// The commands of a written file that run by themselves.
fn lines(input: &Map<String, Value>) -> Vec<String> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let Some(path) = text("file_path") else { return Vec::new() };
    let path = path.to_ascii_lowercase().replace('\\', "/");
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let is_hook = matches!(folder.rsplit('/').next(), Some(".githooks" | ".git-hooks" | ".husky"));
    let edits = input.get("edits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let edits = edits.iter().filter_map(|edit| edit.get("new_string")?.as_str());
    let written = ["content", "new_string"].into_iter().filter_map(text).chain(edits);
    let commands = |text: &str| if is_hook { hook(name, text) } else { file_commands(name, text) };
    written.flat_map(commands).take(LINES).collect()
}

fn file_commands(name: &str, text: &str) -> Vec<String> {
    let code = |program: &str| vec![format!("{program} {}", word(text))];
    match name {
        "package.json" => scripts(OF_NODE, text).into_iter().chain(scripts(OF_GIT, text)).collect(),
        ".simple-git-hooks.json" | "simple-git-hooks.json" => scripts(OF_GIT, text),
        "devbox.json" => scripts(&["init_hook"], text),
        "flake.nix" | "shell.nix" | "devenv.nix" => nix_hooks(text),
        "mise.toml" | ".mise.toml" | "mise.local.toml" | ".mise.local.toml" => toml_section("[hooks]", text),
        _ if name.ends_with(".gyp") || name.ends_with(".gypi") => gyp_commands(text),
        "composer.json" => scripts(OF_PHP, text),
        "setup.py" | "sitecustomize.py" | "usercustomize.py" => code("python3 -c"),
        ".pnpmfile.cjs" | ".pnpmfile.js" | "pnpmfile.js" => code("node -e"),
        "extconf.rb" | "gemfile" | "podfile" | "vagrantfile" => code("ruby -e"),
        ".pre-commit-config.yaml" => yaml_lines(&["entry"], text),
        "lefthook.yml" | "lefthook.yaml" | ".lefthook.yml" => yaml_lines(&["run"], text),
        ".overcommit.yml" => yaml_lines(&["command"], text),
        ".gitpod.yml" => yaml_lines(&["before", "command", "init", "prebuild"], text),
        ".npmrc" => settings(text),
        _ if name.ends_with(".gemspec") => code("ruby -e"),
        _ if name.ends_with(".pth") => imports(text),
        _ if name.ends_with(".go") => go_generate_commands(text),
        _ => Vec::new(),
    }
}

/// The texts of these keys, in a whole object or a piece of one.
fn scripts(names: &[&str], text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        let quoted = format!("\"{name}\"");
        let Some((_, rest)) = text.split_once(&quoted) else { continue };
        let Some(value) = rest.trim_start().strip_prefix(':') else { continue };
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::String(line))) => found.push(line),
            Some(Ok(Value::Array(lines))) => found.extend(lines.iter().filter_map(Value::as_str).map(str::to_owned)),
            _ => {}
        }
    }
    // A PHP class method isn't a command.
    found.retain(|line| !line.contains("::") && !line.starts_with('@') && !is_guarded_copy(line));
    found.into_iter().map(|line| strip_usual_steps(&line).to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Folders that a build makes again.
const BUILT: &[&str] = &["build", "cjs", "dist", "es", "esm", "lib", "out", "types", "umd"];

/// The line without what many packages begin with: removing the last build, and turning on their own hooks.
fn strip_usual_steps(line: &str) -> &str {
    let mut rest = line.trim();
    loop {
        let (first, others) = rest.split_once("&&").unwrap_or((rest, ""));
        let others = others.trim();
        if !sets_own_hooks(first) && (others.is_empty() || !removes_build(first)) {
            return rest;
        }
        rest = others;
    }
}

/// Returns whether the command removes nothing but folders of a build.
fn removes_build(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let removes = match words.next() {
        Some("rm") => words.next() == Some("-rf"),
        Some("rimraf") => true,
        _ => false,
    };
    let is_built = |word: &str| BUILT.contains(&word.strip_prefix("./").unwrap_or(word).trim_end_matches('/'));
    removes && words.all(is_built)
}

/// Returns whether the command makes git run the hooks that the package brings.
fn sets_own_hooks(command: &str) -> bool {
    let command = command.trim().strip_suffix("|| true").unwrap_or(command);
    let words: Vec<&str> = command.split_whitespace().filter(|word| *word != "--local").collect();
    let [program, verb, key, folder] = words.as_slice() else { return false };
    let folder = folder.strip_prefix("./").unwrap_or(folder).trim_end_matches('/');
    (*program, *verb) == ("git", "config")
        && key.eq_ignore_ascii_case("core.hooksPath")
        && [".githooks", ".husky", ".husky/_"].contains(&folder)
}

/// Returns whether the command is PHP that copies a file only if the new one doesn't exist:
/// `file_exists('A') || copy('B', 'A');`.
fn is_guarded_copy(line: &str) -> bool {
    let parts = || {
        let code = line.strip_prefix("php -r \"")?.strip_suffix('"')?.replace(' ', "");
        let (tested, rest) = code.trim_end_matches(';').strip_prefix("file_exists('")?.split_once("')||copy('")?;
        let (from, to) = rest.strip_suffix("')")?.split_once("','")?;
        Some(tested == to && !from.contains('\''))
    };
    parts().unwrap_or_default()
}

/// The lines of YAML with one of these keys.
fn yaml_lines(names: &[&str], text: &str) -> Vec<String> {
    let value = |line: &str| {
        let (key, value) = line.trim_start().trim_start_matches("- ").split_once(':')?;
        let value = value.trim();
        let quoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        let value = quoted.unwrap_or(value);
        (names.contains(&key) && !value.is_empty() && !value.starts_with(['|', '>'])).then(|| value.to_owned())
    };
    text.lines().filter_map(value).collect()
}

/// The settings of npm that start a program, as the commands that set them.
fn settings(text: &str) -> Vec<String> {
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    let pairs = pairs.map(|(name, value)| (name.trim(), value.trim()));
    pairs
        .filter(|(name, value)| OF_NPM.contains(name) && redirects(name, value))
        .map(|(name, value)| format!("npm config set {name} {}", word(value)))
        .collect()
}

/// Returns whether this value makes npm run other code, or fetch packages over an insecure connection.
fn redirects(name: &str, value: &str) -> bool {
    match name {
        "registry" => value.starts_with("http://"),
        "node-options" => {
            let is_code = |option: &str| {
                option.starts_with("-r") || ["require", "import", "loader"].iter().any(|word| option.contains(word))
            };
            value.split([' ', '"', '\'']).any(is_code)
        }
        _ => true,
    }
}

/// The commands of a hook of git: a script of a shell, or of the language in its first line.
fn hook(name: &str, text: &str) -> Vec<String> {
    let first = text.lines().next().filter(|line| line.starts_with("#!")).unwrap_or_default();
    let program = match first.rsplit(['/', ' ']).next().unwrap_or_default() {
        "" | "sh" | "bash" | "dash" | "zsh" | "-e" => {
            return vec![text.to_owned()].into_iter().filter(|_| !name.contains('.')).collect();
        }
        "python" | "python3" => "python3 -c",
        "node" => "node -e",
        "ruby" => "ruby -e",
        "perl" => "perl -e",
        _ => return Vec::new(),
    };
    vec![format!("{program} {}", word(text))]
}

/// The texts of a shell that starts in an environment of Nix.
fn nix_hooks(text: &str) -> Vec<String> {
    let texts = text.split("shellHook").chain(text.split("enterShell")).filter_map(|rest| {
        rest.trim_start().strip_prefix('=')?.trim_start().strip_prefix("''")?.split_once("''").map(|(text, _)| text)
    });
    texts.map(|text| text.replace("${", "$").to_owned()).collect()
}

/// The values in a section of TOML.
fn toml_section(section: &str, text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).skip_while(|line| *line != section).skip(1);
    let values = lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once('='));
    let texts = values
        .flat_map(|(_, value)| value.trim().trim_matches(['[', ']']).split("\", \""))
        .map(|text| text.trim().trim_matches(['"', '\'']).to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

/// The commands of a build of a package's addon: `<!(COMMAND)`.
fn gyp_commands(text: &str) -> Vec<String> {
    let rests = text.split("<!").skip(1).filter_map(|rest| rest.trim_start_matches('@').strip_prefix('('));
    rests.filter_map(|rest| Some(rest.split_once([')', '\n'])?.0.to_owned())).collect()
}

/// The lines of a `.pth` file that Python runs at each start.
fn imports(text: &str) -> Vec<String> {
    let runs = text.lines().filter(|line| line.starts_with("import ") || line.starts_with("import\t"));
    runs.map(|line| format!("python3 -c {}", word(line))).collect()
}

/// The commands of `go generate`.
fn go_generate_commands(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix("//go:generate ")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{file_commands, hook};

    #[test]
    fn a_hook_of_git_is_a_script() {
        assert_eq!(hook("pre-push", "#!/bin/sh\na b\n"), ["#!/bin/sh\na b\n"]);
        assert_eq!(hook("pre-push", "#!/usr/bin/env python3\nx()"), ["python3 -c '#!/usr/bin/env python3\nx()'"]);
        assert_eq!(hook("readme.md", "a"), [""; 0]);
    }

    #[test]
    fn only_commands_that_run_by_themselves_are_read() {
        for (name, text, expected) in [
            ("package.json", r#"{"scripts": {"postinstall": "a b", "clean": "c"}}"#, "a b"),
            ("package.json", r#""prepare": "a","#, "a"),
            ("composer.json", r#"{"scripts": {"post-install-cmd": ["a b", "@c", "D::e"]}}"#, "a b"),
            (".pre-commit-config.yaml", "  - id: x\n    entry: sh -c 'a b'\n", "sh -c 'a b'"),
            ("lefthook.yml", "run: \"a b\"\n", "a b"),
            ("x.go", "package x\n//go:generate a b\n", "a b"),
            (".npmrc", "save-exact=true\nscript-shell=/tmp/x\n", "npm config set script-shell /tmp/x"),
            (".npmrc", "node-options=--require ./a.js\n", "npm config set node-options '--require ./a.js'"),
            (".npmrc", "registry=http://npm.acme.io/\n", "npm config set registry http://npm.acme.io/"),
            ("package.json", r#"{"simple-git-hooks": {"pre-commit": "a b"}}"#, "a b"),
            (".mise.toml", "[tasks.x]\nrun = \"c\"\n[hooks]\nenter = \"a b\"\n[env]\nA = \"c\"\n", "a b"),
            ("flake.nix", "shellHook = ''\n  a b\n'';", "\n  a b\n"),
            ("devbox.json", r#"{"shell": {"init_hook": ["a b"], "scripts": {"x": "c"}}}"#, "a b"),
            ("binding.gyp", r#"{"targets":[{"sources":["x.cc", "<!(a b)"]}]}"#, "a b"),
            (".overcommit.yml", "PreCommit:\n  X:\n    command: 'a b'\n", "a b"),
            ("package.json", r#""prepare": "rm -rf lib && a -d lib""#, "a -d lib"),
            ("package.json", r#""prepare": "rm -rf src && a""#, "rm -rf src && a"),
            ("package.json", r#""prepare": "cd .. && rm -rf lib && a""#, "cd .. && rm -rf lib && a"),
            ("package.json", r#""prepare": "git config core.hooksPath .githooks && a""#, "a"),
            ("package.json", r#""prepare": "git config core.hooksPath /tmp/h""#, "git config core.hooksPath /tmp/h"),
        ] {
            assert_eq!(file_commands(name, text), [expected], "{name}");
        }
        for (name, text) in [
            ("package.json", r#"{"dependencies": {"install": {"a": "b"}}, "scripts": {"build": "c"}}"#),
            ("lefthook.yml", "run: |\n  a\n"),
            ("notes.txt", r#""postinstall": "a""#),
            (".mise.toml", "[tools]\nnode = \"22\"\n[tasks.x]\nrun = \"a\"\n"),
            ("flake.nix", "buildInputs = [ pkgs.jq ];"),
            ("binding.gyp", r#"{"targets":[{"sources":["x.cc"]}]}"#),
            ("x.go", "// go:generate a\n"),
            (".npmrc", "node-options=--max-old-space-size=4096\nregistry=https://npm.acme.io/\n"),
            ("package.json", r#""prepare": "git config core.hooksPath .husky || true""#),
            ("composer.json", r#""post-install-cmd": ["php -r \"file_exists('a') || copy('b', 'a');\""]"#),
        ] {
            assert_eq!(file_commands(name, text), [""; 0], "{name}");
        }
    }
}
