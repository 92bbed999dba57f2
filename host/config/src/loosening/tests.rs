//! What a user's file can change under a managed one, key by key. The managed policy is a component file, so that these
//! tests also run in a build without the built-in policies.

use guard_contract::Outcome;
use guard_contract::scripts::Scripts;
use guard_contract::verdict::BypassAsk;
use guard_state::AppDirs;

use crate::{Config, OnMalformed, load};

/// A managed file that configures a policy.
const GOVERNS: &str = "[[policy]]\nname = \"own\"\nsource = \"own.wasm\"\n";

fn loaded(managed: &str, user: &str) -> Config {
    let machine = tempfile::tempdir().unwrap();
    let at = |below: &str| machine.path().join(below);
    for (file, text) in [("etc/guard-host/guard.toml", managed), ("home/.config/guard-host/guard.toml", user)] {
        std::fs::create_dir_all(at(file).parent().unwrap()).unwrap();
        std::fs::write(at(file), text).unwrap();
    }
    let home = at("home");
    let dirs = AppDirs { managed: at("etc/guard-host/guard.toml"), ..AppDirs::under_home(home.to_str().unwrap()) };
    load(&dirs, &[])
}

/// The texts about entries without an effect.
fn told(config: &Config) -> Vec<&str> {
    config.ineffective.iter().map(|problem| problem.text.as_str()).collect()
}

#[track_caller]
fn assert_told(config: &Config, words: &[&str]) {
    let [text] = told(config)[..] else { panic!("{:#?}", config.ineffective) };
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
    let place = &config.ineffective[0].place;
    assert!(place.ends_with(|c: char| c.is_ascii_digit()), "without a line: {place}");
}

#[test]
fn a_user_cannot_loosen_a_managed_policy_by_a_single_key() {
    let config = loaded(GOVERNS, "scripts = \"off\"\n");
    assert_eq!(config.scripts, Scripts::Changed);
    assert_told(&config, &["`scripts` has no effect", "loosen", "guard.toml`"]);
    let config = loaded(GOVERNS, "on-malformed = \"allow\"\n");
    assert_eq!(config.on_malformed, None);
    assert_told(&config, &["`on-malformed` has no effect"]);
    assert_eq!(loaded(GOVERNS, "on-malformed = \"report\"\n").on_malformed, None);
    let config = loaded(GOVERNS, "bypass-ask = \"skip\"\n");
    assert_eq!(config.bypass_ask, BypassAsk::Ask);
    assert_told(&config, &["`bypass-ask` has no effect"]);
    let config = loaded(GOVERNS, "deadline-ms = 100\n");
    assert_eq!(config.deadline_ms, 2000);
    assert_told(&config, &["`deadline-ms` has no effect"]);
}

#[test]
fn a_user_can_tighten_below_a_managed_policy() {
    let user = "scripts = \"all\"\non-malformed = \"deny\"\nbypass-ask = \"deny\"\ndeadline-ms = 2000\n";
    let config = loaded(GOVERNS, user);
    assert_eq!((config.scripts, config.on_malformed), (Scripts::All, Some(OnMalformed::Deny)));
    assert_eq!(config.bypass_ask, BypassAsk::Deny);
    assert_eq!(told(&config), Vec::<&str>::new());
}

#[test]
fn a_user_without_a_managed_policy_sets_every_key() {
    let user = "scripts = \"off\"\non-malformed = \"allow\"\nbypass-ask = \"skip\"\ndeadline-ms = 100\n\
                [[tool]]\nmatch = \"mcp__box__exec\"\nurl = \"command\"\n";
    for managed in ["", "preset = \"none\"\n", "[audit]\nlevel = \"all\"\n"] {
        let config = loaded(managed, user);
        assert_eq!((config.scripts, config.on_malformed), (Scripts::Off, Some(OnMalformed::Allow)), "{managed}");
        assert_eq!((config.bypass_ask, config.deadline_ms), (BypassAsk::Skip, 100), "{managed}");
        assert!(config.tools.iter().all(|entry| !entry.adds), "{managed}");
        assert_eq!(told(&config), Vec::<&str>::new(), "{managed}");
    }
}

#[test]
fn a_key_of_the_managed_file_applies_and_the_users_is_reported() {
    let config = loaded("scripts = \"changed\"\n", "scripts = \"all\"\n");
    assert_eq!(config.scripts, Scripts::Changed);
    assert_told(&config, &["`scripts` has no effect", "sets it"]);
    assert_eq!(told(&loaded("scripts = \"all\"\n", "scripts = \"all\"\n")), Vec::<&str>::new());
    // The administrator can loosen what no user can.
    let config = loaded(&format!("scripts = \"off\"\n{GOVERNS}"), "");
    assert_eq!(config.scripts, Scripts::Off);
}

#[test]
fn a_users_tool_adds_to_the_guess_below_a_managed_policy() {
    let tool = |kind: &str| format!("[[tool]]\nmatch = \"mcp__box__exec\"\n{kind} = \"command\"\n");
    let config = loaded(GOVERNS, &tool("url"));
    assert!(config.tools.iter().all(|entry| entry.adds), "{:?}", config.tools);
    assert_told(&config, &["`mcp__box__exec`", "doesn't replace the guess"]);
    // Shell text is the most that a guess could find.
    assert_eq!(told(&loaded(GOVERNS, &tool("shell"))), Vec::<&str>::new());
    let config = loaded(&format!("{GOVERNS}{}", tool("url")), "");
    assert!(config.tools.iter().all(|entry| !entry.adds), "the administrator's entry replaces it");
}

#[test]
fn a_user_cannot_switch_a_managed_policy_off() {
    let config = loaded(GOVERNS, "[[policy]]\nname = \"own\"\nsource = \"own.wasm\"\nenabled = false\n");
    assert!(config.entries.iter().any(|entry| entry.name == "own"));
    assert_told(&config, &["`own`", "no effect"]);
    let config = loaded("preset = \"standard\"\n", "preset = \"none\"\n");
    assert_told(&config, &["`preset` has no effect"]);
    // It still removes the default preset here.
    assert_eq!(told(&loaded(GOVERNS, "preset = \"none\"\n")), Vec::<&str>::new());
}

#[test]
fn a_user_is_told_which_keys_leave_managed_policies_alone() {
    for (user, key) in [
        ("mode = \"watch\"\n", "`mode`"),
        ("mode = \"watch-all\"\n", "`mode`"),
        ("[undo]\ninstead-of-ask = true\n", "`instead-of-ask` in `[undo]`"),
    ] {
        assert_told(&loaded(GOVERNS, user), &[key, "has no effect on the policies of", "guard.toml`"]);
        assert_eq!(told(&loaded("[audit]\nlevel = \"all\"\n", user)), Vec::<&str>::new());
    }
    for user in ["mode = \"enforce\"\n", "[undo]\ninstead-of-ask = false\n"] {
        assert_eq!(told(&loaded(GOVERNS, user)), Vec::<&str>::new());
    }
    assert_eq!(told(&loaded(&format!("mode = \"watch\"\n{GOVERNS}"), "mode = \"watch\"\n")), Vec::<&str>::new());
}

#[test]
fn an_allow_that_lifts_only_managed_asks_is_reported() {
    let allow = |rules: &str| format!("[[allow]]\ncommand = [\"git\", \"push\"]\n{rules}\n");
    let only = format!("preset = \"none\"\n{}", allow(""));
    assert_told(&loaded(GOVERNS, &only), &["`[[allow]]`", "`git push`", "no effect"]);
    assert_told(&loaded(GOVERNS, &allow("rules = [\"own:x\"]")), &["`git push`"]);
    let other = format!("{}[[policy]]\nname = \"mine\"\nsource = \"mine.wasm\"\n", allow(""));
    assert_eq!(told(&loaded(GOVERNS, &other)), Vec::<&str>::new());
    assert_eq!(told(&loaded("", &only)), Vec::<&str>::new());
}

#[test]
fn a_locked_policy_denies_if_it_fails_unless_its_entry_says_otherwise() {
    let on_error = |managed: &str, user: &str| {
        let config = loaded(managed, user);
        let entry = config.entries.iter().find(|entry| entry.name == "own").unwrap();
        entry.on_error
    };
    let user = "[[policy]]\nname = \"own\"\nsource = \"own.wasm\"\non-error = \"allow\"\n";
    assert_eq!(on_error(GOVERNS, ""), Outcome::Ask);
    assert_eq!(on_error(&format!("lock = [\"own\"]\n{GOVERNS}"), ""), Outcome::Deny);
    assert_eq!(on_error(&format!("lock = [\"own\"]\n{GOVERNS}"), user), Outcome::Deny);
    assert_eq!(on_error(&format!("lock = [\"own\"]\n{GOVERNS}on-error = \"ask\"\n"), ""), Outcome::Ask);
    assert_eq!(on_error(&format!("lock = [\"else\"]\n{GOVERNS}"), ""), Outcome::Ask);
}
