//! The table of task runners, and of tools that load code from a project file, with one entry for each tool.

use super::Form::{Code, Ini, Json, JsonKeys, Keys, Scripts, Texts, Toml, Values, Yaml};
use super::{Runner, TaskPosition};
use crate::wrappers::code::languages::LOADED;

const fn always(programs: Names, files: Names, form: super::Form) -> Runner {
    Runner { programs, files, form, when: TaskPosition::Always, given: &[] }
}

/// Creates a runner that only applies after one of these words.
const fn behind(words: Names, programs: Names, files: Names, form: super::Form) -> Runner {
    Runner { programs, files, form, when: TaskPosition::Behind(words), given: &[] }
}

/// Creates a runner for the task in its first operand, or in the next one if the first is one of these words.
const fn named(words: Names, programs: Names, files: Names, form: super::Form) -> Runner {
    Runner { programs, files, form, when: TaskPosition::Named(words), given: &[] }
}

impl Runner {
    /// Adds the call's own files: after these options, and operands with these extensions.
    const fn or(self, given: Names) -> Runner {
        Runner { given, ..self }
    }
}

type Names = &'static [&'static str];

/// Subcommands of `cargo` that run `build.rs`.
const BUILDS: Names = &[
    "b", "bench", "build", "c", "check", "clippy", "d", "doc", "install", "nextest", "r", "run", "rustc", "t", "test",
];

const CONFIG: Names = &["-c", "--config"];

/// Keys with commands in a YAML task.
const PLAYS: Names =
    &["shell", "command", "raw", "cmd", "ansible.builtin.shell", "ansible.builtin.command", "ansible.builtin.raw"];

/// Runners with a task file.
pub(super) const TASKS: &[Runner] = &[
    named(
        &[],
        &["task", "go-task"],
        &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml"],
        Yaml("tasks", &["cmd", "cmds", "defer", "preconditions", "sh", "status"]),
    )
    .or(&["-t", "--taskfile"]),
    behind(&["run"], &["lefthook"], &["lefthook.yml", "lefthook.yaml", ".lefthook.yml"], Yaml("", &["run"])),
    behind(&["run"], &["lefthook"], &["lefthook.toml", ".lefthook.toml"], Keys(&["run"])),
    always(&["pre-commit", "prek"], &[".pre-commit-config.yaml"], Yaml("", &["entry"])).or(CONFIG),
    named(&["run", "run-script"], &["composer"], &["composer.json"], Json("scripts")),
    behind(&["task"], &["deno"], &["deno.json", "deno.jsonc"], Json("tasks")).or(CONFIG),
    always(&["tox"], &["tox.ini"], Ini(&["commands", "commands_pre", "commands_post"])).or(&["-c", "--conf"]),
    behind(&["run"], &["pipenv"], &["Pipfile"], Toml(&["scripts"])),
    named(&["run", "r"], &["mise", "rtx"], &["mise.toml", ".mise.toml", ".config/mise.toml"], Toml(&["tasks"])),
    always(&["mise", "rtx"], &["mise.toml", ".mise.toml"], Keys(&["enter", "cd", "preinstall", "postinstall"])),
    named(&["run"], &["pixi"], &["pixi.toml", "pyproject.toml"], Toml(&["tasks", "pixi.tasks"])),
    always(&["devbox"], &["devbox.json"], JsonKeys(&["init_hook"])),
    named(
        &["run"],
        &["poe", "pdm", "taskipy", "task"],
        &["pyproject.toml"],
        Toml(&["poe.tasks", "pdm.scripts", "scripts", "taskipy.tasks"]),
    ),
    behind(&["run"], &["hatch", "rye"], &["pyproject.toml", "hatch.toml"], Toml(&["scripts"])),
    behind(&["make"], &["cargo"], &["Makefile.toml"], Toml(&["tasks"])),
    named(&[], &["makers"], &["Makefile.toml"], Toml(&["tasks"])),
    behind(&["run", "check", "ci"], &["moon"], &["moon.yml", "moon.yaml"], Yaml("tasks", &["command", "script"])),
    always(&["nx"], &["project.json", "nx.json"], JsonKeys(&["command", "commands"])),
    always(&["ng"], &["angular.json"], JsonKeys(&["command", "commands"])),
    always(&["cdk"], &["cdk.json"], JsonKeys(&["app", "build"])),
    always(&["dub"], &["dub.json"], JsonKeys(DUB)),
    always(&["dub"], &["dub.sdl"], Texts),
    named(&["run"], &["turbo", "lerna", "nx", "lage", "wireit", "wsrun", "rush", "ultra"], &["package.json"], Scripts),
    named(&[], &["npm-run-all", "npm-run-all2", "run-s", "run-p", "nps"], &["package.json"], Scripts),
    named(&[], &["concurrently", "conc"], &["package.json"], Scripts),
    always(&["lint-staged"], &[".lintstagedrc", ".lintstagedrc.json"], Keys(&["*"])).or(CONFIG),
    always(&["lint-staged"], &["package.json"], Json("lint-staged")),
    always(&["foreman", "honcho", "overmind", "hivemind", "goreman", "forego"], &["Procfile"], Values)
        .or(&["-f", "--procfile"]),
    always(
        &["process-compose"],
        &["process-compose.yaml", "process-compose.yml", "compose.yml"],
        Yaml("processes", &["command", "shutdown"]),
    )
    .or(&["-f", "--config"]),
    always(&["supervisord"], &["supervisord.conf"], Ini(&["command"])).or(&["-c", "--configuration"]),
    behind(
        &["link", "enable", "start"],
        &["systemctl"],
        &[],
        Ini(&["ExecStart", "ExecStartPre", "ExecStartPost", "ExecStop", "ExecReload"]),
    )
    .or(&[".service"]),
    always(&["ansible-playbook"], &[], Yaml("", PLAYS)).or(&[".yml", ".yaml"]),
    always(
        &["gitlab-runner", "gitlab-ci-local"],
        &[".gitlab-ci.yml"],
        Yaml("", &["script", "before_script", "after_script"]),
    )
    .or(&["--file"]),
    always(&["netlify", "ntl"], &["netlify.toml"], Keys(&["command"])),
    always(&["wrangler"], &["wrangler.toml"], Keys(&["command"])),
    always(&["vercel"], &["vercel.json"], Keys(&["buildCommand", "installCommand", "devCommand"])),
    always(&["terraform", "tofu"], &["main.tf"], Keys(&["command", "program"])),
    always(&["terragrunt"], &["terragrunt.hcl"], Keys(&["execute", "command", "program"])),
    always(&["cdktf"], &["cdktf.json"], JsonKeys(&["app"])),
    always(&["dvc"], &["dvc.yaml"], Yaml("", &["cmd"])),
    always(&["nodemon"], &["nodemon.json"], JsonKeys(&["exec", "execMap", "start", "restart", "crash", "exit"])),
    always(&["playwright"], &[], JsonKeys(&["command"])),
    always(&["tsup", "tsdown"], &[], JsonKeys(&["onSuccess"])),
    always(&["pm2"], &["ecosystem.config.json"], JsonKeys(&["script", "post_update"])),
    always(&["semantic-release"], &[".releaserc.json"], JsonKeys(RELEASES)),
    always(&["release-it"], &[".release-it.json"], JsonKeys(&["hooks"])),
    always(&["standard-version", "commit-and-tag-version"], &[".versionrc", ".versionrc.json"], JsonKeys(&["scripts"])),
    always(&["air"], &[".air.toml"], Keys(&["cmd", "bin", "full_bin", "pre_cmd", "post_cmd"])).or(&["-c"]),
    always(&["bacon"], &["bacon.toml"], Keys(&["command"])),
    always(&["bump-my-version", "bumpversion"], &[".bumpversion.toml", "pyproject.toml"], Keys(BUMPS)),
    always(&["overcommit"], &[".overcommit.yml"], Yaml("", &["command"])),
    always(&["captainhook"], &["captainhook.json"], JsonKeys(&["action"])),
    always(&["tmuxp"], &[], Yaml("", &["shell_command", "shell_command_before", "before_script"]))
        .or(&[".yaml", ".yml"]),
    always(
        &["tmuxinator", "mux"],
        &[".tmuxinator.yml"],
        Yaml("", &["on_project_start", "pre", "pre_window", "windows"]),
    ),
    always(&["lando"], &[".lando.yml"], Yaml("", &["cmd", "run", "build", "run_as_root", "build_as_root"])),
    named(&[], &["ahoy"], &[".ahoy.yml"], Yaml("commands", &["cmd"])),
    named(&["run"], &["tusk"], &["tusk.yml"], Yaml("tasks", &["run", "command"])),
    always(&["grumphp"], &["grumphp.yml"], Yaml("", &["scripts", "command"])),
];

/// Keys of a plugin of semantic-release.
const RELEASES: Names = &[
    "addChannelCmd",
    "analyzeCommitsCmd",
    "failCmd",
    "generateNotesCmd",
    "prepareCmd",
    "publishCmd",
    "successCmd",
    "verifyConditionsCmd",
    "verifyReleaseCmd",
];

/// Keys of a tool that bumps versions.
const BUMPS: Names = &["setup_hooks", "pre_commit_hooks", "post_commit_hooks"];

/// Keys of `dub.json`.
const DUB: Names = &[
    "preBuildCommands",
    "postBuildCommands",
    "preGenerateCommands",
    "postGenerateCommands",
    "preRunCommands",
    "postRunCommands",
];

/// Files in languages without an analyzer, with texts that look like a command.
pub(super) const SPELLED: &[Runner] = &[
    always(&["mvn", "mvnw", "mvnd"], &["pom.xml"], Texts).or(&["-f", "--file"]),
    always(&["ant"], &["build.xml"], Texts).or(&["-f", "-file", "-buildfile"]),
    always(
        &["gradle", "gradlew"],
        &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "init.gradle"],
        Texts,
    )
    .or(&["-b", "--build-file", "-I", "--init-script"]),
    always(&["sbt", "sbtn"], &["build.sbt", "project/plugins.sbt"], Texts),
    always(&["mill"], &["build.sc", "build.mill"], Texts),
    always(
        &["bazel", "bazelisk", "buck2", "buck"],
        &["BUILD.bazel", "BUILD", "MODULE.bazel", "WORKSPACE", "BUCK"],
        Texts,
    ),
    always(&["cmake"], &["CMakeLists.txt"], Texts).or(&["-P", "-C"]),
    always(&["ctest"], &["CTestTestfile.cmake"], Texts).or(&["-S"]),
    always(&["meson"], &["meson.build"], Texts),
    always(&["ninja", "samu"], &["build.ninja"], Texts).or(&["-f"]),
    behind(&["build"], &["zig"], &["build.zig"], Texts),
    always(&["nix-shell", "nix-build"], &["shell.nix", "default.nix"], Texts).or(&[".nix"]),
    behind(&["develop", "shell", "run", "build"], &["nix"], &["flake.nix"], Texts),
    always(&["skaffold"], &["skaffold.yaml"], Texts).or(&["-f", "--filename"]),
    always(&["sls", "serverless"], &["serverless.yml", "serverless.yaml"], Texts),
    always(&["tilt"], &["Tiltfile"], Texts).or(&["-f", "--file"]),
    always(&["rebar3"], &["rebar.config"], Texts),
    always(&["snakemake"], &["Snakefile", "workflow/Snakefile"], Texts).or(&["-s", "--snakefile"]),
    always(&["nextflow"], &["main.nf"], Texts).or(&[".nf"]),
    always(&["packer"], &[], Texts).or(&[".pkr.hcl", ".json"]),
    always(&["goreleaser"], &[".goreleaser.yml", ".goreleaser.yaml", "goreleaser.yml"], Texts).or(&["-f", "--config"]),
    always(&["helmfile"], &["helmfile.yaml", "helmfile.yml"], Texts).or(&["-f", "--file"]),
    always(&["dune"], &["dune", "bin/dune", "src/dune"], Texts),
    always(&["lein"], &["project.clj"], Texts),
    always(&["cpack"], &["CPackConfig.cmake"], Texts),
    always(&["modd"], &["modd.conf"], Texts),
    always(&["reflex"], &["reflex.conf"], Texts).or(CONFIG),
    always(&["ghci", "cabal", "stack"], &[".ghci"], Texts),
    always(&["mask"], &["maskfile.md"], Texts),
    always(&["tup"], &["Tupfile"], Texts),
    always(&["nomad"], &[], Texts).or(&[".nomad", ".hcl"]),
];

/// Tools that load code.
pub(super) const LOADERS: &[Runner] = &[
    always(&["nox"], &["noxfile.py"], Code("python3")).or(&["-f", "--noxfile"]),
    always(&["inv", "invoke"], &["tasks.py"], Code("python3")),
    always(&["fab"], &["fabfile.py"], Code("python3")),
    always(&["doit"], &["dodo.py"], Code("python3")).or(&["-f", "--file"]),
    always(&["scons"], &["SConstruct", "Sconstruct", "sconstruct"], Code("python3")).or(&["-f", "--file"]),
    always(&["waf"], &["wscript"], Code("python3")),
    always(&["pytest", "py.test"], &["conftest.py", "tests/conftest.py", "test/conftest.py"], Code(LOADED)),
    always(&["pytest", "py.test"], &["tests/__init__.py", "tests/setup.py", "test/__init__.py"], Code(LOADED)),
    always(&["pytest", "py.test", "unittest", "nose2"], &[], Code(LOADED)).or(&[".py"]),
    always(&["locust"], &["locustfile.py"], Code("python3")).or(&["-f", "--locustfile"]),
    always(&["gunicorn"], &["gunicorn.conf.py"], Code("python3")).or(CONFIG),
    always(&["flask"], &["app.py", "wsgi.py"], Code(LOADED)),
    always(&["sphinx-build"], &["conf.py", "docs/conf.py", "docs/source/conf.py"], Code("python3")),
    always(&["alembic"], &["alembic/env.py", "migrations/env.py"], Code("python3")),
    always(&["build", "pyproject-build"], &["setup.py"], Code("python3")),
    behind(
        &["build", "sync", "lock", "install"],
        &["uv", "poetry", "pdm", "hatch"],
        &["setup.py", "build.py"],
        Code("python3"),
    ),
    always(&["conan"], &["conanfile.py"], Code("python3")),
    always(&["pulumi"], &["__main__.py"], Code("python3")),
    always(&["pulumi"], &["index.*"], Code("node")),
    always(&["rake"], &["Rakefile", "rakefile"], Code("ruby")).or(&["-f", "--rakefile"]),
    always(&["bundle", "bundler"], &["Gemfile"], Code("ruby")),
    behind(&["bundle"], &["brew"], &["Brewfile"], Code("ruby")).or(&["--file"]),
    always(&["pry"], &[".pryrc"], Code("ruby")),
    always(&["guard"], &["Guardfile"], Code("ruby")),
    always(&["rackup", "puma", "unicorn", "thin"], &["config.ru", "config/puma.rb", "config/unicorn.rb"], Code("ruby"))
        .or(&["-C", "-c", "--config"]),
    always(&["cap"], &["Capfile", "config/deploy.rb"], Code("ruby")),
    always(&["danger"], &["Dangerfile"], Code("ruby")),
    always(&["thor"], &["Thorfile"], Code("ruby")),
    always(&["pod"], &["Podfile"], Code("ruby")),
    always(&["fastlane"], &["fastlane/Fastfile", "Fastfile"], Code("ruby")),
    always(&["vagrant"], &["Vagrantfile"], Code("ruby")),
    always(&["rspec"], &["spec/spec_helper.rb", "spec/rails_helper.rb"], Code("ruby")),
    behind(&["runner", "r"], &["rails"], &[], Code("ruby")).or(&[".rb"]),
    behind(&["db:seed", "db:setup", "db:reset"], &["rails", "rake"], &["db/seeds.rb"], Code("ruby")),
    behind(BUILDS, &["cargo"], &["build.rs"], Code("rust-script")),
    always(&["mage"], &["magefile.go", "magefiles/magefile.go"], Code("gorun")),
    always(&["mix"], &["mix.exs"], Code("elixir")),
    always(&["nim", "nimble"], &["config.nims"], Code("nim")),
    always(&["jest"], &["jest.config.*", "jest.setup.*", "babel.config.*", ".babelrc.*"], Code("node")).or(CONFIG),
    always(&["vitest"], &["vitest.config.*", "vite.config.*", "vitest.workspace.*"], Code("node")).or(CONFIG),
    always(&["mocha"], &[".mocharc.*"], Code("node")).or(&["--config", "-r", "--require"]),
    always(&["ava"], &["ava.config.*"], Code("node")).or(&["--config"]),
    always(&["karma"], &["karma.conf.*"], Code("node")).or(&[".conf.js"]),
    always(&["wdio"], &["wdio.conf.*"], Code("node")).or(&[".conf.js", ".conf.ts"]),
    always(&["playwright"], &["playwright.config.*"], Code("node")).or(CONFIG),
    always(&["cypress"], &["cypress.config.*"], Code("node")).or(&["-C", "--config-file"]),
    always(&["eslint"], &["eslint.config.*", ".eslintrc.*"], Code("node")).or(CONFIG),
    always(&["prettier"], &[".prettierrc.*", "prettier.config.*"], Code("node")).or(&["--config"]),
    always(&["stylelint"], &["stylelint.config.*", ".stylelintrc.*"], Code("node")).or(&["--config"]),
    always(&["commitlint"], &["commitlint.config.*", ".commitlintrc.*"], Code("node")).or(&["-g", "--config"]),
    always(&["lint-staged"], &["lint-staged.config.*", ".lintstagedrc.*"], Code("node")),
    always(
        &["webpack", "webpack-dev-server", "rspack"],
        &["webpack.config.*", "rspack.config.*", "postcss.config.*", "tailwind.config.*", "babel.config.*"],
        Code("node"),
    )
    .or(CONFIG),
    always(
        &["vite", "astro", "nuxt", "nuxi", "svelte-kit", "vitepress", "storybook", "remix", "react-router"],
        &[
            "vite.config.*",
            "astro.config.*",
            "nuxt.config.*",
            "svelte.config.*",
            "postcss.config.*",
            "tailwind.config.*",
            ".storybook/main.*",
        ],
        Code("node"),
    )
    .or(CONFIG),
    always(&["next"], &["next.config.*", "postcss.config.*", "tailwind.config.*"], Code("node")),
    always(&["tailwindcss", "postcss"], &["tailwind.config.*", "postcss.config.*"], Code("node")).or(CONFIG),
    always(&["rollup"], &["rollup.config.*"], Code("node")).or(CONFIG),
    always(&["tsup", "tsdown", "unbuild"], &["tsup.config.*", "tsdown.config.*", "build.config.*"], Code("node")),
    always(&["babel", "babel-node"], &["babel.config.*", ".babelrc.*"], Code("node")).or(&["--config-file"]),
    always(&["gulp"], &["gulpfile.*"], Code("node")).or(&["-f", "--gulpfile"]),
    always(&["grunt"], &["Gruntfile.*", "gruntfile.*"], Code("node")).or(&["--gruntfile"]),
    always(
        &["react-native", "metro", "expo"],
        &["metro.config.*", "app.config.*", "react-native.config.*"],
        Code("node"),
    ),
    always(&["drizzle-kit"], &["drizzle.config.*"], Code("node")).or(&["--config"]),
    always(&["prisma"], &["prisma.config.*"], Code("node")).or(&["--config"]),
    always(&["knex"], &["knexfile.*"], Code("node")).or(&["--knexfile"]),
    always(&["gatsby"], &["gatsby-node.*", "gatsby-config.*"], Code("node")),
    always(&["ember"], &["ember-cli-build.*", "testem.*"], Code("node")),
    always(&["eleventy"], &[".eleventy.*", "eleventy.config.*"], Code("node")).or(&["--config"]),
    always(&["hardhat"], &["hardhat.config.*"], Code("node")).or(&["--config"]),
    always(&["semantic-release"], &["release.config.*", ".releaserc.*"], Code("node")),
    always(&["release-it"], &[".release-it.*"], Code("node")).or(&["--config"]),
    always(&["standard-version", "commit-and-tag-version"], &[".versionrc.*"], Code("node")),
    always(&["truffle"], &["truffle-config.*"], Code("node")),
    always(&["pm2"], &["ecosystem.config.*"], Code("node")),
    always(&["codeceptjs"], &["codecept.conf.*"], Code("node")),
    always(&["dependency-cruise", "depcruise"], &[".dependency-cruiser.*"], Code("node")).or(CONFIG),
    always(&["vue-cli-service"], &["vue.config.*"], Code("node")),
    always(&["react-app-rewired"], &["config-overrides.*"], Code("node")),
    always(&["graphql-codegen"], &["codegen.*", "graphql.config.*"], Code("node")).or(CONFIG),
    always(&["unocss"], &["uno.config.*", "unocss.config.*"], Code("node")).or(CONFIG),
    always(&["nps"], &["package-scripts.*"], Code("node")),
    always(&["jake"], &["Jakefile.*"], Code("node")),
    always(&["testcafe"], &[".testcaferc.*"], Code("node")),
    always(&["php-cs-fixer"], &[".php-cs-fixer.php", ".php-cs-fixer.dist.php"], Code("php")).or(&["--config"]),
    always(&["rector"], &["rector.php"], Code("php")).or(&["-c", "--config"]),
    always(&["ecs"], &["ecs.php"], Code("php")),
    always(&["castor"], &["castor.php"], Code("php")),
    always(&["dep"], &["deploy.php"], Code("php")),
    always(&["phinx"], &["phinx.php"], Code("php")),
    always(&["robo"], &["RoboFile.php"], Code("php")),
    always(&["pest"], &["tests/Pest.php"], Code("php")),
    always(&["irb"], &[".irbrc"], Code("ruby")),
    always(&["rails"], &["config/boot.rb", "config/application.rb"], Code("ruby")),
    behind(&["test", "t"], &["rails"], &["test/test_helper.rb"], Code("ruby")),
    always(&["cucumber"], &["features/support/env.rb"], Code("ruby")),
    always(&["toys"], &[".toys.rb"], Code("ruby")),
    always(&["berks"], &["Berksfile"], Code("ruby")),
    always(&["pdb"], &[".pdbrc"], Code("python3")),
    always(&["behave"], &["features/environment.py"], Code(LOADED)),
    always(&["pelican"], &["pelicanconf.py"], Code("python3")),
    always(&["duty"], &["duties.py"], Code("python3")),
    always(&["jupyter", "jupyter-lab", "jupyter-notebook"], &["jupyter_notebook_config.py"], Code("python3")),
    always(&["ocaml", "utop"], &[".ocamlinit"], Code("ocaml")),
    always(&["iex"], &[".iex.exs"], Code("elixir")),
    always(&["xmake"], &["xmake.lua"], Code("lua")),
    always(&["premake5", "premake"], &["premake5.lua"], Code("lua")),
];
