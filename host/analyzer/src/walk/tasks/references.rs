//! Code files that a tool loads because of its settings, and settings files found by the tool's name.

use guard_sdk::serde_json::{self, Value};
use guard_sdk::syntax::Word;

use super::super::task_files::at_keys;
use super::{Form, SCRIPTS, literals, runners, spelled};
use crate::programs;
use crate::walk::Walker;
use crate::walk::content::Content;
use crate::walk::readers::{by_ending, reader};
use crate::walk::running::interpreter;
use crate::walk::started::Started;
use crate::walk::written::GOAL;
use crate::word::expand::literal;
use crate::wrappers::code::languages::LOADED;
use crate::wrappers::shells;

type Names = &'static [&'static str];

/// Settings of a tool that refer to code files.
struct Settings {
    programs: Names,
    files: Names,
    /// The keys or options for code files.
    keys: Names,
}

const fn of(programs: Names, files: Names, keys: Names) -> Settings {
    Settings { programs, files, keys }
}

const SETTINGS: &[Settings] = &[
    of(&["pulumi"], &["Pulumi.yaml"], &["main"]),
    of(
        &["pytest", "py.test"],
        &["pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"],
        &["-p", "required_plugins"],
    ),
    of(&["pytest", "py.test", "coverage"], &[".coveragerc"], &["plugins"]),
    of(&["pylint"], &[".pylintrc", "pylintrc", "pyproject.toml"], &["load-plugins"]),
    of(&["mypy", "dmypy"], &["mypy.ini", ".mypy.ini", "setup.cfg"], &["plugins"]),
    of(&["mkdocs"], &["mkdocs.yml", "mkdocs.yaml"], &["hooks"]),
    of(&["mocha"], &[".mocharc.json", ".mocharc.jsonc", ".mocharc.yml", ".mocharc.yaml"], &["require", "file", "spec"]),
    of(&["nyc"], &[".nycrc", ".nycrc.json"], &["require"]),
    of(&["babel", "babel-node", "jest", "webpack"], &[".babelrc", ".babelrc.json", "babel.config.json"], BUILT_WITH),
    of(
        &["eslint"],
        &[".eslintrc", ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml"],
        &["extends", "plugins", "parser"],
    ),
    of(&["prettier"], &[".prettierrc", ".prettierrc.json", ".prettierrc.yml", ".prettierrc.yaml"], &["plugins"]),
    of(&["stylelint"], &[".stylelintrc", ".stylelintrc.json", ".stylelintrc.yml"], &["extends", "plugins"]),
    of(&["commitlint"], &[".commitlintrc", ".commitlintrc.json", ".commitlintrc.yml"], &["extends", "plugins"]),
    of(&["semantic-release"], &[".releaserc", ".releaserc.json", ".releaserc.yml"], &["plugins", "extends"]),
    of(&["jest"], &["jest.config.json"], JEST),
    of(&["ava", "mocha", "nyc"], &["package.json"], &["require", "file"]),
    of(&["jest"], &["package.json"], JEST),
    of(&["babel"], &["package.json"], BUILT_WITH),
    of(&["vitest", "vite"], &[], VITEST),
    of(&["playwright"], &[], &["globalSetup", "globalTeardown", "reporter"]),
    of(&["electron"], &["package.json"], &["main"]),
    of(&["lerna"], &["lerna.json"], &["npmClient"]),
    of(&["sls", "serverless"], &["serverless.yml", "serverless.yaml"], &["plugins"]),
    of(&["bun"], &["bunfig.toml"], &["preload"]),
    of(&["rspec"], &[".rspec"], &["--require", "-r"]),
    of(&["cucumber"], &["cucumber.yml"], &["--require", "-r"]),
    of(&["rubocop"], &[".rubocop.yml"], &["require", "plugins"]),
    of(&["phpunit", "pest", "paratest"], &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"], &["bootstrap"]),
    of(&["phpstan"], &["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"], &["bootstrapFiles"]),
    of(&["psalm"], &["psalm.xml", "psalm.xml.dist"], &["autoloader"]),
    of(&["codecept"], &["codeception.yml", "codeception.dist.yml"], &["bootstrap"]),
];

/// Babel's keys.
const BUILT_WITH: Names = &["plugins", "presets"];

/// Vitest's keys.
const VITEST: Names = &["environment", "globalSetup", "reporters", "runner", "setupFiles", "snapshotSerializers"];

/// Jest's keys.
const JEST: Names = &[
    "setupFiles",
    "setupFilesAfterEnv",
    "globalSetup",
    "globalTeardown",
    "preset",
    "reporters",
    "runner",
    "testEnvironment",
    "transform",
];

/// The maximum length of a file name in bytes.
const NAME: usize = 256;

/// Returns whether a tool's settings may refer to code files.
pub(super) fn has_settings(program: &str) -> bool {
    SETTINGS.iter().any(|settings| settings.programs.contains(&program))
}

/// Returns whether a tool may have its settings in a file with its own name, like JavaScript tools: its name is plain,
/// and a package runner starts it, or no table has its effects or files.
pub(super) fn may_have_config(program: &str, is_of_package: bool) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    program.len() > 2
        && program.len() < 32
        && program.bytes().all(is_plain)
        && (is_of_package || !programs::is_known(program) && !super::is_runner(program))
        && !shells::is_shell(program)
}

/// Settings in code that build tools load by default.
const BUILDERS: Names = &[
    "vite.config.*",
    "webpack.config.*",
    "rollup.config.*",
    "next.config.*",
    "nuxt.config.*",
    "astro.config.*",
    "svelte.config.*",
    "postcss.config.*",
    "tailwind.config.*",
    "babel.config.*",
    "jest.config.*",
    "vitest.config.*",
    "eslint.config.*",
];

/// Script names that build, test or serve in most projects.
const SCRIPTED: Names = &["build", "dev", "lint", "preview", "serve", "start", "test", "watch"];

impl Walker {
    /// Returns the code files in a tool's settings.
    pub(super) fn named_by_settings(&mut self, program: &str) -> Vec<Started> {
        let mut found: Vec<Started> = Vec::new();
        for settings in SETTINGS.iter().filter(|settings| settings.programs.contains(&program)) {
            for (path, content) in self.nearest_all(settings.files) {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
                let is_python =
                    matches!(program, "pytest" | "py.test" | "coverage" | "pylint" | "mypy" | "dmypy" | "mkdocs");
                let section = path.ends_with("/package.json").then_some(program).filter(|_| program != "electron");
                for name in values_at(&content.text.text, section, settings.keys) {
                    let files = spellings(&folder, &name, is_python);
                    let Some((path, content)) = files.iter().find_map(|file| self.running_name(file)) else { continue };
                    if found.iter().all(|known| known.name != path) && found.len() < SCRIPTS {
                        found.push(loaded(path, content));
                    }
                }
            }
        }
        found
    }

    /// Returns the code files and commands in a tool's settings that are JavaScript code, by the keys of its other
    /// settings and task files.
    pub(super) fn named_in_code(&mut self, program: &str, settings: &[Started]) -> Vec<Started> {
        let own = SETTINGS.iter().filter(|settings| settings.programs.contains(&program));
        let file_keys: Vec<&str> = own.flat_map(|settings| settings.keys).copied().collect();
        let command_keys: Vec<&str> = runners(program).flat_map(|runner| command_keys(runner.form)).copied().collect();
        let mut found: Vec<Started> = Vec::new();
        for file in settings.iter().filter(|file| by_ending(&file.name) == Some("node")) {
            let code = file.content.text.text.as_str();
            let folder = file.name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let texts = literals::texts_at(code, &command_keys).into_iter().filter(|text| begins_plainly(text));
            let (mut names, commands): (Vec<String>, Vec<String>) = texts.partition(|text| is_code_file(text));
            names.extend(literals::texts_at(code, &file_keys).into_iter().filter(|name| name.len() < NAME));
            for name in names.iter().take(SCRIPTS) {
                let files = spellings(folder, name, false);
                let Some((path, content)) = files.iter().find_map(|file| self.running_name(file)) else { continue };
                if found.iter().all(|known| known.name != path) && found.len() < SCRIPTS {
                    found.push(loaded(path, content));
                }
            }
            if !commands.is_empty() {
                let text = literal(&commands.join("\n"));
                found.push(Started {
                    name: format!("{}{GOAL}", file.name),
                    argv: Vec::new(),
                    content: Content { text, is_excerpt: true, ..file.content.clone() },
                    sure: false,
                    is_given: false,
                    folder: None,
                });
            }
        }
        found
    }

    /// Returns settings in code that a tool finds by its own name: `NAME.config.js`. Package runners and package
    /// scripts start such tools.
    pub(super) fn by_convention(&mut self, program: &str, words: &[Word]) -> Vec<Started> {
        let stem = program.strip_suffix("-cli").unwrap_or(program);
        let mut names = vec![format!("{stem}.config.*")];
        if self.is_of_package() {
            names.extend([format!("{stem}.conf.*"), format!(".{stem}rc.*"), format!(".{stem}.*")]);
        }
        let given = ["-c", "--config"].iter().flat_map(|option| super::values(words, option));
        let given: Vec<Word> = given.filter(|file| by_ending(&file.text) == Some("node")).collect();
        self.modules_of_node(names.iter().flat_map(|name| spelled(name)), &given)
    }

    /// Returns the settings that a package script may load. Without a manifest, the script itself is unknown.
    pub(super) fn by_unseen_script(&mut self, words: &[Word]) -> Vec<Started> {
        let mut operands = words.iter().map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
        let name = operands.find(|word| !matches!(*word, "run" | "run-script"));
        if !name.is_some_and(|name| SCRIPTED.contains(&name.split(':').next().unwrap_or(name))) {
            return Vec::new();
        }
        if self.nearest(None, &["package.json"]).is_some() {
            return Vec::new();
        }
        self.modules_of_node(BUILDERS.iter().flat_map(|name| spelled(name)), &[])
    }

    /// Returns whether a package runner or a package script starts the command.
    pub(super) fn is_of_package(&self) -> bool {
        self.scope.via.iter().any(|via| is_packager(&via.kind) || via.detail.contains("package.json"))
    }

    /// Returns the modules with these names, and those in a call.
    fn modules_of_node(&mut self, names: impl Iterator<Item = String>, given: &[Word]) -> Vec<Started> {
        let mut found: Vec<_> = names.filter_map(|name| self.running_name(&name)).take(SCRIPTS).collect();
        found.extend(given.iter().filter_map(|file| self.running_file(file)).take(SCRIPTS.saturating_sub(found.len())));
        let start = |(path, content)| Started {
            name: path,
            argv: reader("node"),
            content,
            sure: false,
            is_given: false,
            folder: None,
        };
        found.into_iter().map(start).collect()
    }
}

pub(super) fn is_packager(kind: &str) -> bool {
    matches!(kind, "npx" | "pnpx" | "bunx" | "npm" | "pnpm" | "yarn" | "bun" | "corepack")
}

/// Returns the keys of commands in a task file of this format.
fn command_keys(form: Form) -> Names {
    match form {
        Form::JsonKeys(keys) | Form::Keys(keys) => keys,
        _ => &[],
    }
}

/// Returns whether a command begins with a program's name or path, and not with a value or a pattern.
fn begins_plainly(command: &str) -> bool {
    command.starts_with(|char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '/' | '_' | '~'))
}

/// Returns whether a command is only the name of a code file.
fn is_code_file(command: &str) -> bool {
    !command.contains(char::is_whitespace) && by_ending(command).is_some()
}

/// Creates a loaded file, for any interpreter.
fn loaded(path: String, content: Content) -> Started {
    let name = interpreter(&content.text.text).or_else(|| by_ending(&path)).unwrap_or("sh");
    let argv = match name {
        name if shells::is_shell(name) => Vec::new(),
        name if name.starts_with("python") => reader(LOADED),
        name => reader(name),
    };
    Started { name: path, argv, content, sure: false, is_given: false, folder: None }
}

/// Returns the words at these keys: for JSON, in the tool's section of a package manifest, otherwise on the line and in
/// the list below it.
fn values_at(text: &str, section: Option<&str>, keys: &[&str]) -> Vec<String> {
    if text.trim_start().starts_with('{') {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let own = section.map_or(Some(&value), |section| value.get(section));
        let mut found = Vec::new();
        own.iter().for_each(|value| at_keys(value, keys, &mut found));
        return found;
    }
    let mut found = Vec::new();
    let mut is_list = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with(['#', ';']) || line.starts_with("//") {
            continue;
        }
        let below = line.strip_prefix("- ").or(Some(line).filter(|line| line.starts_with(['"', '\''])));
        let values = keys.iter().find_map(|key| behind(line, key));
        let values = values.or(below.filter(|_| is_list));
        // A list continues below the key, and ends at the next one.
        is_list = values.is_some_and(|values| values.is_empty() || values == "[") || is_list && below.is_some();
        let words = values.unwrap_or_default().split([' ', '\t', ',', '[', ']', '"', '\'', '=', '>']);
        found.extend(words.filter(|word| !word.is_empty() && word.len() < NAME).take(SCRIPTS).map(str::to_owned));
        if found.len() > SCRIPTS {
            break;
        }
    }
    found
}

/// Returns the text after a key or an option in a line.
fn behind<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let at = line.find(key)?;
    let begins = line.get(..at).is_some_and(|before| before.is_empty() || before.ends_with([' ', '"', '\'', '=']));
    let rest = line.get(at + key.len()..).filter(|_| begins)?;
    if key.starts_with('-') {
        return rest.starts_with([' ', '=']).then(|| rest.trim_start_matches([' ', '=']).trim());
    }
    let rest = rest.trim_start_matches(['"', '\'']).trim_start();
    rest.strip_prefix(['=', ':']).map(str::trim)
}

/// Returns the files that a name in settings may refer to.
fn spellings(folder: &str, name: &str, is_python: bool) -> Vec<String> {
    let name = name.split("://").next().unwrap_or(name).trim_start_matches("<rootDir>/");
    let at = |name: &str| if name.starts_with('/') { name.to_owned() } else { format!("{folder}/{name}") };
    if by_ending(name).is_some() {
        return vec![at(name)];
    }
    if is_python {
        let module = name.split(':').next().unwrap_or(name).replace('.', "/");
        return ["", "src/"]
            .iter()
            .flat_map(|of| [".py", "/__init__.py"].map(|end| at(&format!("{of}{module}{end}"))))
            .collect();
    }
    if !name.starts_with('.') && !name.starts_with('/') {
        return Vec::new();
    }
    let ends = ["", ".js", ".cjs", ".mjs", ".ts", ".rb", "/index.js", "/index.ts"];
    ends.iter().map(|end| at(&format!("{name}{end}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_name_files_in_many_forms() {
        for (text, keys, expected) in [
            ("{\"require\": [\"./a.js\"]}", &["require"][..], &["./a.js"][..]),
            ("require: ./a.js\n", &["require"], &["./a.js"]),
            ("require:\n  - ./a.js\n  - ./b.js\nspec: c\n", &["require"], &["./a.js", "./b.js"]),
            ("[pytest]\naddopts = -q -p evil\n", &["-p"], &["evil"]),
            ("plugins = a.py, b\n", &["plugins"], &["a.py", "b"]),
            ("preload = [\n  \"./a.ts\",\n]\n", &["preload"], &["./a.ts"]),
            ("<phpunit bootstrap=\"b.php\">\n", &["bootstrap"], &["b.php"]),
            ("# plugins = a\nno-plugins: b\n", &["plugins"], &[]),
        ] {
            assert_eq!(values_at(text, None, keys), expected, "{text}");
        }
        let manifest = "{\"require\": \"./a.js\", \"mocha\": {\"require\": \"./b.js\"}}";
        assert_eq!(values_at(manifest, Some("mocha"), &["require"]), ["./b.js"]);
    }

    #[test]
    fn a_plain_name_in_javascript_is_a_package() {
        assert_eq!(spellings("/p", "eslint-config-x", false), Vec::<String>::new());
        assert_eq!(spellings("/p", "x.js", false), ["/p/x.js"]);
        assert!(spellings("/p", "./x", false).contains(&"/p/./x.ts".to_owned()));
        assert!(spellings("/p", "a.b", true).contains(&"/p/a/b.py".to_owned()));
    }
}
