//! Wrappers of package managers and development tools.

use super::{PLAIN, Wrapper, takes};

/// Programs in packages that run code in their arguments or delete files. Other names may be those of scripts.
const OF_PACKAGES: &[&str] = &[
    "babel-node",
    "bun",
    "cross-env",
    "cross-env-shell",
    "del-cli",
    "deno",
    "dotenv",
    "esno",
    "jiti",
    "node",
    "nodemon",
    "rimraf",
    "shx",
    "swc-node",
    "ts-node",
    "tsx",
    "vite-node",
    "zx",
];

/// The package managers that `corepack` starts.
const OF_COREPACK: &[&str] = &["npm", "npx", "pnpm", "pnpx", "yarn", "yarnpkg"];

pub(super) static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "npx",
        takes: takes("pwcC", "package workspace call prefix registry cache userconfig"),
        detail: &["p", "package"],
        directory: &["C", "prefix"],
        text: &["c", "call"],
        ..PLAIN
    },
    Wrapper {
        name: "npm",
        takes: takes("pwcC", "package workspace call prefix tag registry scope access otp loglevel cache userconfig"),
        detail: &["p", "package"],
        directory: &["C", "prefix"],
        verbs: &["exec", "x"],
        text: &["c", "call"],
        ..PLAIN
    },
    Wrapper {
        name: "npm",
        takes: takes("wC", "workspace prefix tag registry scope access otp loglevel cache userconfig"),
        directory: &["C", "prefix"],
        verbs: &["init", "create", "innit"],
        creates: true,
        ..PLAIN
    },
    Wrapper { name: "pnpx", ..PLAIN },
    Wrapper {
        name: "pnpm",
        takes: takes("CF", "dir filter"),
        directory: &["C"],
        verbs: &["create"],
        creates: true,
        ..PLAIN
    },
    Wrapper {
        name: "pnpm",
        takes: takes("CF", "package dir filter"),
        detail: &["package"],
        directory: &["C"],
        verbs: &["dlx", "exec"],
        ..PLAIN
    },
    Wrapper { name: "pnpm", takes: takes("CF", "dir filter"), programs: OF_PACKAGES, directory: &["C"], ..PLAIN },
    Wrapper {
        name: "yarn",
        takes: takes("p", "package cwd"),
        verbs: &["dlx", "exec"],
        detail: &["p", "package"],
        ..PLAIN
    },
    Wrapper { name: "yarn", takes: takes("", "cwd"), programs: OF_PACKAGES, ..PLAIN },
    Wrapper { name: "yarn", takes: takes("", "cwd"), verbs: &["create"], creates: true, ..PLAIN },
    Wrapper { name: "corepack", programs: OF_COREPACK, ..PLAIN },
    // The commands of a POSIX shell on any system.
    Wrapper { name: "shx", ..PLAIN },
    Wrapper { name: "bunx", takes: takes("p", "package"), ..PLAIN },
    Wrapper { name: "uvx", takes: takes("pw", "python with from index-url"), detail: &["from", "with"], ..PLAIN },
    Wrapper {
        name: "uv",
        takes: takes("pm", "python with extra group package env-file directory project with-requirements"),
        detail: &["with", "env-file"],
        verbs: &["run"],
        ..PLAIN
    },
    Wrapper { name: "uv", takes: takes("pw", "from with python"), verbs: &["tool"], after: &["run"], ..PLAIN },
    Wrapper { name: "poetry", takes: takes("CP", "directory project"), verbs: &["run"], directory: &["C"], ..PLAIN },
    Wrapper {
        name: "pipx",
        takes: takes("", "spec python index-url pip-args"),
        detail: &["spec"],
        verbs: &["run"],
        ..PLAIN
    },
    Wrapper { name: "pipenv", verbs: &["run"], ..PLAIN },
    Wrapper { name: "pdm", takes: takes("p", "project"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "hatch", takes: takes("e", "env"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "rye", verbs: &["run"], ..PLAIN },
    Wrapper { name: "conda", takes: takes("np", "name prefix cwd"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "mamba", takes: takes("np", "name prefix cwd"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "bundler", takes: takes("", "gemfile"), verbs: &["exec"], ..PLAIN },
    Wrapper { name: "bundle", takes: takes("", "gemfile"), verbs: &["exec"], ..PLAIN },
    Wrapper { name: "direnv", verbs: &["exec"], skip: 1, ..PLAIN },
    Wrapper { name: "op", takes: takes("", "env-file account"), verbs: &["run"], ..PLAIN },
    Wrapper {
        name: "doppler",
        takes: takes("pc", "project config command"),
        verbs: &["run"],
        text: &["command"],
        ..PLAIN
    },
    Wrapper { name: "aws-vault", takes: takes("d", "duration"), verbs: &["exec"], skip: 1, opens: true, ..PLAIN },
    Wrapper {
        name: "nix-shell",
        takes: takes("pAI", "run command packages attr argstr arg"),
        text: &["run", "command"],
        skip: usize::MAX,
        opens: true,
        stays: true,
        ..PLAIN
    },
    Wrapper { name: "nix", verbs: &["develop", "shell", "run"], after: &["-c", "--command"], stays: true, ..PLAIN },
    Wrapper { name: "guix", verbs: &["shell", "environment", "time-machine"], after: &["--"], stays: true, ..PLAIN },
    Wrapper { name: "devbox", takes: takes("ce", "config env env-file"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "devenv", verbs: &["shell"], ..PLAIN },
    Wrapper {
        name: "mise",
        takes: takes("CE", "cd env"),
        directory: &["C", "cd"],
        verbs: &["exec", "x"],
        after: &["--", "-c", "--command"],
        ..PLAIN
    },
    Wrapper { name: "rtx", verbs: &["exec", "x"], after: &["--", "-c", "--command"], ..PLAIN },
    Wrapper { name: "asdf", verbs: &["exec"], ..PLAIN },
    Wrapper { name: "rbenv", verbs: &["exec"], ..PLAIN },
    Wrapper { name: "pyenv", verbs: &["exec"], ..PLAIN },
    Wrapper { name: "nodenv", verbs: &["exec"], ..PLAIN },
    Wrapper { name: "jenv", verbs: &["exec"], ..PLAIN },
    Wrapper { name: "opam", verbs: &["exec"], takes: takes("", "switch"), ..PLAIN },
    Wrapper { name: "stack", verbs: &["exec"], takes: takes("", "package cwd"), ..PLAIN },
    Wrapper { name: "cabal", verbs: &["exec"], ..PLAIN },
    Wrapper { name: "rustup", verbs: &["run"], skip: 1, ..PLAIN },
    Wrapper { name: "nvm", verbs: &["exec", "run"], skip: 1, ..PLAIN },
    Wrapper { name: "fnm", verbs: &["exec"], takes: takes("", "using"), ..PLAIN },
    Wrapper { name: "volta", verbs: &["run"], takes: takes("", "node npm yarn"), ..PLAIN },
    Wrapper { name: "pixi", verbs: &["run"], takes: takes("e", "environment manifest-path"), ..PLAIN },
    Wrapper { name: "micromamba", takes: takes("npr", "name prefix cwd"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "bun", verbs: &["x"], ..PLAIN },
    Wrapper { name: "bun", takes: takes("", "cwd"), verbs: &["create", "c"], creates: true, ..PLAIN },
    Wrapper { name: "lerna", verbs: &["exec"], takes: takes("", "scope ignore concurrency"), ..PLAIN },
    Wrapper { name: "foreman", verbs: &["run"], takes: takes("ef", "env procfile"), ..PLAIN },
    Wrapper { name: "honcho", verbs: &["run"], takes: takes("ef", "env procfile"), ..PLAIN },
    Wrapper { name: "dotenv", takes: takes("efcvp", "file"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "dotenv", takes: takes("efcvp", "file"), ..PLAIN },
    Wrapper { name: "dotenvx", takes: takes("fk", "env-file"), verbs: &["run"], ..PLAIN },
    Wrapper { name: "env-cmd", takes: takes("fer", "file environments"), ..PLAIN },
    Wrapper { name: "cross-env", assigns: true, ..PLAIN },
    Wrapper { name: "cross-env-shell", assigns: true, joins: true, ..PLAIN },
    Wrapper { name: "envchain", skip: 1, ..PLAIN },
    Wrapper { name: "chamber", verbs: &["exec"], after: &["--"], ..PLAIN },
    Wrapper { name: "infisical", verbs: &["run"], takes: takes("e", "env path projectId"), ..PLAIN },
    Wrapper { name: "teller", verbs: &["run"], ..PLAIN },
    Wrapper { name: "sops", verbs: &["exec-env", "exec-file"], skip: 1, joins: true, ..PLAIN },
    Wrapper { name: "railway", verbs: &["run"], takes: takes("es", "environment service"), ..PLAIN },
    Wrapper {
        name: "heroku",
        verbs: &["run", "run:detached"],
        takes: takes("aers", "app env remote size"),
        kind: "ssh",
        ..PLAIN
    },
    Wrapper {
        name: "devcontainer",
        verbs: &["exec"],
        takes: takes("", "workspace-folder container-id config"),
        kind: "container",
        ..PLAIN
    },
    Wrapper { name: "ddev", verbs: &["exec"], takes: takes("ds", "dir service"), kind: "container", ..PLAIN },
    Wrapper {
        name: "lando",
        verbs: &["ssh"],
        takes: takes("csu", "command service user"),
        text: &["c", "command"],
        skip: usize::MAX,
        kind: "container",
        ..PLAIN
    },
    Wrapper {
        name: "watchmedo",
        verbs: &["shell-command"],
        takes: takes("pc", "patterns command"),
        text: &["c", "command"],
        skip: usize::MAX,
        ..PLAIN
    },
    Wrapper { name: "dotnet", verbs: &["tool"], after: &["run"], ..PLAIN },
    Wrapper { name: "dx", takes: takes("", "config"), ..PLAIN },
    Wrapper { name: "supervisor", takes: takes("weixpn", "watch extensions exec ignore"), entry: "x", ..PLAIN },
    Wrapper { name: "envconsul", takes: takes("", "prefix secret config upcase"), ..PLAIN },
    Wrapper { name: "consul", verbs: &["lock"], skip: 1, joins: true, ..PLAIN },
    Wrapper { name: "consul", verbs: &["exec", "watch"], joins: true, ..PLAIN },
    Wrapper { name: "etcdctl", verbs: &["lock"], takes: takes("", "endpoints ttl user"), skip: 1, ..PLAIN },
    Wrapper { name: "etcdctl", verbs: &["watch"], after: &["--"], ..PLAIN },
    Wrapper {
        name: "meson",
        verbs: &["devenv"],
        takes: takes("Cw", "workdir"),
        directory: &["w"],
        opens: true,
        ..PLAIN
    },
    Wrapper { name: "tox", verbs: &["exec"], after: &["--"], ..PLAIN },
    Wrapper { name: "composer", takes: takes("d", "working-dir"), verbs: &["exec", "ex", "exe"], ..PLAIN },
    Wrapper { name: "libfaketime", takes: takes("f", ""), skip: 1, ..PLAIN },
    Wrapper { name: "datefudge", takes: takes("", ""), skip: 1, ..PLAIN },
    Wrapper { name: "with-lock-ex", skip: 1, ..PLAIN },
    Wrapper {
        name: "knife",
        verbs: &["ssh"],
        takes: takes("xiPaC", "ssh-user"),
        skip: 1,
        joins: true,
        kind: "ssh",
        ..PLAIN
    },
    Wrapper {
        name: "ctr",
        takes: takes("an", "address namespace exec-id user cwd"),
        verbs: &["task", "tasks", "t"],
        after: &["exec"],
        kind: "container",
        ..PLAIN
    },
    Wrapper { name: "start-server-and-test", each: true, ..PLAIN },
    Wrapper {
        name: "rush",
        takes: takes("jkdDTsritvF", "jobs retry timeout trim records record-delimiter"),
        joins: true,
        ..PLAIN
    },
    // The text of an alias with `--shell`, which runs when the alias is called.
    Wrapper { name: "gh", verbs: &["alias"], then: &["set"], skip: 1, ..PLAIN },
    Wrapper { name: "onchange", after: &["--"], ..PLAIN },
];
