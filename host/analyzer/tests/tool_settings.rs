//! Settings that a tool finds by its own name, and code that settings name.

#![cfg(test)]

use std::collections::BTreeMap;

const PYTHON: &str = "import os\nos.system('@')\n";
const NODE: &str = "require('child_process').execSync('@')\n";
const RUBY: &str = "system('@')\n";
const PHP: &str = "<?php system('@');\n";

fn is_gone(files: &[(&str, &str)], lost: &str, command: &str) -> bool {
    let files: BTreeMap<String, String> =
        files.iter().map(|(path, text)| (format!("/repo/{path}"), text.replace('@', lost))).collect();
    let analysis = guard_testing::analyze_among(&files, command, "/repo", "/home/u");
    analysis.effects.iter().any(|e| e.operation == "fs.delete.recursive" && e.path.raw == "/home/u/gone")
}

/// Asserts that the command loses the tree through these files, and nothing if their code only reads.
#[track_caller]
fn follows(files: &[(&str, &str)], command: &str) {
    assert!(is_gone(files, "rm -rf /home/u/gone", command), "{command}");
    assert!(!is_gone(files, "ls /home/u/gone", command), "{command}");
}

#[test]
fn settings_are_found_by_the_name_of_the_tool() {
    for (file, command) in [
        ("typedoc.config.cjs", "npx typedoc"),
        ("orval.config.ts", "npx orval --watch"),
        ("openapi-ts.config.mts", "npx @hey-api/openapi-ts"),
        ("lost-pixel.config.js", "pnpm exec lost-pixel"),
        ("kysely.config.ts", "npx kysely migrate:latest"),
        ("docusaurus.config.js", "bunx docusaurus build"),
        (".size-limit.cjs", "npx size-limit"),
        ("nightwatch.conf.js", "yarn exec nightwatch"),
        (".markdownlintrc.mjs", "npx markdownlint-cli docs"),
        ("quasar.config.js", "quasar build"),
        ("own.config.js", "npx knip --config own.config.js"),
        ("vite.config.ts", "npm run dev"),
        ("tailwind.config.cjs", "yarn build"),
        ("config-overrides.js", "npx react-app-rewired start"),
    ] {
        follows(&[(file, NODE)], command);
    }
    let script = "{\"scripts\": {\"docs\": \"typedoc --out api\"}}";
    follows(&[("package.json", script), ("typedoc.config.js", NODE)], "npm run docs");
}

#[test]
fn modules_of_settings_are_followed() {
    for (settings, module, command) in [
        (("vite.config.ts", "import './own/s';\n"), ("own/s.ts", NODE), "npx vite build"),
        (("rollup.config.mjs", "import own from './own/s.js';\n"), ("own/s.ts", NODE), "npx rollup -c"),
        (("jest.config.js", "module.exports = require('./own');\n"), ("own/index.js", NODE), "npx jest"),
        (("typedoc.config.cjs", "require('./s.cjs');\n"), ("s.cjs", NODE), "npx typedoc"),
        ((".mocharc.json", "{\"require\": \"./a.js\"}"), ("a.js", NODE), "npx mocha"),
        (("conftest.py", "import helper\n"), ("helper.py", PYTHON), "pytest"),
        (("conftest.py", "pytest_plugins = ['a.b']\n"), ("a/b.py", PYTHON), "python3 -m pytest"),
        (("tests/conftest.py", "from tests.b import c\n"), ("tests/b.py", PYTHON), "pytest"),
        (("tasks.py", "from own import release\n"), ("own/release.py", PYTHON), "inv release"),
        (("a.mjs", "#!/usr/bin/env node\nimport './s.mjs';\n"), ("s.mjs", NODE), "./a.mjs"),
    ] {
        follows(&[settings, module], command);
    }
}

#[test]
fn settings_in_code_name_files_and_commands() {
    for (settings, code, command) in [
        ("playwright.config.ts", "export default { webServer: [{ command: '@' }] }\n", "npx playwright test"),
        ("tsup.config.ts", "export default { onSuccess: '@' }\n", "npx tsup"),
        ("lint-staged.config.js", "module.exports = { '*.js': ['eslint', '@'] }\n", "npx lint-staged"),
        ("ecosystem.config.cjs", "module.exports = { apps: [{ script: '@' }] }\n", "pm2 start ecosystem.config.cjs"),
        ("release.config.js", "module.exports = { plugins: [['x', { publishCmd: '@' }]] }\n", "npx semantic-release"),
    ] {
        follows(&[(settings, code)], command);
    }
    for (settings, code, command) in [
        ("vitest.config.ts", "export default { test: { setupFiles: './own' } }\n", "npx vitest run"),
        (
            "playwright.config.ts",
            "export default { globalTeardown: require.resolve('./own') }\n",
            "npx playwright test",
        ),
        ("jest.config.mjs", "export default { reporters: ['default', '<rootDir>/own.js'] }\n", "npx jest"),
        (".mocharc.cjs", "module.exports = { require: ['./own.js'] }\n", "npx mocha"),
        (".stylelintrc.cjs", "module.exports = { plugins: ['./own.js'] }\n", "npx stylelint src"),
    ] {
        follows(&[(settings, code), ("own.js", NODE)], command);
    }
}

#[test]
fn other_tools_and_seen_scripts_load_no_such_settings() {
    for (files, command) in [
        (&[("typedoc.config.js", NODE)][..], "npx orval"),
        (&[("typedoc.config.js", NODE)], "cat typedoc.config.js"),
        (&[("git.config.js", NODE)], "git status"),
        (&[("vite.config.ts", NODE), ("package.json", "{\"scripts\": {\"dev\": \"node server.js\"}}")], "npm run dev"),
        (&[("vite.config.ts", NODE)], "npm install"),
    ] {
        assert!(!is_gone(files, "rm -rf /home/u/gone", command), "{command}");
    }
}

#[test]
fn settings_name_the_code_that_is_loaded() {
    for (settings, text, code, language, command) in [
        (".mocharc.yml", "require:\n  - ./setup\n", "setup.js", NODE, "npx mocha"),
        (".babelrc", "{\"plugins\": [[\"./p.js\", {}]]}", "p.js", NODE, "npx babel src"),
        (".eslintrc.json", "{\"extends\": [\"./e.cjs\"]}", "e.cjs", NODE, "npx eslint ."),
        (".prettierrc.yaml", "plugins:\n  - ./p.mjs\n", "p.mjs", NODE, "npx prettier -c ."),
        ("jest.config.json", "{\"globalSetup\": \"<rootDir>/g.js\"}", "g.js", NODE, "npx jest"),
        ("package.json", "{\"jest\": {\"setupFiles\": [\"./s.js\"]}}", "s.js", NODE, "npx jest"),
        ("package.json", "{\"main\": \"m.js\"}", "m.js", NODE, "electron ."),
        ("Pulumi.yaml", "name: a\nruntime: nodejs\nmain: infra.js\n", "infra.js", NODE, "pulumi preview"),
        ("bunfig.toml", "[test]\npreload = [\"./p.ts\"]\n", "p.ts", NODE, "bun test"),
        ("lerna.json", "{\"npmClient\": \"./n.sh\"}", "n.sh", "#!/bin/sh\n@\n", "npx lerna bootstrap"),
        ("pytest.ini", "[pytest]\naddopts = -q -p checks.evil\n", "checks/evil.py", PYTHON, "pytest"),
        (".pylintrc", "[MAIN]\nload-plugins=evil\n", "evil.py", PYTHON, "pylint src"),
        ("mypy.ini", "[mypy]\nplugins = a.py, evil\n", "evil.py", PYTHON, "mypy ."),
        ("mkdocs.yml", "site_name: x\nhooks:\n  - h.py\n", "h.py", PYTHON, "mkdocs build"),
        (".rspec", "--color\n--require ./evil\n", "evil.rb", RUBY, "rspec"),
        (".rubocop.yml", "require:\n  - ./cops/evil.rb\n", "cops/evil.rb", RUBY, "rubocop -a"),
        ("phpunit.xml", "<phpunit\n  bootstrap=\"b.php\">\n", "b.php", PHP, "vendor/bin/phpunit"),
        ("phpstan.neon", "parameters:\n  bootstrapFiles:\n    - b.php\n", "b.php", PHP, "phpstan analyse"),
    ] {
        follows(&[(settings, text), (code, language)], command);
        assert!(!is_gone(&[(code, language)], "rm -rf /home/u/gone", command), "{command}");
    }
}

#[test]
fn files_of_more_tools_are_followed() {
    for (file, text, command) in [
        ("nodemon.json", "{\"exec\": \"@\"}", "npx nodemon"),
        ("dvc.yaml", "stages:\n  a:\n    cmd: @\n", "dvc repro"),
        (".goreleaser.yml", "before:\n  hooks:\n    - @\n", "goreleaser build"),
        (".air.toml", "[build]\ncmd = \"@\"\n", "air"),
        ("bacon.toml", "[jobs.x]\ncommand = [\"sh\", \"-c\", \"@\"]\n", "bacon x"),
        ("terragrunt.hcl", "before_hook \"x\" {\n  execute = [\"sh\", \"-c\", \"@\"]\n}\n", "terragrunt plan"),
        ("dune", "(rule (action (system \"@\")))\n", "dune build"),
        (".ghci", ":! @\n", "ghci"),
        (".php-cs-fixer.dist.php", PHP, "php-cs-fixer fix --dry-run"),
        ("rector.php", PHP, "vendor/bin/rector process"),
        (".irbrc", RUBY, "irb"),
        ("test/test_helper.rb", RUBY, "rails test"),
        ("features/environment.py", PYTHON, "behave"),
        ("pelicanconf.py", PYTHON, "pelican content"),
        (".overcommit.yml", "PreCommit:\n  X:\n    command: @\n", "overcommit --run"),
    ] {
        follows(&[(file, text)], command);
    }
}

#[test]
fn odd_settings_are_bounded() {
    for text in ["- ".repeat(5_000), "plugins: [".repeat(5_000), "-p a\n".repeat(5_000), "{\"a\":".repeat(5_000)] {
        for (file, command) in [("pytest.ini", "pytest"), (".rubocop.yml", "rubocop"), (".babelrc", "npx babel x")] {
            assert!(!is_gone(&[(file, &text)], "rm -rf /home/u/gone", command));
        }
    }
}
