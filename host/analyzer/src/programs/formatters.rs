//! Formatters, fixing linters, and codemods: the files that they rewrite.
//!
//! All programs share one table and one parser. A named file is written. In a named folder or the working directory,
//! files with certain names are rewritten.

use guard_sdk::syntax::Word;

use crate::options::{Operand, Options, Parsed};
use crate::run::Run;

/// The syntax with which a program rewrites files.
struct Formatter {
    names: &'static [&'static str],
    /// Verbs that rewrite files, with their words separated by spaces. The operands must start with one of these.
    /// Empty: any call.
    verbs: &'static [&'static str],
    /// Options of which it needs one to write. Empty: it always writes.
    with: &'static [&'static str],
    /// Options with which it only checks.
    without: &'static [&'static str],
    options: Options,
    /// The pattern of the files' names.
    files: &'static str,
    /// The paths that it searches if no operand is present. Empty: none.
    usual: &'static [&'static str],
    /// Options with which it searches folders. Empty: it always does.
    deep: &'static [&'static str],
}

const CHECKS: &[&str] =
    &["check", "diff", "list-different", "l", "dry-run", "dry", "d", "n", "help", "h", "version", "V", "fix-dry-run"];
const NONE: Formatter = Formatter {
    names: &[],
    verbs: &[],
    with: &[],
    without: CHECKS,
    options: Options::NONE,
    files: "*",
    usual: &[],
    deep: &[],
};
const HERE: &[&str] = &["."];
const GO: Options =
    Options { single: true, ..Options::new("", "r cpuprofile local srcdir tabs tabwidth lang modpath") };
const TERRAFORM: Options = Options { single: true, ..Options::new("", "chdir") };
const WEB: &str = "*.{js,jsx,mjs,cjs,ts,tsx,mts,cts,json,json5,jsonc,css,scss,less,html,vue,svelte,astro,md,mdx,markdown,yaml,yml,graphql,gql,hbs}";
const SCRIPTS: &str = "*.{js,jsx,mjs,cjs,ts,tsx,mts,cts,vue,svelte,astro}";
const STYLES: &str = "*.{css,scss,sass,less,vue,svelte,html}";
const PYTHON: &str = "*.{py,pyi,ipynb}";
const C: &str = "*.{c,h,cc,cpp,cxx,hpp,hh,m,mm,java,cs,proto,js,ts}";

/// The folders of a Rust package, and of the packages of a workspace.
const RUST: &[&str] = &[
    "src",
    "tests",
    "benches",
    "examples",
    "*/{src,tests,benches,examples}",
    "{crates,packages,libs}/*/{src,tests,benches,examples}",
];

const FORMATTERS: &[Formatter] = &[
    Formatter {
        names: &["prettier", "prettierd"],
        with: &["w", "write"],
        without: &["help", "h", "version"],
        options: Options::new("", "config config-path ignore-path plugin parser log-level print-width tab-width"),
        files: WEB,
        ..NONE
    },
    Formatter {
        names: &["eslint", "eslint_d", "oxlint", "xo", "standard", "ts-standard", "tslint", "next lint"],
        with: &["fix"],
        without: &["help", "h", "version", "fix-dry-run"],
        options: Options::new("cfo", "config ext ignore-path rule format output-file max-warnings plugin parser env"),
        files: SCRIPTS,
        usual: HERE,
        ..NONE
    },
    Formatter {
        names: &["biome", "rome", "@biomejs/biome", "rslint"],
        verbs: &["format", "check", "lint", "migrate"],
        with: &["write", "apply", "apply-unsafe", "fix"],
        without: &["help", "version"],
        options: Options::new("", "config-path log-level max-diagnostics reporter since only skip"),
        files: WEB,
        usual: HERE,
        ..NONE
    },
    Formatter {
        names: &["stylelint"],
        with: &["fix"],
        without: &["help", "version"],
        options: Options::new("", "config custom-syntax ignore-path formatter"),
        files: STYLES,
        ..NONE
    },
    Formatter { names: &["dprint"], verbs: &["fmt"], options: Options::new("c", "config"), usual: HERE, ..NONE },
    Formatter {
        names: &["deno"],
        verbs: &["fmt"],
        options: Options::new("c", "config ext ignore"),
        files: WEB,
        usual: HERE,
        ..NONE
    },
    Formatter {
        names: &["deno"],
        verbs: &["lint"],
        with: &["fix"],
        options: Options::new("c", "config ext ignore"),
        files: SCRIPTS,
        usual: HERE,
        ..NONE
    },
    Formatter {
        names: &["black", "blue", "isort", "pyink", "usort", "ssort"],
        without: &["check", "diff", "check-only", "c", "stdout", "d", "help", "h", "version", "show-files"],
        options: Options::new(
            "ltCWp",
            "line-length target-version config include exclude extend-exclude force-exclude workers profile \
             settings-path settings-file sp code",
        ),
        files: PYTHON,
        ..NONE
    },
    Formatter {
        names: &["ruff"],
        verbs: &["format"],
        options: Options::new("", "config line-length target-version exclude extend-exclude range extension"),
        files: PYTHON,
        usual: HERE,
        ..NONE
    },
    Formatter {
        names: &["ruff"],
        verbs: &["check", "lint"],
        with: &["fix", "unsafe-fixes", "fix-only", "add-noqa"],
        without: &["diff", "help", "h", "no-fix"],
        options: Options::new("", "config select ignore extend-select exclude target-version output-format extension"),
        files: PYTHON,
        usual: HERE,
        ..NONE
    },
    Formatter {
        names: &["autopep8", "yapf", "autoflake", "docformatter", "pycln", "add-trailing-comma", "flynt", "2to3"],
        with: &["i", "in-place", "w", "write", "a"],
        options: Options::new("pej", "max-line-length style exclude jobs select ignore fix"),
        files: PYTHON,
        ..NONE
    },
    Formatter { names: &["pyupgrade", "reorder-python-imports", "bowler"], files: PYTHON, ..NONE },
    Formatter {
        names: &["gofmt", "goimports", "gofumpt", "golines", "gci"],
        with: &["w"],
        without: &["help", "h"],
        options: GO,
        files: "*.go",
        ..NONE
    },
    Formatter {
        names: &["go"],
        verbs: &["fmt", "fix"],
        options: GO,
        files: "*.go",
        usual: HERE,
        deep: &["..."],
        ..NONE
    },
    Formatter {
        names: &["golangci-lint"],
        verbs: &["run", "fmt"],
        with: &["fix"],
        options: Options::new("cED", "config enable disable timeout"),
        files: "*.go",
        usual: HERE,
        ..NONE
    },
    Formatter {
        names: &["rustfmt"],
        options: Options::new("", "edition config config-path emit color print-config"),
        files: "*.rs",
        ..NONE
    },
    Formatter {
        names: &["cargo"],
        verbs: &["fmt"],
        options: Options::new("p", "package manifest-path message-format"),
        files: "*.rs",
        usual: RUST,
        ..NONE
    },
    Formatter {
        names: &["cargo"],
        verbs: &["fix", "clippy"],
        with: &["fix", "allow-dirty", "allow-staged", "edition"],
        options: Options::new("pFj", "package manifest-path features target bin test example"),
        files: "*.rs",
        usual: RUST,
        ..NONE
    },
    Formatter {
        names: &["terraform", "tofu"],
        verbs: &["fmt"],
        without: &["check", "write=false", "help", "h"],
        options: TERRAFORM,
        files: "*.{tf,tfvars,hcl}",
        usual: HERE,
        deep: &["recursive"],
        ..NONE
    },
    Formatter {
        names: &["packer", "nomad"],
        verbs: &["fmt"],
        options: TERRAFORM,
        files: "*.{hcl,pkr.hcl,nomad}",
        usual: HERE,
        deep: &["recursive"],
        ..NONE
    },
    Formatter {
        names: &["terragrunt"],
        verbs: &["hclfmt", "hcl fmt", "hcl format"],
        options: Options::new("", "terragrunt-working-dir working-dir"),
        files: "*.hcl",
        usual: HERE,
        ..NONE
    },
    Formatter {
        names: &["sqlfluff"],
        verbs: &["fix", "format"],
        options: Options::new("dtpe", "dialect templater processes rules exclude-rules config"),
        files: "*.{sql,dml,ddl}",
        usual: HERE,
        ..NONE
    },
    Formatter { names: &["sqlfmt"], options: Options::new("l", "line-length exclude"), files: "*.sql", ..NONE },
    Formatter { names: &["pg_format", "sql-formatter"], with: &["i", "inplace", "fix"], files: "*.sql", ..NONE },
    Formatter {
        names: &["yamlfmt", "yamlfix"],
        without: &["lint", "dry", "help", "h", "in", "version"],
        options: Options { single: true, ..Options::new("", "conf exclude formatter match_type") },
        files: "*.{yml,yaml}",
        usual: HERE,
        ..NONE
    },
    Formatter {
        names: &["shfmt"],
        with: &["w", "write"],
        without: &["help", "h", "version"],
        options: Options::new("i", "indent ln language-dialect"),
        files: "*.{sh,bash,bats,mksh}",
        ..NONE
    },
    Formatter {
        names: &["clang-format", "astyle", "uncrustify", "google-java-format", "ktlint", "swift-format"],
        with: &["i", "in-place", "inplace", "no-backup", "replace", "F", "format", "r"],
        without: &["dry-run", "n", "help", "h", "version"],
        options: Options::new("", "style assume-filename files"),
        files: C,
        ..NONE
    },
    Formatter { names: &["swiftformat"], without: &["lint", "dryrun", "help"], files: "*.swift", ..NONE },
    Formatter {
        names: &["dart"],
        verbs: &["format", "fix"],
        files: "*.dart",
        without: &["o", "output", "help"],
        ..NONE
    },
    Formatter {
        names: &["mix"],
        verbs: &["format"],
        without: &["check-formatted"],
        files: "*.{ex,exs,heex}",
        usual: &["{lib,config,test}", "{apps}/*/{lib,test}"],
        ..NONE
    },
    Formatter { names: &["zig"], verbs: &["fmt"], files: "*.{zig,zon}", ..NONE },
    Formatter { names: &["perltidy"], with: &["b", "backup-and-modify-in-place"], files: "*.{pl,pm,t}", ..NONE },
    Formatter {
        names: &["latexindent", "latexindent.pl"],
        with: &["w", "wd"],
        without: &["help", "h"],
        files: "*.{tex,sty,cls}",
        ..NONE
    },
    Formatter { names: &["elm-format"], with: &["yes"], without: &["output", "validate"], files: "*.elm", ..NONE },
    Formatter { names: &["ormolu", "fourmolu", "stylish-haskell"], with: &["i", "inplace"], files: "*.hs", ..NONE },
    Formatter { names: &["cmake-format"], with: &["i", "in-place"], files: "*.{cmake,txt}", ..NONE },
    Formatter {
        names: &["jsonnetfmt"],
        with: &["i", "in-place"],
        without: &["test"],
        files: "*.{jsonnet,libsonnet}",
        ..NONE
    },
    Formatter { names: &["buildifier"], without: &["mode", "help"], files: "*.{bzl,bazel}", ..NONE },
    Formatter { names: &["js-beautify", "css-beautify", "html-beautify"], with: &["r", "replace"], files: WEB, ..NONE },
    Formatter { names: &["stylua"], files: "*.lua", options: Options::new("fg", "config-path glob"), ..NONE },
    Formatter {
        names: &["rubocop", "standardrb", "rufo"],
        with: &["a", "A", "autocorrect", "autocorrect-all", "auto-correct", "fix", "auto-gen-config"],
        without: &["help", "h", "version"],
        options: Options::new("cfo", "config format out only except"),
        files: "*.{rb,rake,gemspec,ru}",
        usual: HERE,
        ..NONE
    },
    Formatter { names: &["php-cs-fixer"], verbs: &["fix"], files: "*.php", usual: HERE, ..NONE },
    Formatter { names: &["phpcbf", "pint"], without: &["test", "help", "h"], files: "*.php", usual: HERE, ..NONE },
    Formatter {
        names: &["markdownlint", "markdownlint-cli2", "remark"],
        with: &["f", "fix", "o", "output"],
        without: &["help", "h"],
        options: Options::new("cpr", "config ignore-path rules"),
        files: "*.{md,mdx,markdown}",
        ..NONE
    },
    Formatter { names: &["mdformat"], files: "*.md", ..NONE },
    Formatter { names: &["nixfmt", "nixpkgs-fmt", "alejandra"], files: "*.nix", ..NONE },
    Formatter { names: &["buf"], verbs: &["format"], with: &["w", "write"], files: "*.proto", usual: HERE, ..NONE },
    Formatter {
        names: &["jscodeshift", "lebab"],
        options: Options::new("tc", "transform extensions parser cpus ignore-pattern ignore-config"),
        files: SCRIPTS,
        ..NONE
    },
    Formatter { names: &["jupyter"], verbs: &["nbconvert"], with: &["inplace"], files: "*.ipynb", ..NONE },
    Formatter { names: &["nbstripout"], without: &["t", "verify", "dry-run", "help"], files: "*.ipynb", ..NONE },
    Formatter {
        names: &["exiftool"],
        with: &["overwrite_original", "overwrite_original_in_place"],
        options: Options { single: true, ..Options::new("", "o tagsFromFile") },
        ..NONE
    },
    Formatter {
        names: &["ast-grep", "sg"],
        with: &["U", "update-all"],
        without: &["help", "h"],
        options: Options::new("pcrl", "pattern rewrite lang config rule selector globs threads"),
        usual: HERE,
        ..NONE
    },
    Formatter {
        names: &["comby"],
        with: &["i", "in-place"],
        without: &["help", "stdin", "diff"],
        options: Options { single: true, ..Options::new("", "d directory f matcher exclude-dir config") },
        usual: HERE,
        ..NONE
    },
];

/// The maximum number of operands that are examined.
const WORDS: usize = 256;

/// Adds a write for each file and folder whose files the command rewrites.
pub(super) fn find(run: &mut Run<'_>) {
    let (name, words) = called(run);
    for formatter in FORMATTERS.iter().filter(|formatter| formatter.names.contains(&name.as_str())) {
        let mut parsed = run.parse(words, formatter.options);
        super::placeholder_operands::fill(run, &mut parsed);
        if formatter.write(run, &parsed) {
            return;
        }
    }
}

/// Returns the formatter and its arguments, also those of `python -m black .` and of `yarn eslint .`.
fn called<'a>(run: &Run<'a>) -> (String, &'a [Word]) {
    let words: &'a [Word] = run.arguments();
    let module = run.name.starts_with("python") && words.first().is_some_and(|word| word.text == "-m");
    let is_script = matches!(run.name.as_str(), "yarn" | "pnpm" | "bun");
    let at = usize::from(module);
    let inner = words.get(at).filter(|_| module || is_script).map(|word| word.text.as_str());
    let known = inner.filter(|name| FORMATTERS.iter().any(|formatter| formatter.names.contains(name)));
    match known {
        Some(name) => (name.to_owned(), words.get(at + 1..).unwrap_or_default()),
        None => (run.name.strip_suffix(".exe").unwrap_or(&run.name).to_owned(), words),
    }
}

impl Formatter {
    /// Adds the writes if the call rewrites files. Returns whether it does.
    fn write<'a>(&self, run: &mut Run<'a>, parsed: &Parsed<'a>) -> bool {
        let behind = match self.verbs {
            [] => Some(0),
            verbs => verbs.iter().find_map(|verb| super::trees::leads(verb, parsed)),
        };
        let Some(behind) = behind else { return false };
        let is_off = |option: &str| match option.split_once('=') {
            Some((name, value)) => parsed.flag(&[name]).is_some_and(|flag| flag.text() == value),
            None => !self.with.contains(&option) && parsed.flag(&[option]).is_some(),
        };
        if !self.with.is_empty() && parsed.flag(self.with).is_none() || self.without.iter().any(|name| is_off(name)) {
            return false;
        }
        if let Some(folder) = parsed.value("", "chdir") {
            run.enter(&folder);
        }
        let operands = parsed.from(behind);
        // `./...` is a folder and everything below it.
        let whole = |operand: &Operand<'a>| {
            operand.text.strip_suffix("...").map(|folder| folder.trim_end_matches('/').to_owned())
        };
        let deep = self.deep.is_empty() || parsed.flag(self.deep).is_some();
        for operand in operands.iter().take(WORDS).filter(|operand| operand.text != "-") {
            match whole(operand) {
                Some(folder) => run.write_among(&operand.renamed(folder), self.files, true),
                None => run.write_among(operand, self.files, deep),
            }
        }
        if operands.is_empty() && !self.usual.is_empty() {
            let deep = if deep { "**/" } else { "" };
            run.write_here_among(self.usual.iter().map(|folder| format!("{folder}/{deep}{}", self.files)));
        }
        true
    }
}
