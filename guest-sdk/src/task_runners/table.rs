//! The table of task runners: their names, the position of tasks, options with values, and options that only show
//! tasks.

use super::{Names, TaskRunner};

const fn runner(names: List, form: Names, values: List, looks: List) -> TaskRunner {
    TaskRunner { names, values, looks, form, is_of_package: false }
}

const fn package_runner(names: List, form: Names, values: List, looks: List) -> TaskRunner {
    TaskRunner { names, values, looks, form, is_of_package: true }
}

type List = &'static [&'static str];

/// The runners, one row for each program.
pub(super) const RUNNERS: &[TaskRunner] = &[
    package_runner(&["npm"], Names::Scripts, NPM, &[]),
    package_runner(&["pnpm"], Names::Scripts, PNPM, &[]),
    package_runner(&["yarn", "yarnpkg"], Names::Scripts, YARN, &[]),
    package_runner(&["bun"], Names::Scripts, BUN, &[]),
    package_runner(
        &["run-s", "run-p", "npm-run-all", "npm-run-all2"],
        Names::Each,
        &["--npm-path", "--max-parallel"],
        &[],
    ),
    package_runner(&["nps", "rushx"], Names::First, &["-c", "--config"], &[]),
    package_runner(&["concurrently", "conc"], Names::Each, CONCURRENTLY, &[]),
    package_runner(&["node"], Names::Option(&["--run"]), &[], &[]),
    package_runner(
        &["lerna"],
        Names::Behind(&["run"]),
        &["--scope", "--ignore", "--since", "--concurrency", "--loglevel"],
        &[],
    ),
    package_runner(&["turbo"], Names::EachBehind(&["run"]), TURBO, &["--dry", "--dry=json", "--graph"]),
    package_runner(&["wsrun", "ultra", "lage", "wireit"], Names::First, &["-p", "--package", "--scope"], &[]),
    package_runner(&["nx"], Names::Nx, NX, &["--graph"]),
    runner(&["moon"], Names::EachBehind(&["run", "r"]), &["--log", "--concurrency", "--query", "-c"], &[]),
    runner(
        &["make", "gmake", "bmake"],
        Names::Each,
        MAKE,
        &["-n", "--dry-run", "--just-print", "--recon", "-q", "--question"],
    ),
    runner(&["just"], Names::First, JUST, JUST_LOOKS),
    runner(
        &["task", "go-task"],
        Names::Each,
        TASK,
        &["-l", "-a", "-n", "--dry", "--list", "--list-all", "--summary", "--status"],
    ),
    runner(
        &["mise", "rtx"],
        Names::Behind(&["run", "r"]),
        &["-C", "--cd", "-E", "--env", "-j", "--jobs", "-o", "--output"],
        &["-n"],
    ),
    runner(&["poe", "poethepoet"], Names::First, &["-C", "--directory", "--root", "-e", "--executor"], &["-d"]),
    runner(
        &["hatch"],
        Names::Behind(&["run"]),
        &["-e", "--env", "-p", "--project", "--config", "--data-dir", "--cache-dir"],
        &[],
    ),
    runner(&["pdm"], Names::Behind(&["run"]), &["-p", "--project", "-c", "--config", "--venv"], &["-l", "--list"]),
    runner(&["rye"], Names::Behind(&["run"]), &["--pyproject"], &["-l", "--list"]),
    runner(&["pixi"], Names::Behind(&["run", "r"]), &["--manifest-path", "-e", "--environment", "--color"], &[]),
    runner(&["pipenv"], Names::Behind(&["run"]), &["--python", "--pypi-mirror"], &[]),
    runner(
        &["composer"],
        Names::FirstBehind(&["run", "run-script"]),
        &["-d", "--working-dir", "--timeout"],
        &["-l", "--list"],
    ),
    runner(
        &["deno"],
        Names::Behind(&["task"]),
        &["--cwd", "-c", "--config", "--filter", "-f", "-L", "--log-level"],
        &["--eval"],
    ),
    runner(&["cargo"], Names::Behind(&["make", "xtask"]), CARGO, &["--list-all-steps", "--print-steps"]),
    runner(
        &["rake"],
        Names::Each,
        RAKE,
        &["-n", "-T", "--tasks", "-P", "--prereqs", "-D", "--describe", "-W", "--where"],
    ),
    runner(&["gradle", "gradlew"], Names::Each, GRADLE, &["-m"]),
    runner(
        &["ant"],
        Names::Each,
        &["-f", "-file", "-buildfile", "-l", "-logfile", "-lib", "-logger", "-propertyfile"],
        &["-p", "-projecthelp"],
    ),
    runner(
        &["inv", "invoke"],
        Names::First,
        &["-c", "--collection", "-r", "--search-root", "-f", "--config", "-T"],
        &["-l", "--list", "--dry", "-R"],
    ),
    runner(
        &["fab"],
        Names::First,
        &["-c", "-r", "-H", "--hosts", "-i", "--identity", "-S", "-f", "--collection"],
        &["-l", "--list", "--dry", "-R"],
    ),
    runner(&["doit"], Names::First, &["-f", "--file", "-d", "--dir", "-n", "--process"], &[]),
    runner(&["mage"], Names::First, &["-d", "-w", "-t", "-goos"], &["-l"]),
    runner(
        &["mix", "nox", "tox"],
        Names::First,
        // Sessions and environments are tasks, so `-s` and `-e` aren't listed.
        &["-f", "--noxfile", "-c", "--conf"],
        &["-l", "--list"],
    ),
    runner(
        &["makers"],
        Names::First,
        &["--makefile", "--cwd", "-t", "--task", "-p", "--profile", "-l"],
        &["--list-all-steps"],
    ),
];

const NPM: List = &[
    "--loglevel",
    "--prefix",
    "--workspace",
    "-w",
    "--script-shell",
    "--cache",
    "--userconfig",
    "--globalconfig",
    "--registry",
    "-C",
    "--node-options",
    "--omit",
    "--include",
    "--tag",
    "--location",
    "-L",
    "--otp",
];
const PNPM: List = &[
    "--reporter",
    "--dir",
    "-C",
    "--filter",
    "-F",
    "--filter-prod",
    "--loglevel",
    "--workspace-concurrency",
    "--resume-from",
    "--test-pattern",
    "--changed-files-ignore-pattern",
    "--store-dir",
    "--script-shell",
    "--prefix",
];
const YARN: List = &[
    "--cwd",
    "--use-yarnrc",
    "--cache-folder",
    "--modules-folder",
    "--registry",
    "--mutex",
    "--network-timeout",
    "--from",
    "--include",
    "--exclude",
    "-j",
    "--jobs",
    "--since",
];
const BUN: List =
    &["--cwd", "--filter", "-F", "--config", "-c", "--env-file", "--elide-lines", "--shell", "-r", "--preload"];
const CONCURRENTLY: List = &[
    "-n",
    "--names",
    "-c",
    "--prefix-colors",
    "-p",
    "--prefix",
    "-s",
    "--success",
    "-m",
    "--max-processes",
    "--name-separator",
    "-l",
    "--prefix-length",
    "-t",
    "--timestamp-format",
    "--restart-tries",
    "--restart-after",
];
const TURBO: List = &[
    "--filter",
    "-F",
    "--cwd",
    "--scope",
    "--concurrency",
    "--cache-dir",
    "--log-order",
    "--log-prefix",
    "--token",
    "--team",
    "--api",
    "--output-logs",
    "--env-mode",
];
const NX: List = &[
    "-t",
    "--target",
    "--targets",
    "-p",
    "--project",
    "--projects",
    "--exclude",
    "-c",
    "--configuration",
    "--parallel",
    "--base",
    "--head",
    "--output-style",
    "--runner",
];
const CARGO: List =
    &["--config", "-C", "-Z", "--color", "-p", "--profile", "-e", "--env", "--makefile", "-l", "--loglevel", "--cwd"];

const MAKE: List = &[
    "-C",
    "--directory",
    "-f",
    "--file",
    "--makefile",
    "-I",
    "--include-dir",
    "-o",
    "--old-file",
    "-W",
    "--what-if",
    "--eval",
];
const JUST: List = &[
    "-f",
    "--justfile",
    "-d",
    "--working-directory",
    "--shell",
    "--shell-arg",
    "--color",
    "--dotenv-path",
    "-E",
    "--dotenv-filename",
    "--chooser",
    "--tempdir",
];
const JUST_LOOKS: List = &[
    "-n",
    "--dry-run",
    "--list",
    "-l",
    "-s",
    "--show",
    "--summary",
    "--dump",
    "--evaluate",
    "--variables",
    "--fmt",
    "-e",
    "--edit",
    "--usage",
];
const TASK: List =
    &["-t", "--taskfile", "-d", "--dir", "-o", "--output", "-C", "--concurrency", "-I", "--interval", "--sort"];
const RAKE: List = &[
    "-f",
    "--rakefile",
    "-C",
    "--directory",
    "-I",
    "--libdir",
    "-r",
    "--require",
    "-R",
    "--rakelibdir",
    "-e",
    "-E",
    "-j",
    "--jobs",
];
const GRADLE: List = &[
    "-p",
    "--project-dir",
    "-b",
    "--build-file",
    "-c",
    "--settings-file",
    "-I",
    "--init-script",
    "-g",
    "-x",
    "--exclude-task",
    "--console",
    "--max-workers",
    "--include-build",
    "--project-cache-dir",
    "--tests",
];
