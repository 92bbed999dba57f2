//! Task runners: which commands of a project's files a task, a rule or a hook of git runs.
//!
//! The files are read line by line, not by a parser of YAML or TOML: a task that is spelled in a rare way lists a command
//! too many or too few.

mod typed;

use guard_sdk::serde_json::{self, Value};
use guard_sdk::syntax::Word;

use super::Walker;
use super::held::Held;
use super::started::{PACKAGERS, Started, reader, values};
use super::task_files::{ini, set, spelled_out, strings, toml, yaml};
use super::written::{GOAL, JUST, MAKE, SCRIPT, expanded, has_parameters, reached};
use crate::word::expand::literal;
use crate::wrappers::layer::quoted;

/// How a file holds commands.
#[derive(Clone, Copy)]
enum Form {
    /// Code of this interpreter, all of which runs.
    Code(&'static str),
    /// YAML: the values of these keys, in the block of a task below this key.
    Yaml(&'static str, &'static [&'static str]),
    /// TOML: the tables of these names hold tasks.
    Toml(&'static [&'static str]),
    /// Lines behind these keys, until one that is not indented.
    Ini(&'static [&'static str]),
    /// JSON: an object of tasks at this key.
    Json(&'static str),
    /// Lines that set one of these keys, wherever they stand.
    Keys(&'static [&'static str]),
    /// A language without a reader: texts in it that spell out a command.
    Texts,
}

/// A task runner, and the files in which it finds its tasks.
struct Runner {
    programs: &'static [&'static str],
    files: &'static [&'static str],
    form: Form,
    /// The words before the task's name; `*` if no word names one.
    before: &'static [&'static str],
}

const fn runner(
    programs: &'static [&'static str],
    files: &'static [&'static str],
    form: Form,
    before: &'static [&'static str],
) -> Runner {
    Runner { programs, files, form, before }
}

/// Task runners and tools that load code from a file of the project.
const RUNNERS: &[Runner] = &[
    runner(
        &["task", "go-task"],
        &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"],
        Form::Yaml("tasks", &["cmd", "cmds"]),
        &[],
    ),
    runner(&["lefthook"], &["lefthook.yml", "lefthook.yaml", ".lefthook.yml"], Form::Yaml("", &["run"]), &["run"]),
    runner(&["pre-commit"], &[".pre-commit-config.yaml"], Form::Yaml("", &["entry"]), &["*"]),
    runner(&["composer"], &["composer.json"], Form::Json("scripts"), &["run", "run-script"]),
    runner(&["deno"], &["deno.json", "deno.jsonc"], Form::Json("tasks"), &["task"]),
    runner(&["tox"], &["tox.ini"], Form::Ini(&["commands", "commands_pre", "commands_post"]), &["*"]),
    runner(&["nox"], &["noxfile.py"], Form::Code("python3"), &["*"]),
    runner(&["inv", "invoke"], &["tasks.py"], Form::Code("python3"), &["*"]),
    runner(&["fab"], &["fabfile.py"], Form::Code("python3"), &["*"]),
    runner(&["pytest", "py.test"], &["conftest.py"], Form::Code("python3"), &["*"]),
    runner(&["rake"], &["Rakefile", "rakefile"], Form::Code("ruby"), &["*"]),
    runner(&["bundle", "bundler"], &["Gemfile"], Form::Code("ruby"), &["*"]),
    runner(&["pry"], &[".pryrc"], Form::Code("ruby"), &["*"]),
    runner(
        &["jest"],
        &["jest.config.js", "jest.config.cjs", "jest.config.mjs", "jest.config.ts"],
        Form::Code("node"),
        &["*"],
    ),
    runner(
        &["vitest"],
        &["vitest.config.ts", "vitest.config.js", "vite.config.ts", "vite.config.js"],
        Form::Code("node"),
        &["*"],
    ),
    runner(&["mocha"], &[".mocharc.js", ".mocharc.cjs"], Form::Code("node"), &["*"]),
    runner(&["karma"], &["karma.conf.js", "karma.conf.cjs"], Form::Code("node"), &["*"]),
    runner(&["playwright"], &["playwright.config.ts", "playwright.config.js"], Form::Code("node"), &["*"]),
    runner(&["cypress"], &["cypress.config.js", "cypress.config.ts"], Form::Code("node"), &["*"]),
    runner(
        &["eslint"],
        &["eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", ".eslintrc.js", ".eslintrc.cjs"],
        Form::Code("node"),
        &["*"],
    ),
    runner(
        &["prettier"],
        &[".prettierrc.js", ".prettierrc.cjs", "prettier.config.js", "prettier.config.mjs"],
        Form::Code("node"),
        &["*"],
    ),
    runner(
        &["webpack"],
        &["webpack.config.js", "webpack.config.cjs", "webpack.config.ts", "postcss.config.js", "tailwind.config.js"],
        Form::Code("node"),
        &["*"],
    ),
    runner(
        &["vite", "astro", "nuxt", "nuxi"],
        &[
            "vite.config.ts",
            "vite.config.js",
            "vite.config.mjs",
            "astro.config.mjs",
            "nuxt.config.ts",
            "postcss.config.js",
            "tailwind.config.js",
        ],
        Form::Code("node"),
        &["*"],
    ),
    runner(
        &["next"],
        &["next.config.js", "next.config.mjs", "next.config.ts", "postcss.config.js", "tailwind.config.js"],
        Form::Code("node"),
        &["*"],
    ),
    runner(&["rollup"], &["rollup.config.js", "rollup.config.mjs"], Form::Code("node"), &["*"]),
    runner(&["gulp"], &["gulpfile.js", "gulpfile.mjs", "gulpfile.cjs"], Form::Code("node"), &["*"]),
    runner(&["grunt"], &["Gruntfile.js", "gruntfile.js"], Form::Code("node"), &["*"]),
    runner(&["pipenv"], &["Pipfile"], Form::Toml(&["scripts"]), &["run"]),
    runner(&["mise", "rtx"], &["mise.toml", ".mise.toml"], Form::Toml(&["tasks", "hooks"]), &["run", "r"]),
    runner(&["devbox"], &["devbox.json"], Form::Keys(&["init_hook"]), &["*"]),
    runner(&["lint-staged"], &[".lintstagedrc", ".lintstagedrc.json"], Form::Keys(&["*"]), &["*"]),
    runner(&["netlify", "ntl"], &["netlify.toml"], Form::Keys(&["command"]), &["*"]),
    runner(&["wrangler"], &["wrangler.toml"], Form::Keys(&["command"]), &["*"]),
    runner(&["vercel"], &["vercel.json"], Form::Keys(&["buildCommand", "installCommand", "devCommand"]), &["*"]),
    runner(&["terraform", "tofu"], &["main.tf"], Form::Keys(&["command", "program"]), &["*"]),
    runner(&["turbo", "lerna", "nx"], &["package.json"], Form::Json("scripts"), &["run"]),
    runner(&["cargo"], &["build.rs"], Form::Code("rust-script"), BUILDS),
    runner(&["mage"], &["magefile.go", "magefiles/magefile.go"], Form::Code("gorun"), &["*"]),
    runner(&["mix"], &["mix.exs"], Form::Code("elixir"), &["*"]),
    runner(&["pod"], &["Podfile"], Form::Code("ruby"), &["*"]),
    runner(&["fastlane"], &["fastlane/Fastfile", "Fastfile"], Form::Code("ruby"), &["*"]),
    runner(&["vagrant"], &["Vagrantfile"], Form::Code("ruby"), &["*"]),
    runner(&["rspec"], &["spec/spec_helper.rb", "spec/rails_helper.rb"], Form::Code("ruby"), &["*"]),
    runner(&["sphinx-build"], &["conf.py", "docs/conf.py", "docs/source/conf.py"], Form::Code("python3"), &["*"]),
    runner(&["alembic"], &["alembic/env.py", "migrations/env.py"], Form::Code("python3"), &["*"]),
    runner(&["mvn", "mvnw"], &["pom.xml"], Form::Texts, &["*"]),
    runner(&["ant"], &["build.xml"], Form::Texts, &["*"]),
    runner(
        &["gradle", "gradlew"],
        &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
        Form::Texts,
        &["*"],
    ),
    runner(&["sbt"], &["build.sbt"], Form::Texts, &["*"]),
    runner(&["bazel", "bazelisk"], &["BUILD.bazel", "BUILD", "MODULE.bazel", "WORKSPACE"], Form::Texts, &["*"]),
    runner(&["cmake"], &["CMakeLists.txt"], Form::Texts, &["*"]),
    runner(&["meson"], &["meson.build"], Form::Texts, &["*"]),
    runner(&["zig"], &["build.zig"], Form::Texts, &["build"]),
    runner(&["nix-shell"], &["shell.nix", "default.nix"], Form::Texts, &["*"]),
    runner(&["nix"], &["flake.nix"], Form::Texts, &["develop", "shell", "run", "build"]),
    runner(&["skaffold"], &["skaffold.yaml"], Form::Texts, &["*"]),
    runner(&["sls", "serverless"], &["serverless.yml", "serverless.yaml"], Form::Texts, &["*"]),
    runner(
        &["poe", "pdm", "hatch", "rye", "taskipy"],
        &["pyproject.toml"],
        Form::Toml(&["poe.tasks", "pdm.scripts", "scripts", "taskipy.tasks"]),
        &["run"],
    ),
];

/// Subcommands of `cargo` that run `build.rs`.
const BUILDS: &[&str] = &[
    "b", "bench", "build", "c", "check", "clippy", "d", "doc", "install", "nextest", "r", "run", "rustc", "t", "test",
];

/// Whether this program runs tasks of a project's files.
pub(super) fn is_runner(name: &str) -> bool {
    PACKAGERS.contains(&name)
        || matches!(name, "make" | "gmake" | "just" | "git" | "pip" | "pip3" | "tmux")
        || RUNNERS.iter().any(|runner| runner.programs.contains(&name))
}

impl Walker {
    /// The tasks that a runner's words run.
    pub(super) fn tasks(&mut self, name: &str, words: &[Word]) -> Vec<Started> {
        if name == "node" {
            let script = values(words, "--run").into_iter().next();
            let words = script.map(|script| [literal("run"), script]);
            return words.and_then(|words| self.package_scripts("npm", &words)).into_iter().collect();
        }
        if !is_runner(name) {
            return Vec::new();
        }
        match name {
            "make" | "gmake" | "just" => self.rules(name, words).into_iter().collect(),
            "git" => self.hooks(words),
            "tmux" => Vec::new(),
            "pip" | "pip3" => self.set_up(words).into_iter().collect(),
            name if PACKAGERS.contains(&name) => {
                let mut found: Vec<Started> = self.package_scripts(name, words).into_iter().collect();
                found.extend(self.pnpm_file(name));
                found
            }
            name => self.task(name, words),
        }
    }

    /// The rules that `make` or `just` runs.
    fn rules(&mut self, program: &str, words: &[Word]) -> Option<Started> {
        let own = if program == "just" { JUST } else { MAKE };
        let folder = values(words, "-C").into_iter().chain(values(words, "--directory")).next();
        let options = ["-f", "--file", "--makefile", "--justfile"];
        let given: Vec<Word> = options.iter().flat_map(|option| values(words, option)).collect();
        let within = |file: &Word| match &folder {
            Some(folder) if !file.text.starts_with('/') => {
                literal(&format!("{}/{}", folder.text.trim_end_matches('/'), file.text))
            }
            _ => file.clone(),
        };
        let (path, held) = match given.is_empty() {
            true => own.iter().find_map(|name| self.running_file(&within(&literal(name))))?,
            false => given.iter().find_map(|file| self.running_file(&within(file)))?,
        };
        let goals = words.iter().filter(|word| !word.text.starts_with('-') && !word.text.contains('='));
        let goals: Vec<&str> = goals
            .map(|word| word.text.as_str())
            .filter(|goal| given.iter().chain(&folder).all(|file| file.text != *goal))
            .collect();
        let is_given = words.iter().any(|word| word.text.contains('=')) || program == "just" && goals.len() > 1;
        let goals = match goals.as_slice() {
            // What stands behind a recipe with parameters is their values.
            [first, ..] if program == "just" && has_parameters(&held.text.text, first) => vec![*first],
            goals => goals.to_vec(),
        };
        let text = literal(&reached(&expanded(&held.text.text, words), &goals));
        let name = format!("{path}{GOAL}{}", goals.join(" "));
        let argv = ["make", "-f", "-"].map(str::to_owned).to_vec();
        let sure = held.lies;
        Some(Started { name, argv, held: Held { text, is_part: true, ..held }, sure, is_given })
    }

    /// The scripts of a package that a package manager's words run, one after the other.
    fn package_scripts(&mut self, program: &str, words: &[Word]) -> Option<Started> {
        const FOLDERS: &[&str] = &["--prefix", "-C", "--dir", "--cwd"];
        let operands: Vec<&str> = operands(words, FOLDERS).collect();
        let name = match operands.first().copied().unwrap_or("install") {
            "run" | "run-script" | "rum" | "urn" => *operands.get(1)?,
            "t" | "tst" if program == "npm" => "test",
            "i" | "ci" | "add" | "it" => "install",
            other => other,
        };
        let mut names = vec![format!("pre{name}"), name.to_owned(), format!("post{name}")];
        match name {
            "install" => names.push("prepare".to_owned()),
            "publish" | "pack" => names.extend(["prepublishOnly", "prepack", "prepare", "postpack"].map(str::to_owned)),
            "restart" => names.extend(["stop", "start"].map(str::to_owned)),
            _ => {}
        }
        // What stands behind the script's name is put to its text.
        let given: Vec<&str> =
            words.iter().map(|word| word.text.as_str()).skip_while(|word| *word != name).skip(1).collect();
        let is_given = given.iter().any(|word| *word != "--");
        let folder = FOLDERS.iter().flat_map(|option| values(words, option)).next();
        let manifest = self.nearest(folder.as_ref(), &["package.json"]);
        let scripts = manifest.as_ref().and_then(|(path, held)| self.json(path, held));
        let scripts = scripts.as_ref().and_then(|value| value.get("scripts"));
        let mut texts = Vec::new();
        let of = name;
        for name in names {
            let set = self.files.get(&format!("{SCRIPT}{name}")).map(|held| held.text.text.clone());
            let text = set.or_else(|| scripts?.get(&name)?.as_str().map(str::to_owned));
            texts.extend(text.map(|text| {
                match name == of {
                    true => given
                        .iter()
                        .filter(|word| **word != "--")
                        .fold(text, |text, word| format!("{text} {}", quoted(word))),
                    false => text,
                }
            }));
        }
        let whole = manifest.as_ref().is_none_or(|(_, held)| held.whole);
        let lies = manifest.as_ref().is_some_and(|(_, held)| held.lies);
        if texts.is_empty() && whole {
            return None;
        }
        let path = manifest.map_or_else(|| format!("{SCRIPT}{program}"), |(path, _)| path);
        let held = Held { whole, lies, is_part: true, ..Held::known(literal(&texts.join("\n"))) };
        Some(Started { name: format!("{path}{GOAL}{name}"), argv: Vec::new(), held, sure: lies, is_given })
    }

    /// The file of hooks that `pnpm` loads.
    fn pnpm_file(&mut self, program: &str) -> Option<Started> {
        let file = Some(".pnpmfile.cjs").filter(|_| program == "pnpm")?;
        let (path, held) = self.running_file(&literal(file))?;
        Some(Started { name: path, argv: reader("node"), held, sure: false, is_given: false })
    }

    fn json(&mut self, path: &str, held: &Held) -> Option<Value> {
        if !held.whole {
            return None;
        }
        let read = serde_json::from_str(&held.text.text);
        if read.is_err() {
            self.partial(&format!("{path} holds what runs, and it was not read because it is no JSON"));
        }
        read.ok()
    }

    /// The task of a runner that has a file for them.
    fn task(&mut self, program: &str, words: &[Word]) -> Vec<Started> {
        let Some(runner) = RUNNERS.iter().find(|runner| runner.programs.contains(&program)) else {
            return Vec::new();
        };
        let is_run = runner.before == ["*"]
            || operands(words, &[])
                .find(|word| !word.starts_with('+'))
                .is_some_and(|first| runner.before.contains(&first));
        if matches!(runner.form, Form::Code(_) | Form::Texts) && !is_run {
            return Vec::new();
        }
        if let Form::Code(language) = runner.form {
            let start =
                |(path, held)| Started { name: path, argv: reader(language), held, sure: false, is_given: false };
            return runner.files.iter().filter_map(|name| self.running_file(&literal(name))).map(start).collect();
        }
        self.task_of(program, words, runner).into_iter().collect()
    }

    fn task_of(&mut self, program: &str, words: &[Word], runner: &Runner) -> Option<Started> {
        let Runner { files, form, before, .. } = runner;
        let options: &[&str] = if program == "deno" {
            &["-c", "--config"]
        } else {
            &["-C", "-c", "-d", "-f", "-t", "--dir", "--taskfile", "--rootdir"]
        };
        let mut operands = operands(words, options).peekable();
        let task = match before.first() {
            Some(&"*") => "",
            Some(_) if matches!(form, Form::Texts) => "",
            Some(_) if operands.peek().is_some_and(|first| before.contains(first)) => operands.nth(1)?,
            // Only behind its own word does it run a task.
            Some(_) if matches!(program, "deno" | "pdm" | "hatch" | "rye" | "lefthook" | "pipenv" | "mise" | "rtx") => {
                return None;
            }
            _ => operands.next().unwrap_or("default"),
        };
        let (path, held) = self.nearest(None, files)?;
        let text = held.text.text.as_str();
        let commands = match *form {
            Form::Code(_) => return None,
            Form::Texts => spelled_out(text),
            Form::Keys(keys) => set(text, keys),
            Form::Yaml(section, keys) => yaml(text, section, task, keys),
            Form::Toml(tables) => toml(text, tables, task),
            Form::Ini(keys) => ini(text, keys),
            Form::Json(key) => {
                let value = self.json(&path, &held)?;
                let mut commands = Vec::new();
                strings(value.get(key)?.get(task)?, &mut commands);
                commands
            }
        };
        if commands.is_empty() {
            return None;
        }
        let text = literal(&commands.join("\n"));
        Some(Started {
            name: format!("{path}{GOAL}{task}"),
            argv: Vec::new(),
            held: Held { text, is_part: true, ..held },
            sure: false,
            is_given: false,
        })
    }

    /// `pip install FOLDER`: its `setup.py` runs.
    fn set_up(&mut self, words: &[Word]) -> Option<Started> {
        let folders = words.iter().skip_while(|word| word.text != "install").skip(1);
        let folders = folders.filter(|word| word.text.starts_with(['.', '/']));
        let mut files = folders.map(|folder| literal(&format!("{}/setup.py", folder.text.trim_end_matches('/'))));
        let (path, held) = files.find_map(|file| self.running_file(&file))?;
        Some(Started { name: path, argv: reader("python3"), held, sure: false, is_given: false })
    }
}

/// The words that are no options and no values of these options.
pub(super) fn operands<'w>(words: &'w [Word], with_value: &'w [&str]) -> impl Iterator<Item = &'w str> {
    let is_value = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|option| with_value.contains(&option.text.as_str()))
    };
    let operands = words.iter().enumerate().filter(move |(at, word)| !word.text.starts_with('-') && !is_value(*at));
    operands.map(|(_, word)| word.text.as_str())
}
