//! Broken configurations, each a row of a table: `config check` names file and key and ends with 78, and the hook holds
//! the calls that the mistake covers. None is silent.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use guard_contract::{Outcome, rank};
use guard_setup::check::line;
use serde_json::{Value, json};

use crate::support::layers::Layers;
use crate::support::world::World;

/// Whose file is broken.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Of {
    User,
    Project,
}
use Of::{Project, User};

/// A broken `guard.toml`, and what must be told of it.
type Row = (Of, &'static str, &'static [&'static str]);

/// A broken file that an entry of `policy` names: its name, its text, and what must be told.
type FileRow = (&'static str, &'static str, &'static str, &'static [&'static str]);

const FILE: &str = "guard.toml:";

/// The keys of a `guard.toml`.
const KEYS: &[Row] = &[
    (User, "presett = \"full\"", &["guard.toml:1:1", "`presett`", "`preset`"]),
    (User, "preset = \"ful\"", &["guard.toml:1:10", "`full`"]),
    (User, "preset = 1", &["guard.toml:1:10"]),
    (User, "preset = [\"full\"]", &["guard.toml:1:10"]),
    (User, "preset = ", &["guard.toml:1:"]),
    (User, "preset = \"none\"\npreset = \"none\"", &["guard.toml:2:1", "preset"]),
    (User, "preset = \"none\" oops", &["guard.toml:1:"]),
    (User, "on-malformed = \"askk\"", &["guard.toml:1:16", "`ask`"]),
    (User, "on_malformed = \"ask\"", &["guard.toml:1:1", "`on-malformed`"]),
    (User, "on-malformed = true", &["guard.toml:1:16"]),
    (User, "bypass-ask = \"no\"", &["guard.toml:1:14", "`no`"]),
    (User, "bypass-ask = true", &["guard.toml:1:14"]),
    (User, "bypassask = \"deny\"", &["guard.toml:1:1", "`bypass-ask`"]),
    (User, "deadline-ms = 99", &["guard.toml:1:1", "`deadline-ms`", "100"]),
    (User, "deadline-ms = 2001", &["guard.toml:1:1", "`deadline-ms`", "2000"]),
    (User, "deadline-ms = -1", &["guard.toml:1:15"]),
    (User, "deadline-ms = \"2000\"", &["guard.toml:1:15"]),
    (User, "deadline = 500", &["guard.toml:1:1", "`deadline`"]),
    (User, "min-version = \"v9\"", &["guard.toml:1:1", "`min-version`", "`v9`"]),
    (User, "min-version = \"0.1\"", &["guard.toml:1:1", "`min-version`"]),
    (User, "min-version = \"99.0.0\"", &["guard.toml", "99.0.0", "`min-version`"]),
    (User, "min-version = 9", &["guard.toml:1:15"]),
    (User, "lock = [\"command-guard\"]", &["guard.toml:1:1", "`lock`"]),
    (User, "lock = \"command-guard\"", &["guard.toml:1:8"]),
    (User, "[audit]\nlevel = \"al\"", &["guard.toml:2:9", "`all`"]),
    (User, "[audit]\nlevle = \"all\"", &["guard.toml:2:1", "`level`"]),
    (User, "[audit]\npath = 5", &["guard.toml:2:8"]),
    (User, "[audit]\npath = \"~/.claude/settings.json\"", &["guard.toml:2:1", "`path`"]),
    (User, "[audit]\nmax-bytes = -1", &["guard.toml:2:13"]),
    (User, "[audit]\nmax_bytes = 5000", &["guard.toml:2:1", "`max-bytes`"]),
    (User, "audit = \"all\"", &["guard.toml:1:9"]),
    (User, "[session]\nfile = 5", &["guard.toml:2:8"]),
    (User, "[session]\npath = \"x\"", &["guard.toml:2:1", "`path`"]),
    (User, "[session]\nfile = \"guard.toml\"", &["guard.toml:2:1", "`file`"]),
    (User, "session = \"x\"", &["guard.toml:1:11"]),
    (User, "policy = \"x\"", &["guard.toml:1:10"]),
    (User, "policies = []", &["guard.toml:1:1", "`policy`"]),
    (User, "[policy]\nname = \"command-guard\"", &["guard.toml:1:1"]),
    (User, "[[policys]]\nname = \"command-guard\"", &["guard.toml:1:3", "`policy`"]),
    (Project, "preset = \"none\"", &["guard.toml:1:1", "`preset`"]),
    (Project, "on-malformed = \"ask\"", &["guard.toml:1:1", "`on-malformed`"]),
    (Project, "bypass-ask = \"ask\"", &["guard.toml:1:1", "`bypass-ask`"]),
    (Project, "deadline-ms = 500", &["guard.toml:1:1", "`deadline-ms`"]),
    (Project, "lock = []", &["guard.toml:1:1", "`lock`"]),
    (Project, "[audit]\nlevel = \"all\"", &["guard.toml:1:2", "`audit`"]),
    (Project, "[session]\nfile = \"/tmp/x\"", &["guard.toml:1:2", "`session`"]),
    (Project, "min-version = \"v9\"", &["guard.toml:1:1", "`min-version`"]),
    (Project, "min_version = \"0.1.0\"", &["guard.toml:1:1", "`min-version`"]),
    (Project, "[[policy]]\nnmae = \"x\"", &["guard.toml:2:1", "`name`"]),
];

/// The keys of an entry `command-guard`, behind its name.
const ENTRY: &[Row] = &[
    (User, "source = \"builtin:comand-guard\"", &["guard.toml:3:1", "`comand-guard`"]),
    (User, "source = 5", &["guard.toml:3:10"]),
    (User, "sources = \"x\"", &["guard.toml:3:1", "`source`"]),
    (User, "source = \"gone.wasm\"", &["guard.toml", "gone.wasm"]),
    (User, "sha256 = \"abc\"", &["guard.toml:3:1", "`sha256`"]),
    (User, "sha256 = 5", &["guard.toml:3:10"]),
    (User, "tools = \"Bash\"", &["guard.toml:3:9"]),
    (User, "tools = [\"bash\"]", &["guard.toml:3:1", "`tools`", "`bash`", "`Bash`"]),
    (User, "tools = [\"Bash\", \"Shell\"]", &["guard.toml:3:1", "`Shell`", "`Bash`"]),
    (User, "tools = [\"Frobnicate\"]", &["guard.toml:3:1", "`Frobnicate`"]),
    (User, "tools = [\"bas*\"]", &["guard.toml:3:1", "`bas*`"]),
    (User, "tools = [\"[Bash\"]", &["guard.toml:3:1", "`[Bash`"]),
    (User, "tools = [\"{Bash,Write\"]", &["guard.toml:3:1", "`{Bash,Write`"]),
    (User, "tools = [\"\"]", &["guard.toml:3:1", "`tools`"]),
    (User, "tools = [5]", &["guard.toml:3:10"]),
    (User, "tools = [\"Write\"]", &["guard.toml", "`tools`", "Bash, PowerShell"]),
    (User, "tool = [\"Bash\"]", &["guard.toml:3:1", "`tools`"]),
    (User, "settings = \"x\"", &["guard.toml:3:12"]),
    (User, "setting = {}", &["guard.toml:3:1", "`settings`"]),
    (User, "settings = {}\nsettings-file = \"x.json\"", &["guard.toml:3:1", "`settings-file`"]),
    (User, "settings_file = \"x.json\"", &["guard.toml:3:1", "`settings-file`"]),
    (User, "settings-file = 5", &["guard.toml:3:17"]),
    (User, "on-error = \"alow\"", &["guard.toml:3:12", "`allow`"]),
    (User, "on_error = \"ask\"", &["guard.toml:3:1", "`on-error`"]),
    (User, "on-error = false", &["guard.toml:3:12"]),
    (User, "may-allow = \"yes\"", &["guard.toml:3:13"]),
    (User, "may_allow = true", &["guard.toml:3:1", "`may-allow`"]),
    (User, "wasi = \"yes\"", &["guard.toml:3:8", "`frozen`"]),
    (User, "wasi = true", &["guard.toml:3:8"]),
    (User, "limits = { time = 5 }", &["guard.toml:3:12", "`time-ms`"]),
    (User, "limits = { time-ms = 5 }", &["guard.toml:", "time-ms"]),
    (User, "limits = { time-ms = \"x\" }", &["guard.toml:3:22"]),
    (User, "limits = { memory-mib = 0 }", &["guard.toml:", "memory-mib"]),
    (User, "limits = { memory-mib = 4096 }", &["guard.toml:", "memory-mib"]),
    (User, "limits = 5", &["guard.toml:3:10"]),
    (User, "[policy.grants]\nenvs = []", &["guard.toml:4:1", "`env`"]),
    (User, "[policy.grants]\nenv = \"CI\"", &["guard.toml:4:7"]),
    (User, "[policy.grants]\nenv = [\"A=B\"]", &["guard.toml:", "`grants`", "`env:A=B`"]),
    (User, "[policy.grants]\nread = [\"/a/../b\"]", &["guard.toml:", "`grants`", "`read:/a/../b`"]),
    (User, "[policy.grants]\nread = [\"a/b\"]", &["guard.toml:", "`grants`", "`read:a/b`"]),
    (User, "[policy.grants]\njournal = { x = \"y\" }", &["guard.toml:", "`grants`", "journal:x=y"]),
    (User, "trust = true", &["guard.toml:3:1", "`trust`"]),
    (User, "[[policy]]\nname = \"command-guard\"", &["guard.toml:4:1", "two policies", "`command-guard`"]),
    (User, "[[policy]]\nname = \"Command Guard\"", &["guard.toml:4:", "name"]),
    (User, "[[policy]]\nname = \"\"", &["guard.toml:3:1", "name"]),
    (User, "[[policy]]\nname = 5", &["guard.toml:4:8"]),
    (User, "[[policy]]\nsource = \"builtin:cel\"", &["guard.toml:3:1", "name"]),
    (User, "[[policy]]\nname = \"comand-guard\"", &["guard.toml:4:", "`comand-guard`"]),
    (Project, "on-error = \"allow\"", &["guard.toml:3:1", "`on-error = \"allow\"`"]),
    (Project, "may-allow = true", &["guard.toml:3:1", "`may-allow`"]),
    (Project, "wasi = \"frozen\"", &["guard.toml:3:1", "`wasi`"]),
    (Project, "limits = { time-ms = 1500 }", &["guard.toml:", "limits"]),
    (Project, "[policy.grants]\nenv = [\"CI\"]", &["guard.toml:", "grants"]),
    (Project, "settings-file = \"../../x.json\"", &["guard.toml:3:1", "`settings-file`"]),
    (Project, "settings-file = \"gone.json\"", &["gone.json", "no such file"]),
    (Project, "tools = [\"bash\"]", &["guard.toml:3:1", "`bash`"]),
    (Project, "settings = { raize = [] }", &["guard.toml:3:14", "`raize`", "`raise`"]),
    (Project, "tool = []", &["guard.toml:3:1", "`tools`"]),
];

/// Settings that stand in the user's file: the built-in, and its `settings`.
const SETTINGS: &[(&str, &str, &[&str])] = &[
    ("command-guard", "{ raize = [] }", &["guard.toml:3:14", "`raize`", "`raise`"]),
    ("command-guard", "{ raise = [\"no-such-rule\"] }", &["guard.toml:3:", "`no-such-rule`"]),
    ("command-guard", "{ raise = \"git-push\" }", &["guard.toml:3:", "`raise`"]),
    ("command-guard", "{ lower = [\"gti-push\"] }", &["guard.toml:3:", "`gti-push`"]),
    ("command-guard", "{ silence = [\"x y\"] }", &["guard.toml:3:", "`x y`"]),
    ("command-guard", "{ silence = [5] }", &["guard.toml:3:", "`silence`"]),
    ("command-guard", "{ secret-reads = \"maybe\" }", &["guard.toml:3:", "`maybe`"]),
    ("command-guard", "{ secret_reads = \"ask\" }", &["guard.toml:3:", "`secret-reads`"]),
    ("command-guard", "{ force-with-lease = 1 }", &["guard.toml:3:", "`force-with-lease`"]),
    ("command-guard", "{ protected-branches = \"main\" }", &["guard.toml:3:", "`protected-branches`"]),
    ("command-guard", "{ protected-branches = [\"{main\"] }", &["guard.toml:3:", "`{main`"]),
    ("command-guard", "{ protected-branches = [\"ma in\"] }", &["guard.toml:3:", "`ma in`"]),
    ("command-guard", "{ protected-branch = [\"main\"] }", &["guard.toml:3:", "`protected-branches`"]),
    ("command-guard", "{ deny-patterns = [\"(\"] }", &["guard.toml:3:", "`(`"]),
    ("command-guard", "{ deny-patterns = [\"x*\"] }", &["guard.toml:3:", "`x*`"]),
    ("command-guard", "{ deny-patterns = [\"a(?!b\"] }", &["guard.toml:3:", "`a(?!b`"]),
    ("command-guard", "{ deny-patterns = \"x\" }", &["guard.toml:3:", "`deny-patterns`"]),
    ("command-guard", "{ deny-pattern = [\"x\"] }", &["guard.toml:3:", "`deny-patterns`"]),
    ("command-guard", "{ files = { blocked = [\"{a\"] } }", &["guard.toml:3:", "`{a`"]),
    ("command-guard", "{ files = { blockd = [] } }", &["guard.toml:3:", "`blocked`"]),
    ("command-guard", "{ files = { confirm = \"x\" } }", &["guard.toml:3:", "`confirm`"]),
    ("command-guard", "{ files = { exempt = [\"../x\"] } }", &["guard.toml:3:", "`../x`"]),
    ("command-guard", "{ files = 5 }", &["guard.toml:3:", "`files`"]),
    ("protected-files", "{ blokced = [] }", &["guard.toml:3:14", "`blocked`"]),
    (
        "protected-files",
        "{ blocked = [\"db/{migrations,schema/**\"] }",
        &["guard.toml:3:", "`db/{migrations,schema/**`"],
    ),
    ("protected-files", "{ blocked = [\"../up.txt\"] }", &["guard.toml:3:", "`../up.txt`"]),
    ("protected-files", "{ blocked = [\"[a\"] }", &["guard.toml:3:", "`[a`"]),
    ("protected-files", "{ blocked = [\"\"] }", &["guard.toml:3:", "empty"]),
    ("protected-files", "{ blocked = [5] }", &["guard.toml:3:", "`blocked`"]),
    ("protected-files", "{ confirm = [\" x\"] }", &["guard.toml:3:", "` x`"]),
    ("protected-files", "{ exempt = [\"!x\"] }", &["guard.toml:3:", "`!x`"]),
    ("self-protect", "{ places = {} }", &["guard.toml:3:", "`places`"]),
    ("self-protect", "{ guarded = [] }", &["guard.toml:3:14", "`guarded`"]),
    ("plan-enforcer", "{ strict = true }", &["guard.toml:3:", "`strict`"]),
    ("path-context", "{ blokced_paths = [] }", &["guard.toml:3:14", "`blocked_paths`"]),
    ("path-context", "{ version = 2 }", &["guard.toml:3:14", "`version` is 2"]),
    ("path-context", "{ version = \"1\" }", &["guard.toml:3:", "`version`"]),
    ("path-context", "{ safe_paths = \"x\" }", &["guard.toml:3:", "`safe_paths`"]),
    ("path-context", "{ blocked_paths = [\"{a\"] }", &["guard.toml:3:", "`{a`"]),
    ("path-context", "{ rules = { bahs = [] } }", &["guard.toml:3:", "`bash`"]),
    ("path-context", "{ rules = { bash = 1 } }", &["guard.toml:3:", "`bash`"]),
    ("path-context", "{ rules = { bash = [{ pattern = \"(\", action = \"block\" }] } }", &["guard.toml:3:", "`(`"]),
    ("path-context", "{ rules = { bash = [{ pattern = \"x\", action = \"allow\" }] } }", &["guard.toml:3:", "`allow`"]),
    ("path-context", "{ rules = { bash = [{ pattern = \"x\" }] } }", &["guard.toml:3:", "`action`"]),
    ("path-context", "{ rules = { bash = [{ action = \"block\" }] } }", &["guard.toml:3:", "`pattern`"]),
    (
        "path-context",
        "{ rules = { write = [{ path_patterns = [], action = \"block\" }] } }",
        &["guard.toml:3:", "`path_patterns`"],
    ),
    (
        "path-context",
        "{ rules = { edit = [{ path_patterns = [\"blocked_path\"], action = \"block\" }] } }",
        &["guard.toml:3:", "`blocked_paths`"],
    ),
    ("write-control", "{ protectd = [] }", &["guard.toml:3:14", "`protected`"]),
    ("write-control", "{ protected = \"x\" }", &["guard.toml:3:", "`protected`"]),
    ("write-control", "{ protected = [\"a{\"] }", &["guard.toml:3:", "`a{`"]),
    ("write-control", "{ protected = [\"/etc/**\"] }", &["guard.toml:3:", "`/etc/**`"]),
    ("write-control", "{ protected = [\"~/x\"] }", &["guard.toml:3:", "`~/x`"]),
    ("write-control", "{ protected = [\"../x\"] }", &["guard.toml:3:", "`../x`"]),
    ("write-control", "{ warned = {} }", &["guard.toml:3:", "`warned`"]),
    ("write-control", "{ safe = [5] }", &["guard.toml:3:", "`safe`"]),
    ("write-control", "{ exempt = [\"!x\"] }", &["guard.toml:3:", "`!x`"]),
    ("write-control", "{ shell = \"yes\" }", &["guard.toml:3:", "`shell`"]),
    ("write-control", "{ paranoid = 1 }", &["guard.toml:3:", "`paranoid`"]),
    ("write-control", "{ fold_case = true }", &["guard.toml:3:14", "`fold-case`"]),
    ("rego", "{}", &["guard.toml", "settings-file"]),
    ("rego", "{ txt = \"x\" }", &["guard.toml:3:14", "`text`"]),
    ("rego", "{ text = 5 }", &["guard.toml:3:", "`text`"]),
    ("rego", "{ text = \"package guard\" }", &["guard.toml:", "`deny`"]),
    ("cel", "{}", &["guard.toml", "`rules`"]),
    ("cel", "{ rules = [], dta = {} }", &["guard.toml:3:", "`dta`"]),
    (
        "cel",
        "{ rules = [{ rule = \"r\", outcome = \"block\", when = \"true\", message = \"m\" }] }",
        &["guard.toml:3:", "`block`"],
    ),
    ("cel", "{ rules = [{ rule = \"r\", outcome = \"deny\", when = \"true\" }] }", &["guard.toml:3:", "`message`"]),
];

/// Files of settings.
const FILES: &[FileRow] = &[
    ("command-guard", "s.json", "{oops", &["s.json:1:2"]),
    ("command-guard", "s.json", "", &["s.json:1:0"]),
    ("command-guard", "s.json", "[]", &["s.json:1:"]),
    ("command-guard", "s.json", "5", &["s.json:1:"]),
    ("command-guard", "s.json", "// mine\n{}", &["s.json:1:1"]),
    ("command-guard", "s.json", "{\n  \"raise\": [],\n}", &["s.json:3:1"]),
    ("command-guard", "s.json", "{\n  \"raise\": [],\n  \"raise\": []\n}", &["s.json:4:", "`raise`"]),
    ("command-guard", "s.json", "{\n  \"raize\": []\n}", &["s.json:2:3", "`raise`"]),
    ("command-guard", "s.json", "{\n  \"raise\": 7\n}", &["s.json:2:3", "`raise`"]),
    ("command-guard", "s.toml", "= 1", &["s.toml:1:1"]),
    ("command-guard", "s.toml", "raise = []\nraise = []", &["s.toml:2:1"]),
    ("command-guard", "s.toml", "\nraize = []", &["s.toml:2:1", "`raise`"]),
    ("command-guard", "s.toml", "deny-patterns = [\n  \"ok\",\n  \"(\",\n]", &["s.toml:1:1", "`(`"]),
    ("command-guard", "s.yaml", "raise: [git-push]", &["s.yaml", "`file`"]),
    ("command-guard", "s.txt", "", &["s.txt", "`file`"]),
    ("path-context", "g.json", "{ \"version\": 2 }", &["g.json:1:3", "`version`"]),
    ("path-context", "g.json", "{ \"blokced_paths\": [] }", &["g.json:1:3", "`blocked_paths`"]),
    (
        "path-context",
        "g.json",
        "{ \"rules\": { \"bash\": [\n{ \"pattern\": \"(\", \"action\": \"block\" }] } }",
        &["g.json:2:3", "`(`"],
    ),
    (
        "path-context",
        "g.json",
        "{ \"rules\": { \"bash\": [{ \"pattern\": \"x\", \"action\": \"warn\" }] } }",
        &["g.json:1:", "`warn`"],
    ),
    (
        "path-context",
        "g.json",
        "{ \"rules\": { \"bash\": [{ \"pattern\": \"x\", \"action\": \"block\", \"outside\": true }] } }",
        &["g.json:1:", "`outside_safe_paths`"],
    ),
    ("path-context", "g.json", "{ \"safe_paths\": [\"~/{a\"] }", &["g.json:1:", "`~/{a`"]),
    ("path-context", "g.yaml", "version: 1", &["g.yaml", "`file`"]),
    ("write-control", "write-policies.json", "{ \"protectd\": [] }", &["write-policies.json:1:3", "`protected`"]),
    (
        "write-control",
        "write-policies.json",
        "{ \"protected\": [\"src/{a\"] }",
        &["write-policies.json:1:", "`src/{a`"],
    ),
    ("write-control", "write-policies.json", "{ \"protected\": [\"a\"] \"warned\": [] }", &["write-policies.json:1:"]),
    ("rego", "team.rego", "package guard\n\ndeny contains {\n", &["team.rego:4:1"]),
    ("rego", "team.rego", "package team\ndeny := true\n", &["team.rego", "`team`"]),
    ("rego", "team.rego", "package guard\nallowed := true\n", &["team.rego", "`deny`"]),
    ("rego", "team.rego", "package guard\ndeny contains \"x\" if y > 1\n", &["team.rego:2:"]),
    (
        "rego",
        "team.rego",
        "package guard\ndeny contains \"x\" if {\n  input.tool == \"none\"\n  regex.match(\"(\", input.tool)\n}\n",
        &["team.rego:4:", "`(`"],
    ),
    ("rego", "team.rego", "package guard\ndeny contains \"x\" if nope(input.tool)\n", &["team.rego:2:", "nope"]),
    ("rego", "team.rego", "package guard\ndeny contains 1 if input.tool == \"Bash\"\n", &["team.rego", "a number"]),
    ("rego", "team.rego", "", &["team.rego"]),
    (
        "cel",
        "team.toml",
        "[[rules]]\nrule = \"r\"\noutcome = \"deny\"\nmessage = \"m\"\nwhen = \"tool ==\"\n",
        &["team.toml", "`when`"],
    ),
    (
        "cel",
        "team.toml",
        "[[rules]]\nrule = \"r\"\noutcome = \"deny\"\nmessage = \"m\"\nwhen = \"tol == 'x'\"\n",
        &["team.toml", "`tol`"],
    ),
    (
        "cel",
        "team.toml",
        "[[rules]]\nrule = \"r\"\noutcome = \"deny\"\nmessage = \"m\"\nwhen = \"tool == 'x' && tool.matches('(')\"\n",
        &["team.toml", "`(`"],
    ),
    (
        "cel",
        "team.toml",
        "[[rules]]\nrule = \"r\"\noutcome = \"deny\"\nmessage = \"m\"\nwhne = \"true\"\n",
        &["team.toml:5:1", "`when`"],
    ),
    ("cel", "team.toml", "rules = []\n", &["team.toml:1:1", "`rules`"]),
    ("cel", "team.json", "{ \"rules\": [{ \"rule\": \"r\" }] }", &["team.json", "`outcome`"]),
    ("cel", "team.cel", "tool == 'Bash'", &["team.cel", ".toml or .json"]),
];

/// The same keys in the managed file, which no command line moves.
const MANAGED: &[(&str, &[&str])] = &[
    ("presett = \"full\"", &["guard.toml:1:1", "`preset`"]),
    ("preset = \"ful\"", &["guard.toml:1:10", "`full`"]),
    ("on-malformed = \"x\"", &["guard.toml:1:16"]),
    ("deadline-ms = 5", &["guard.toml:1:1", "`deadline-ms`"]),
    ("min-version = \"v9\"", &["guard.toml:1:1", "`min-version`"]),
    ("lock = \"command-guard\"", &["guard.toml:1:8"]),
    ("locked = [\"command-guard\"]", &["guard.toml:1:1", "`lock`"]),
    ("[audit]\nlevle = \"all\"", &["guard.toml:2:1", "`level`"]),
    ("[session]\nfiel = \"x\"", &["guard.toml:2:1", "`file`"]),
    ("[[policy]]\nname = \"comand-guard\"", &["guard.toml:2:", "`comand-guard`"]),
    ("[[policy]]\nname = \"command-guard\"\ntools = [\"bash\"]", &["guard.toml:3:1", "`Bash`"]),
    ("[[policy]]\nname = \"command-guard\"\non-error = \"alow\"", &["guard.toml:3:12", "`allow`"]),
    ("[[policy]]\nname = \"command-guard\"\nsettings = { raize = [] }", &["guard.toml:3:14", "`raise`"]),
    ("[[policy]]\nname = \"command-guard\"\nsettings-file = \"gone.json\"", &["managed/gone.json", "no such file"]),
    ("[[policy]]\nname = \"write-control\"\nsettings = { protected = [\"{a\"] }", &["guard.toml:3:", "`{a`"]),
];

/// The hook holds a shell command or a write.
fn is_held(world: &World) -> bool {
    let write = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": { "file_path": "a.txt", "content": "x" },
    });
    let held = |decision: String| decision == "ask" || decision == "deny";
    held(world.bash("ls").decision()) || held(world.hook(&write.to_string()).decision())
}

/// What is wrong with how a broken configuration is told; none if all is told.
fn complaint(world: &World, words: &[&str]) -> Option<String> {
    let checked = world.run(&["config", "check"], "");
    let missing = words.iter().find(|word| !checked.stderr.contains(**word));
    if checked.exit != 78 || missing.is_some() {
        return Some(format!("{missing:?} is missing in: {checked:?}"));
    }
    (!is_held(world)).then(|| "the hook is silent".to_owned())
}

/// Tries every row in a world of its own, some at a time.
fn try_all<T: Sync>(rows: &[T], world_of: impl Fn(&T) -> (World, Vec<&'static str>) + Sync)
where
    T: std::fmt::Debug,
{
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (world, words) = world_of(row);
                    if let Some(complaint) = complaint(&world, &words) {
                        complaints.lock().unwrap().push(format!("{row:?}\n    {complaint}"));
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), rows.len(), complaints.join("\n"));
}

fn world_of(of: Of, text: &str) -> World {
    let world = World::new();
    match of {
        User => world.configure(text),
        Project => drop(world.write("repo/.guard/guard.toml", text)),
    }
    world
}

#[test]
fn the_table_is_long_enough() {
    let rows = KEYS.len() + ENTRY.len() + SETTINGS.len() + FILES.len() + MANAGED.len();
    assert!(rows >= 200, "{rows}");
}

#[test]
fn a_broken_key_of_the_configuration_is_told_and_asked_about() {
    try_all(KEYS, |(of, text, words)| (world_of(*of, text), words.to_vec()));
}

#[test]
fn a_broken_key_of_an_entry_is_told_and_asked_about() {
    let entry = |text: &str| format!("[[policy]]\nname = \"command-guard\"\n{text}\n");
    try_all(ENTRY, |(of, text, words)| (world_of(*of, &entry(text)), words.to_vec()));
}

#[test]
fn broken_settings_in_the_configuration_are_told_and_asked_about() {
    let entry = |name: &str, text: &str| format!("[[policy]]\nname = \"{name}\"\nsettings = {text}\n");
    try_all(SETTINGS, |(name, text, words)| {
        (world_of(User, &entry(name, text)), [&[FILE][..1], words].concat()[1..].to_vec())
    });
}

#[test]
fn a_broken_file_of_settings_is_told_and_asked_about() {
    try_all(FILES, |(policy, name, text, words)| {
        let world = world_of(User, &format!("[[policy]]\nname = \"{policy}\"\nsettings-file = \"~/{name}\"\n"));
        world.write(name, text);
        (world, words.to_vec())
    });
}

#[test]
fn a_broken_managed_file_is_told_and_holds_every_call() {
    let mut complaints = Vec::new();
    for (text, words) in MANAGED {
        let layers = Layers::new().managed(text);
        let mistakes = layers.check();
        let told: String = mistakes.iter().map(|one| format!("{} {}\n", line(one), one.problem.hint)).collect();
        let missing = words.iter().find(|word| !told.contains(**word));
        let verdict = &layers.decide(&[("Bash", json!({ "command": "ls" }))])[0];
        if missing.is_some() || rank(verdict.outcome) < rank(Outcome::Ask) {
            complaints.push(format!("{text}: {missing:?} is missing in {told}: {:?}", verdict.outcome));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What stands in the place of a file and is none.
#[test]
fn links_and_other_things_in_the_place_of_a_file_are_told_and_asked_about() {
    let kinds = ["dangling", "around", "parent", "folder", "binary", "large", "pipe"];
    let files = [".config/guard-host/guard.toml", "repo/.guard/guard.toml", "own/s.json", "own/team.rego"];
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for file in files {
        rows.extend(kinds.map(|kind| (file, kind)));
    }
    rows.push(("own/s.json", "missing"));
    rows.push(("own/team.rego", "missing"));
    try_all(&rows, |(file, kind)| {
        let world = World::new();
        let path = world.path(file);
        let folder = path.parent().unwrap();
        fs::create_dir_all(folder).unwrap();
        match *kind {
            "dangling" => symlink("gone", &path).unwrap(),
            "around" => symlink(path.file_name().unwrap(), &path).unwrap(),
            "parent" => {
                fs::remove_dir(folder).unwrap();
                symlink("gone", folder).unwrap();
            }
            "folder" => fs::create_dir(&path).unwrap(),
            "binary" => fs::write(&path, b"\xff\xfe\x00").unwrap(),
            "large" => fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap(),
            "pipe" => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
            _ => {}
        }
        let policy = if file.ends_with(".rego") { "rego" } else { "command-guard" };
        if file.starts_with("own/") {
            world.configure(&format!("[[policy]]\nname = \"{policy}\"\nsettings-file = \"~/{file}\"\n"));
        }
        (world, vec![file.rsplit('/').next().unwrap()])
    });
}

/// What stood there counts again once it is back, and a link that comes later is seen: nothing is kept from before.
#[test]
fn a_link_that_leads_nowhere_later_is_seen_at_the_next_call() {
    let world = World::new();
    assert!(world.bash("ls").is_silent());
    let path = world.path(".config/guard-host/guard.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink("elsewhere.toml", &path).unwrap();
    assert_eq!(world.bash("ls").decision(), "ask");
    world.write(".config/guard-host/elsewhere.toml", "preset = \"standard\"\n");
    assert!(world.bash("ls").is_silent());
    fs::remove_file(&path).unwrap();
    symlink("guard.toml", &path).unwrap();
    assert_eq!(world.bash("ls").decision(), "ask");
}

/// S2-14, S2-18, S2-26, S4-63, S4-92, S4-103c: the usual file, which no entry names.
#[test]
fn a_usual_file_that_cannot_be_used_leaves_the_defaults_and_a_warning_in_every_reply() {
    let world = World::new();
    world.configure("preset = \"guardrail\"\n");
    for (text, word) in [
        ("{", "guardrails.json:1:"),
        ("{ \"version\": 2 }", "`version` is 2"),
        ("{ \"blokced_paths\": [] }", "`blokced_paths`"),
        ("{ \"blocked_paths\": [\"{a\"] }", "`{a`"),
        ("{ \"rules\": { \"bash\": [{ \"pattern\": \"(\", \"action\": \"block\" }] } }", "`(`"),
        ("{ \"blocked_paths\": [], \"blocked_paths\": [] }", "stands twice"),
    ] {
        world.write(".claude/state/guardrails.json", text);
        let ended = world.bash("ls");
        let reply: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        for told in [&reply["systemMessage"], &reply["hookSpecificOutput"]["additionalContext"]] {
            let told = told.as_str().unwrap_or_default();
            assert!(told.contains("defaults hold") && told.contains(word), "{text}: {ended:?}");
        }
        assert_eq!(ended.decision(), "", "{ended:?}");
        assert_eq!(world.bash("cp x /etc/y").decision(), "deny", "{text}");
        let checked = world.run(&["config", "check"], "");
        assert!(checked.exit == 78 && checked.stderr.contains(word), "{text}: {checked:?}");
    }
    fs::remove_file(world.path(".claude/state/guardrails.json")).unwrap();
    assert!(world.bash("ls").is_silent());
    assert_eq!(world.run(&["config", "check"], "").exit, 0);
}

/// A mistake takes no deny of the policy's defaults back.
#[test]
fn what_the_defaults_deny_is_denied_with_broken_settings() {
    let world = World::new();
    for settings in ["settings = { raize = [] }", "settings-file = \"~/gone.json\"", "settings-file = \"~/s.json\""] {
        world.write("s.json", "{");
        world.configure(&format!("[[policy]]\nname = \"command-guard\"\n{settings}\n"));
        assert_eq!(world.bash("rm -rf /").decision(), "deny", "{settings}");
        assert_eq!(world.bash("ls").decision(), "ask", "{settings}");
    }
}

#[test]
fn a_check_for_machines_names_file_line_and_column() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings-file = \"~/s.json\"\n");
    world.write("s.json", "{\n  \"raize\": []\n}");
    let file = world.path("s.json").to_string_lossy().into_owned();
    let run = |format: &str, exit: i32| {
        let ended = world.run(&["config", "check", "--format", format], "");
        assert_eq!((ended.exit, ended.stderr.as_str()), (exit, ""), "{ended:?}");
        serde_json::from_str::<Value>(&ended.stdout).unwrap()
    };
    let value = run("json", 78);
    let problem = &value["problems"][0];
    assert_eq!(
        (&value["ok"], &problem["file"], &problem["policy"]),
        (&json!(false), &json!(file), &json!("command-guard"))
    );
    assert_eq!((&problem["line"], &problem["column"]), (&json!(2), &json!(3)));
    assert!(problem["hint"].as_str().unwrap().contains("`raise`"), "{problem}");
    let value = run("sarif", 78);
    assert_eq!(
        (&value["version"], &value["runs"][0]["tool"]["driver"]["name"]),
        (&json!("2.1.0"), &json!("guard-host"))
    );
    let place = &value["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&json!(file), &json!(2)));
    world.write("s.json", "{}");
    assert_eq!(run("json", 0)["problems"], json!([]));
    assert_eq!(run("sarif", 0)["runs"][0]["results"], json!([]));
}
