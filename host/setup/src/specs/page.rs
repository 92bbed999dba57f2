//! `docs/harness-details.md`, made from the facets and the forms, so that it says what the program does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use crate::command::{closed, replying};
use guard_harness::capabilities::{
    self, Abstain, Ask, Capabilities, Confidence, Deny, Fail, OnAllow, OnSilence, Surface,
};

use super::{FailClosed, Hook, Layout, RegistrationSpec, TimeoutUnit, named};

const START: &str = "\
# Harnesses

The coding agents that guard-host works with, how to register it with each, and the open questions.
[The overview](harnesses.md) has the differences that most people need.

`guard-host install NAME` adds the hook to the file listed below and changes nothing else in it.
`--dry-run` shows the change, and `uninstall` reverts it.
`--scope project` registers it for one project only.
`--shared` writes the file that the project commits, which finds `guard-host` on the `PATH`.
`guard-host doctor NAME` starts the registered command with a call that must be denied, and accepts only a deny in that harness's own protocol.
";

const CHECKS: &str = "
## How to check what is not verified

`tests/live/run NAME` drives real agents without a vendor, and writes the results on this page; [its page](../tests/live/README.md) explains the words.
Unverified claims come from documentation or source. To check one by hand, in a project you can afford to lose:

1. Register the hook, start the harness, and let the agent run `git push --force origin main` where there is no remote. It must not run, and the agent must read the reason.
2. Let it run `git push origin topic`. Where this page says that a person is asked, the harness must prompt; elsewhere the call must be refused with a message that says how to approve it.
3. Move the program away and let the agent run `ls`. That shows the result if the program is missing; put the program back.
4. Put a script that sleeps longer than the timeout in its place, and do the same. That shows the result of a timeout.
5. Add `--record DIR` to the registered command. Each new shape of payload is then saved below `DIR`, without secrets and without names of your machine; compare it with `tests/harness/NAME`.

## Others

A harness that is not here has no registration.
One that runs the hooks of Claude Code's files will call the hook that `guard-host install claude` registers, and gets Claude Code's replies, unless its payload shows another protocol.
A program of your own can start `guard-host hook generic` with the payload on standard input, and reads `{\"decision\": \"allow\"}` or `{\"decision\": \"block\", \"reason\": ...}`; it must treat any other output as a block.
Aider has no hooks: use git hooks, or a sandbox.
";

/// The observations of one harness, in `tests/live/seen.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct LiveObservation {
    /// Why it was not driven.
    not_driven: String,
    versions: Vec<String>,
    date: String,
    /// A word for each thing, or several with the versions that they are of.
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
            // Copilot makes the program executable, which then answers.
            let made = how == "not-executable" && seen.broken[how] == "made executable";
            assert!(made || seen.broken[how] == word(by_form || blocks(capabilities.on_crash)), "{name}: {how}");
        }
        if let Some(late) = seen.broken.get("timeout").filter(|late| *late != "not driven") {
            // Older versions may do otherwise; the newest comes last.
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
        "\n| harness | `NAME` | can ask a person | the program is gone or fails | it takes too long | protocol | tested |\n",
    );
    page.push_str("|---|---|---|---|---|---|---|\n");
    let seen = seen();
    for capabilities in capabilities::ALL {
        let (title, name, usual) = (capabilities.title, capabilities.name, capabilities.usual());
        let ask = if usual.ask == Ask::Person { "yes" } else { "no: it denies" };
        let closes = named(name)
            .is_some_and(|spec| matches!(spec.closing, FailClosed::Ours | FailClosed::Line | FailClosed::Reply));
        let crash = if closes { "blocked" } else { short(capabilities.on_crash) };
        let known = confidence(capabilities.confidence);
        let timeout = short(capabilities.on_timeout);
        let version = seen.get(name).and_then(|seen| Some((seen.versions.last()?, &seen.date)));
        let version = version.map_or_else(|| "not tested".to_owned(), |(last, date)| format!("{last} on {date}"));
        writeln!(page, "| {title} | `{name}` | {ask} | {crash} | {timeout} | {known} | {version} |").unwrap();
    }
    page.push_str("\n\"Blocked\" is what `install` sets where the harness has a switch for it; `--fail-open` leaves the switch out.
*Protocol* says how well the harness's protocol is known: *sure* if good sources agree or runs have shown it, *fairly sure* if the sources are few, old or second-hand, *unsure* if they differ. Each section names its sources.
*Tested* is the newest version that was run with guard-host.
In the sections below, a word after the name of an event is a variant of it: `http` is a hook that is a server, `screen` is a session on the terminal's screen, `exec` and `print` are runs without one, `unasked` is a call whose prompt may never be shown, and for Cline it is the name of a tool.
*An ask* was tried with no person there, *on the screen* with one.
A broken hook is *closed* if the call did not run and *open* if it did; *garbage* is a hook that writes nonsense with exit code 0, *silence* one that writes nothing.\n");
    for capabilities in capabilities::ALL {
        section(capabilities, seen.get(capabilities.name), &mut page);
    }
    page.push_str(CHECKS);
    page
}

fn short(fail: Fail) -> &'static str {
    match fail {
        Fail::Open => "passes unasked",
        Fail::Closed | Fail::Switch(_) => "blocked",
        Fail::Unknown => "unknown",
    }
}

fn long(fail: Fail) -> String {
    match fail {
        Fail::Open => "the call passes unasked".to_owned(),
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
             It also registers in a plugin (`--plugin`), by a script (`--shim`) or in another file (`--hooks-file`).\n\n\
             By hand: `guard-host install claude --dry-run` prints the entry.\n"
                .to_owned(),
        ),
        None => say("By hand: let the program start `guard-host hook generic`.\n".to_owned()),
    }
    for surface in capabilities.surfaces {
        say(format!("- {}", surface_text(surface)));
    }
    let (crash, exit_one) = (long(capabilities.on_crash), long(capabilities.on_exit_one));
    say(match named(capabilities.name).map(|spec| spec.closing) {
        Some(FailClosed::Line | FailClosed::Reply) => format!(
            "- If the program is gone, fails or exits with 1: the call is blocked, by the line that starts it. \
             Without that line: {crash}; with exit code 1: {exit_one}."
        ),
        Some(FailClosed::Ours) => {
            "- If the program is gone, fails, or prints an unreadable reply: the call is blocked, by the file that starts it."
                .to_owned()
        }
        _ => format!("- If the program is gone or fails: {crash}. With exit code 1: {exit_one}."),
    });
    let wait = capabilities.timeout_ms.map_or_else(
        || "How long it waits by itself is not known.".to_owned(),
        |wait| format!("By itself it waits {} s.", f64::from(wait) / 1000.0),
    );
    say(format!("- If it takes too long: {}. {wait}", long(capabilities.on_timeout)));
    for file in capabilities.files {
        say(format!("- Hooks are in `{}` ({}).", file.path, confidence(file.confidence)));
    }
    for unverified in capabilities.unverified {
        say(format!("- Not verified: {unverified}."));
    }
    if let Some(seen) = seen {
        say(observation_text(seen));
    }
    say(format!("- Known from: {}.", capabilities.sources.join("; ")));
}

fn observation_text(seen: &LiveObservation) -> String {
    if seen.versions.is_empty() {
        return format!("- Not tested, because {}.", seen.not_driven);
    }
    let ways = seen.broken.iter().map(|(how, word)| (how.as_str(), word));
    let words = [("a deny", &seen.deny), ("an ask", &seen.ask), ("on the screen", &seen.screen)];
    let told: Vec<String> = words
        .into_iter()
        .chain(ways)
        .filter(|(_, word)| !word.is_empty())
        .map(|(what, word)| format!("{what}: {word}"))
        .collect();
    let goes_on = if seen.goes_on == "runs" { " The agent continues after a deny." } else { "" };
    format!("- Seen with {} on {}: {}.{goes_on}", seen.versions.join(", "), seen.date, told.join(" | "))
}

fn surface_text(surface: &Surface) -> String {
    let event = surface.event;
    let deny = match surface.deny {
        Deny::Reply => "denies by its reply",
        Deny::Exit => "denies by exit code 2 and standard error",
        Deny::Both => "denies by its reply, and by exit code 2 and standard error",
    };
    let ask = match surface.ask {
        Ask::Person if surface.answered_by_person => "has a person asked, who alone can let the call run",
        Ask::Person => "can have a person asked",
        Ask::Unproven => "could ask, but that was never observed: an ask denies",
        Ask::None => "cannot ask: an ask denies",
    };
    let grant = match surface.on_allow {
        OnAllow::SkipsPrompt => "an allow skips the harness's prompt",
        OnAllow::MaySkipPrompt => "an allow may skip the harness's prompt",
        OnAllow::None => "an allow grants nothing",
    };
    let abstain = match surface.abstain {
        Abstain::Silence => "for abstain the hook writes nothing".to_owned(),
        Abstain::Token(token) => format!("abstain is `{token}`"),
    };
    let silence = match surface.on_silence {
        OnSilence::OwnRules => "the harness's own rules then decide",
        OnSilence::Prompts => "the harness then asks a person",
        OnSilence::Runs => "silence would let the call run",
        OnSilence::Broken => "silence would be a broken reply",
    };
    format!("`{event}`: {deny}; {ask}; {grant}; {abstain}, {silence}.")
}

fn register(spec: &RegistrationSpec, say: &mut impl FnMut(String)) {
    let name = spec.capabilities.name;
    let listed = |paths: &[&str]| paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" and ");
    let project = match spec.project {
        [] => "There is no file for a project.".to_owned(),
        paths => format!("For a project: {}.", listed(paths)),
    };
    say(format!("`guard-host install {name}` writes {}. {project}", listed(spec.user)));
    if let Some((variable, folder)) = spec.moved {
        say(format!("`{variable}` replaces `{folder}`."));
    }
    for gate in spec.gates {
        // What is only to be known stands for itself.
        say(gate.strip_prefix("know that ").map_or_else(|| format!("Then {gate}."), |known| format!("{known}.")));
    }
    let line = format!("/opt/guard-host hook {}", spec.called);
    let hook = Hook {
        words: line.split(' ').map(str::to_owned).collect(),
        bare: line.clone(),
        line: match spec.closing {
            FailClosed::Line => closed(&line),
            FailClosed::Reply => replying(&line),
            _ => line,
        },
        matcher: spec.all.to_owned(),
        timeout: 20 * spec.unit.per_second(),
        blocks: true,
    };
    let fenced = |kind: &str, text: &str| format!("\nBy hand:\n\n```{kind}\n{}\n```\n", text.trim_end());
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
            "\nBy hand: `guard-host install` with `--dry-run` prints the plugin, and where it belongs.\n".to_owned()
        }
    });
    if spec.unit == TimeoutUnit::None {
        say("It has no timeout setting.\n".to_owned());
    }
}
