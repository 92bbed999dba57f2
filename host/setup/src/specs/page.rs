//! Generates `docs/harness-details.md` from the capabilities and registration specs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use crate::command::{closed, replying, tested};
use guard_harness::capabilities::{
    self, Abstain, Ask, Capabilities, Confidence, Deny, Fail, OnAllow, OnSilence, Surface,
};

use super::{CRASHED, FailClosed, Hook, Layout, RegistrationSpec, TimeoutUnit, named};

const START: &str = "\
# Harnesses in detail

Look up how to register guard-host with your coding agent, how the agent reacts to the hook, and what is tested.
[The overview](harnesses.md) explains the differences that matter to most people.

`guard-host install NAME` adds the hook to the file below and changes nothing else in it.
`--dry-run` shows the change, and `uninstall` reverts it.
`--scope project` registers the hook for one project only.
`--shared` writes the file that the project commits, and finds `guard-host` on the `PATH`.
`guard-host doctor NAME` starts the registered command with a call that must be denied, and accepts only a denial in that harness's own protocol.
";

const COLUMNS: &str = "
| column | meaning |
|---|---|
| can prompt | If not, a call that needs confirmation is denied, and the message says how to approve it. |
| the hook is missing or fails, takes too long | *blocked* or *runs*. `install` makes the harness block the call where the harness has a setting for it, and `--fail-open` leaves that setting out. |
| protocol | How well the protocol is known: *sure* if good sources agree or tests have shown it, *fairly sure* if the sources are few, old or second-hand, *unsure* if they differ. |
| tested | The newest version that was tested with guard-host. |

In the sections below, some events have a variant:

| variant | meaning |
|---|---|
| `http` | the hook is a server |
| `screen` | a session on the terminal's screen |
| `exec`, `print` | a run without a screen |
| `unasked` | a call whose prompt may never be shown |
| `old version`, `unknown version` | an old Claude Code, or one whose version isn't known |
| a tool's name | calls to this tool (Cline only) |
";

const CHECKS: &str = "
## How to check an unverified claim

Unverified claims come from documentation or source code.
`tests/live/run NAME` runs real agents without contacting a vendor, and records the test results on this page ([live lab](../tests/live/README.md)).

To check a claim by hand, use a project that you can afford to lose:

1. Register the hook and start the harness. Let the agent run `git push --force origin main` in a repository without a remote. The call must not run, and the agent must get the reason.
2. Let it run `git push origin topic`. If this page says that the harness can prompt, it must prompt. Otherwise the call must be denied, with a message that says how to approve it.
3. Move the program away, and let the agent run `ls`. This shows what happens if the program is missing. Put the program back.
4. Replace the program with a script that sleeps longer than the timeout, and do the same. This shows what happens after a timeout.
5. Add `--record DIR` to the registered command. Each new kind of payload is then saved in `DIR`, without secrets and names from your machine. Compare it with `tests/harness/NAME`.

## Other harnesses

For a harness that isn't listed here, `install` has no registration.
If the harness runs the hooks in Claude Code's files, it also runs the hook of `guard-host install claude`. It gets Claude Code's replies, unless its payload shows another protocol.

Your own program can start `guard-host hook generic` with the payload on standard input.
The reply is `{\"decision\": \"allow\"}` or `{\"decision\": \"block\", \"reason\": ...}`. Treat any other output as a block.

Aider has no hooks. Use git hooks or a sandbox.
";

/// The observations of one harness, in `tests/live/seen.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct LiveObservation {
    /// Why it wasn't driven.
    not_driven: String,
    versions: Vec<String>,
    date: String,
    /// One word for each behavior, or several with their versions.
    deny: String,
    ask: String,
    screen: String,
    goes_on: String,
    /// The same for each way in which the program failed.
    broken: BTreeMap<String, String>,
}

fn seen() -> BTreeMap<String, LiveObservation> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/live/seen.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn what_was_seen_is_what_the_tables_say() {
    let seen = seen();
    for capabilities in capabilities::ALL.iter().filter(|capabilities| capabilities.name != "generic") {
        let name = capabilities.name;
        let Some(seen) = seen.get(name) else { panic!("{name}: neither seen nor said why not") };
        if seen.versions.is_empty() {
            assert!(!seen.not_driven.is_empty(), "{name}");
            continue;
        }
        assert_eq!(seen.deny, "denied", "{name}");
        let word = |blocks: bool| if blocks { "closed" } else { "open" };
        let by_form = name == "claude"
            || named(name)
                .is_some_and(|spec| matches!(spec.closing, FailClosed::Ours | FailClosed::Line | FailClosed::Reply));
        let blocks = |fail: Fail| matches!(fail, Fail::Closed | Fail::Switch(_));
        for how in ["missing", "not-executable", "exit-1", "signal"] {
            // Copilot makes the program executable, so that it answers.
            let made = how == "not-executable" && seen.broken[how] == "made executable";
            assert!(made || seen.broken[how] == word(by_form || blocks(capabilities.on_crash)), "{name}: {how}");
        }
        if let Some(late) = seen.broken.get("timeout").filter(|late| *late != "not driven") {
            // Older versions may behave differently. The newest comes last.
            let newest = late.rsplit("; ").next().unwrap_or_default();
            assert!(newest.starts_with(word(blocks(capabilities.on_timeout))), "{name}: timeout: {late}");
        }
    }
}

const UPDATE: &str =
    "UPDATE_PAGES=1 cargo test --release -p guard-setup --lib the_page_of_harnesses_says_what_the_tables_say";

#[test]
fn the_page_of_harnesses_says_what_the_tables_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/harness-details.md");
    let page = page();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "{} differs from the tables; run `{UPDATE}`", path.display());
}

fn page() -> String {
    let mut page = START.to_owned();
    page.push_str(
        "\n| harness | `NAME` | can prompt | the hook is missing or fails | the hook takes too long | protocol | tested |\n",
    );
    page.push_str("|---|---|---|---|---|---|---|\n");
    let seen = seen();
    for capabilities in capabilities::ALL {
        let (title, name, usual) = (capabilities.title, capabilities.name, capabilities.usual_surface());
        let ask = if usual.ask == Ask::Person { "yes" } else { "no" };
        let closes = named(name)
            .is_some_and(|spec| matches!(spec.closing, FailClosed::Ours | FailClosed::Line | FailClosed::Reply));
        let crash = if closes { "blocked" } else { short(capabilities.on_crash) };
        let known = confidence(capabilities.confidence);
        let timeout = short(capabilities.on_timeout);
        let version = seen.get(name).and_then(|seen| Some((seen.versions.last()?, &seen.date)));
        let version = version.map_or_else(|| "not tested".to_owned(), |(last, date)| format!("{last} on {date}"));
        writeln!(page, "| {title} | `{name}` | {ask} | {crash} | {timeout} | {known} | {version} |").unwrap();
    }
    page.push_str(COLUMNS);
    for capabilities in capabilities::ALL {
        section(capabilities, seen.get(capabilities.name), &mut page);
    }
    page.push_str(CHECKS);
    page
}

fn short(fail: Fail) -> &'static str {
    match fail {
        Fail::Open => "runs",
        Fail::Closed | Fail::Switch(_) => "blocked",
        Fail::Unknown => "unknown",
    }
}

fn long(fail: Fail) -> String {
    match fail {
        Fail::Open => "the call runs".to_owned(),
        Fail::Closed => "the call is blocked".to_owned(),
        Fail::Switch(switch) => format!("the call is blocked, by `{switch}`"),
        Fail::Unknown => "not observed".to_owned(),
    }
}

fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "sure",
        Confidence::Medium => "fairly sure",
        Confidence::Low => "unsure",
    }
}

fn section(capabilities: &Capabilities, seen: Option<&LiveObservation>, page: &mut String) {
    let mut say = |line: String| writeln!(page, "{line}").unwrap();
    say(format!("\n## {}\n", capabilities.title));
    match named(capabilities.name) {
        Some(spec) => register(spec, &mut say),
        None if capabilities.name == "claude" => say(
            "`guard-host install claude` writes `~/.claude/settings.json`. For a project: `./.claude/settings.local.json`, \
             and with `--shared` `./.claude/settings.json`.\n\
             `--plugin` registers it in a plugin, `--shim` with a script, and `--hooks-file` in another file.\n\n\
             To register it by hand, run `guard-host install claude --dry-run`, which prints the entry.\n"
                .to_owned(),
        ),
        None => say("To register it by hand, let your program start `guard-host hook generic`.\n".to_owned()),
    }
    say("| event | how a call is denied | a call that needs confirmation | an `allow` | no objection |".to_owned());
    say("|---|---|---|---|---|".to_owned());
    for surface in capabilities.surfaces {
        say(surface_row(surface));
    }
    let (crash, exit_one) = (long(capabilities.on_crash), long(capabilities.on_exit_one));
    say(match named(capabilities.name).map(|spec| spec.closing) {
        Some(FailClosed::Line | FailClosed::Reply) => format!(
            "\n- If the hook is missing or fails: the call is blocked, by the registered command line. \
             Without that line: {crash}; with exit code 1: {exit_one}."
        ),
        Some(FailClosed::Ours) => {
            "\n- If the hook is missing, fails, or prints an unreadable reply: the call is blocked, by the file that starts it."
                .to_owned()
        }
        _ => format!("\n- If the hook is missing or fails: {crash}. With exit code 1: {exit_one}."),
    });
    let wait = capabilities.timeout_ms.map_or_else(
        || "The harness's default time limit isn't known.".to_owned(),
        |wait| format!("The harness's default time limit is {} s.", f64::from(wait) / 1000.0),
    );
    say(format!("- If the hook takes too long: {}. {wait}", long(capabilities.on_timeout)));
    let files = capabilities.files.iter().map(|file| format!("`{}` ({})", file.path, confidence(file.confidence)));
    let files: Vec<String> = files.collect();
    if !files.is_empty() {
        say(format!("- Files with hooks: {}.", files.join(", ")));
    }
    for unverified in capabilities.unverified {
        say(format!("- Not verified: {unverified}."));
    }
    if let Some(seen) = seen {
        say(observation_text(seen));
    }
    say(format!("- Sources: {}.", capabilities.sources.join("; ")));
}

/// Returns the situation for a key of the observations.
fn situation(key: &str) -> &str {
    match key {
        "exit-1" => "exits with 1",
        "garbage" => "writes nonsense",
        "missing" => "is missing",
        "not-executable" => "isn't executable",
        "signal" => "is killed",
        "silence" => "writes nothing",
        "timeout" => "takes too long",
        other => other,
    }
}

fn observation_text(seen: &LiveObservation) -> String {
    if seen.versions.is_empty() {
        return format!("- Not tested, because {}.", seen.not_driven);
    }
    let mut text = format!("- Tested with {} on {}.", seen.versions.join(", "), seen.date);
    let words = [
        ("A denied call", &seen.deny),
        ("A call that needs confirmation, without a person", &seen.ask),
        ("On the screen", &seen.screen),
    ];
    for (what, word) in words.into_iter().filter(|(_, word)| !word.is_empty()) {
        write!(text, " {what}: {word}.").unwrap();
    }
    if seen.goes_on == "runs" {
        text.push_str(" The agent continues after a denial.");
    }
    let mut results: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (key, word) in &seen.broken {
        let word = word.replace("closed", "blocked").replace("open", "runs").replace("not driven", "not tested");
        results.entry(word).or_default().push(situation(key));
    }
    for (word, situations) in results {
        let (last, others) = situations.split_last().unwrap();
        let others = if others.is_empty() { String::new() } else { format!("{} or ", others.join(", ")) };
        write!(text, "\n- If the hook {others}{last}: {word}.").unwrap();
    }
    text
}

fn surface_row(surface: &Surface) -> String {
    let event = surface.event;
    let deny = match surface.deny {
        Deny::Reply => "reply",
        Deny::Exit => "exit code 2 and standard error",
        Deny::Both => "reply, exit code 2 and standard error",
    };
    let ask = match surface.ask {
        Ask::Person if surface.answered_by_person => "prompts; only a person can let it run",
        Ask::Person => "prompts",
        Ask::Unproven => "denied, because a prompt was never observed",
        Ask::None => "denied",
    };
    let grant = match surface.on_allow {
        OnAllow::SkipsPrompt => "skips the harness's prompt",
        OnAllow::MaySkipPrompt => "may skip the harness's prompt",
        OnAllow::None => "no effect",
    };
    let abstain = match surface.abstain {
        Abstain::Silence => "no output".to_owned(),
        Abstain::Token(token) => format!("`{token}`"),
    };
    let silence = match surface.on_silence {
        OnSilence::OwnRules => "the harness's own rules decide",
        OnSilence::Prompts => "the harness prompts",
        OnSilence::Runs => "without output, the call would run",
        OnSilence::Broken => "output is required",
    };
    format!("| `{event}` | {deny} | {ask} | {grant} | {abstain}; {silence} |")
}

fn register(spec: &RegistrationSpec, say: &mut impl FnMut(String)) {
    let name = spec.capabilities.name;
    let listed = |paths: &[&str]| paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" and ");
    let project = match spec.project {
        [] => "There is no project file.".to_owned(),
        paths => format!("For a project, it writes {}.", listed(paths)),
    };
    say(format!("`guard-host install {name}` writes {}. {project}", listed(spec.user)));
    if let Some((variable, folder)) = spec.moved {
        say(format!("`{variable}` replaces `{folder}`."));
    }
    for gate in spec.gates {
        // A gate to know about is a sentence of its own.
        say(gate.strip_prefix("know that ").map_or_else(|| format!("Then {gate}."), |known| format!("{known}.")));
    }
    let line = format!("/opt/guard-host hook {}", spec.called);
    let hook = Hook {
        words: line.split(' ').map(str::to_owned).collect(),
        bare: line.clone(),
        line: match spec.closing {
            FailClosed::Line => closed(&line),
            FailClosed::Reply => replying(&line),
            FailClosed::Key(CRASHED, None) => tested(&line),
            _ => line,
        },
        matcher: spec.all.to_owned(),
        timeout: 20 * spec.unit.per_second(),
        blocks: true,
    };
    let fenced = |kind: &str, text: &str| format!("\nTo register it by hand:\n\n```{kind}\n{}\n```\n", text.trim_end());
    say(match &spec.layout {
        Layout::Entries { beside, make, .. } => {
            let events = make(&hook).into_iter().map(|(event, entry)| (event, super::Item::List(vec![entry])));
            let hooks = ("hooks", super::Item::Object(events.collect()));
            let whole = beside.iter().cloned().chain([hooks]).collect();
            fenced("json", &super::Item::Object(whole).printed())
        }
        Layout::Named(key, make) => fenced("json", &super::Item::Object(vec![(*key, make(&hook))]).printed()),
        Layout::Tables(list, make) => fenced("toml", &super::edits::printed(list, &make(&hook), "\n")),
        Layout::List(path, make) => fenced("yaml", &super::edits::list_item(&make(&hook)).printed(*path, 0, "\n")),
        Layout::Whole(make) => fenced("json", &make(&hook).printed()),
        Layout::Program(0o755, _, make) => fenced("sh", &make(&hook)),
        Layout::Program(..) | Layout::Folder { .. } => {
            "\nTo register it by hand, use `--dry-run`, which prints the plugin and its location.\n".to_owned()
        }
    });
    if spec.unit == TimeoutUnit::None {
        say("It has no timeout setting.\n".to_owned());
    }
}
