//! Adding and removing entries, byte by byte.

use std::path::Path;

use proptest::prelude::*;

use super::*;

fn user() -> Target<'static> {
    Target { layer: Layer::User, file: Path::new("/h/guard.toml"), home: "/h" }
}

fn addition(name: &str) -> Addition {
    Addition { name: name.to_owned(), source: "/p/a.wasm".to_owned(), ..Addition::default() }
}

/// Checks that adding gives `expected`, and removing restores the text.
#[track_caller]
fn check(before: Option<&str>, addition: &Addition, expected: &str) {
    let added = user().add(before, addition, false).unwrap();
    assert_eq!(added.text, expected);
    assert_eq!(user().remove(Some(&added.text), &addition.name).unwrap().as_deref(), before);
}

#[test]
fn an_entry_goes_to_the_end_and_leaves_no_trace() {
    let block = "[[policy]]\nname = \"a\"\nsource = \"/p/a.wasm\"\n";
    check(None, &addition("a"), block);
    check(Some(""), &addition("a"), &format!("\n{block}"));
    check(Some("preset = \"full\"\n"), &addition("a"), &format!("preset = \"full\"\n\n{block}"));
    check(Some("# only a word\n\n\n"), &addition("a"), &format!("# only a word\n\n\n\n{block}"));
    check(
        Some("deadline-ms=1000   # odd"),
        &addition("a"),
        "deadline-ms=1000   # odd\n\n[[policy]]\nname = \"a\"\nsource = \"/p/a.wasm\"",
    );
    check(
        Some("# c\r\n\t[audit]\r\nlevel   =  'all'\r\n"),
        &addition("a"),
        "# c\r\n\t[audit]\r\nlevel   =  'all'\r\n\r\n[[policy]]\r\nname = \"a\"\r\nsource = \"/p/a.wasm\"\r\n",
    );
}

#[test]
fn an_entry_holds_all_that_was_said_of_it() {
    let mut grants = GrantSpec::default();
    assert!(["env:CI", "read:~/a b", "journal:log=/var/log/x.jsonl"].into_iter().all(|grant| grants.add(grant)));
    let settings = Table::from_iter([
        ("deny".to_owned(), Value::from(vec!["a\"b", "c\\d"])),
        ("deep key".to_owned(), Value::Table(Table::from_iter([("n".to_owned(), Value::from(1))]))),
    ]);
    let addition = Addition {
        sha256: Some("0".repeat(64)),
        tools: Some(vec!["Bash".to_owned(), "mcp__*".to_owned()]),
        settings: Some(settings.clone()),
        on_error: Some("deny"),
        wasi: Some("frozen"),
        grants: Some(grants.clone()),
        ..addition("a")
    };
    let before = "# mine\n";
    let added = user().add(Some(before), &addition, false).unwrap();
    let entry = &added.entry;
    assert_eq!(entry.grants, grants);
    assert_eq!(entry.tools, addition.tools);
    assert_eq!(entry.pinned.as_deref(), Some("0".repeat(64).as_str()));
    assert_eq!(entry.on_error, guard_contract::Outcome::Deny);
    assert_eq!(entry.wasi, guard_contract::Wasi::Frozen);
    let read: serde_json::Value = serde_json::from_str(&entry.settings).unwrap();
    assert_eq!(read, serde_json::json!({ "deny": ["a\"b", "c\\d"], "deep key": { "n": 1 } }));
    assert!(added.text.starts_with("# mine\n\n[[policy]]\n"), "{}", added.text);
    assert_eq!(user().remove(Some(&added.text), "a").unwrap().as_deref(), Some(before));
}

const SEVERAL: &str = "\
# first
[[policy]] # of a
name = 'a'
source = \"/p/a.wasm\"
# about its grants
[policy.grants]
env = [
  \"X\",  # why
]

# about b
[[policy]]
  name = \"b\"
  source = \"/p/b.wasm\"

[audit]
level = \"all\"

# of b still
[policy.limits]
time-ms = 100
";

#[test]
fn only_the_entry_goes_with_its_own_tables() {
    let without_a = user().remove(Some(SEVERAL), "a").unwrap().unwrap();
    assert_eq!(
        without_a,
        "# first\n\n# about b\n[[policy]]\n  name = \"b\"\n  source = \"/p/b.wasm\"\n\n[audit]\nlevel = \"all\"\n\n# of b still\n[policy.limits]\ntime-ms = 100\n"
    );
    let without_b = user().remove(Some(SEVERAL), "b").unwrap().unwrap();
    assert_eq!(
        without_b,
        "# first\n[[policy]] # of a\nname = 'a'\nsource = \"/p/a.wasm\"\n# about its grants\n[policy.grants]\nenv = [\n  \"X\",  # why\n]\n\n# about b\n\n[audit]\nlevel = \"all\"\n\n# of b still\n"
    );
}

#[test]
fn an_entry_is_replaced_where_it_stands() {
    let exists = user().add(Some(SEVERAL), &addition("a"), false).unwrap_err();
    assert!(matches!(exists, EditError::Exists(..)), "{exists}");
    let replaced = user().add(Some(SEVERAL), &addition("a"), true).unwrap().text;
    let rest = SEVERAL.split_once("\n\n# about b").unwrap().1;
    assert_eq!(replaced, format!("# first\n[[policy]]\nname = \"a\"\nsource = \"/p/a.wasm\"\n\n# about b{rest}"));
    let open = "[[policy]]\nname = \"a\"\nsource = \"/x.wasm\"";
    assert_eq!(user().add(Some(open), &addition("a"), true).unwrap().text, open.replace("/x.wasm", "/p/a.wasm"));
}

/// All other bytes stay, and the rule is added where the settings are.
#[test]
fn a_rule_is_lowered_where_the_settings_stand() {
    let cases = [
        (None, "[[policy]]\nname = \"command-guard\"\nsettings = { lower = [\"r\"] }\n"),
        (
            Some("preset='full' # c\r\n"),
            "preset='full' # c\r\n\r\n[[policy]]\r\nname = \"command-guard\"\r\nsettings = { lower = [\"r\"] }\r\n",
        ),
        (
            Some("[[policy]]\nname = 'command-guard' # mine"),
            "[[policy]]\nname = 'command-guard' # mine\nsettings = { lower = [\"r\"] }\n",
        ),
        (
            Some("[[policy]]\nname='command-guard'\nsettings={}\n"),
            "[[policy]]\nname='command-guard'\nsettings={ lower = [\"r\"] }\n",
        ),
        (
            Some("[[policy]]\nname='command-guard'\nsettings={raise=['x']}  # c\n# end"),
            "[[policy]]\nname='command-guard'\nsettings={ lower = [\"r\"],raise=['x']}  # c\n# end",
        ),
        (
            Some("[[policy]]\nname='command-guard'\nsettings={lower=[ 'x' , ]}\n"),
            "[[policy]]\nname='command-guard'\nsettings={lower=[ 'x', \"r\" , ]}\n",
        ),
        (
            Some("[[policy]]\nname='command-guard'\nsettings={lower=[]}\n"),
            "[[policy]]\nname='command-guard'\nsettings={lower=[\"r\"]}\n",
        ),
        (
            Some(
                "[[policy]]\nname='command-guard'\n[policy.settings] # s\nraise=['x']\n[[policy]]\nname='path-context'\nenabled=false\n",
            ),
            "[[policy]]\nname='command-guard'\n[policy.settings] # s\nlower = [\"r\"]\nraise=['x']\n[[policy]]\nname='path-context'\nenabled=false\n",
        ),
        (
            Some("[[policy]]\nname='command-guard'\nsettings.raise=['x']\n"),
            "[[policy]]\nname='command-guard'\nsettings.lower = [\"r\"]\nsettings.raise=['x']\n",
        ),
    ];
    for (before, after) in cases {
        assert_eq!(user().extend(before, "command-guard", "lower", "r").unwrap(), after, "{before:?}");
    }
}

/// Otherwise the policy would also judge the shell commands that the preset leaves to others.
#[test]
fn a_new_entry_keeps_the_tools_of_the_preset() {
    let after = user().extend(None, "protected-files", "confirm", "!Dockerfile").unwrap();
    let tools = r#"tools = ["Write", "Edit", "MultiEdit", "NotebookEdit", "Read", "Glob", "Grep"]"#;
    let settings = r#"settings = { confirm = ["!Dockerfile"] }"#;
    assert_eq!(after, format!("[[policy]]\nname = \"protected-files\"\n{tools}\n{settings}\n"));
}

#[test]
fn a_rule_is_lowered_nowhere_else() {
    for (before, place) in [
        ("[[policy]]\nname='command-guard'\nsettings-file='s.json'\n", "settings"),
        ("policy = [{ name = 'command-guard' }]\n", "written as an array"),
        ("[[policy]]\nname='command-guard'\nsettings = { lower = 'x' }\n", "be separated from"),
        ("[[policy]\n", "guard.toml"),
    ] {
        let error = user().extend(Some(before), "command-guard", "lower", "r").unwrap_err();
        assert!(error.to_string().contains(place), "{before}: {error}");
    }
}

#[test]
fn a_file_that_cannot_be_used_is_told_with_its_line() {
    for broken in ["preset = \n", "[[policy]]\nnome = \"x\"\n", "\n\npreset = \"ful\"\n"] {
        let line = if broken.starts_with('[') { 2 } else { broken.lines().count() };
        for error in
            [user().add(Some(broken), &addition("a"), true).unwrap_err(), user().remove(Some(broken), "x").unwrap_err()]
        {
            assert!(matches!(error, EditError::Broken(_)), "{broken}: {error}");
            assert!(error.to_string().starts_with(&format!("/h/guard.toml:{line}:")), "{broken}: {error}");
        }
    }
    let inline = "policy = [{ name = \"command-guard\" }]\n";
    assert!(matches!(
        user().add(Some(inline), &addition("a"), false),
        Err(EditError::Form(_, PlacementError::Inline(_)))
    ));
    assert!(matches!(user().remove(Some(inline), "command-guard"), Err(EditError::Form(_, PlacementError::Inline(_)))));
    assert!(matches!(user().remove(None, "a"), Err(EditError::Missing(..))));
}

#[test]
fn a_projects_file_is_held_to_its_limits_unless_it_never_kept_them() {
    let target = Target { layer: Layer::Project, file: Path::new("/r/.guard/guard.toml"), home: "/h" };
    let mut grants = GrantSpec::default();
    assert!(grants.add("env:CI"));
    let granted = Addition { grants: Some(grants), ..addition("a") };
    assert!(matches!(target.add(None, &granted, false), Err(EditError::Unfit(_))));
    let trusted = "[[policy]]\nname = \"b\"\nsource = \"/p/b.wasm\"\non-error = \"allow\"\n";
    assert!(target.add(Some(trusted), &granted, false).is_ok());
}

#[test]
fn a_project_names_its_files_by_the_way_to_them() {
    let path = |path| Addition::path(Layer::Project, "/r", path);
    assert_eq!(path("/r/policies/a.wasm").as_deref(), Some("../policies/a.wasm"));
    assert_eq!(path("/r/.guard/a.wasm").as_deref(), Some("a.wasm"));
    assert_eq!((path("/other/a.wasm"), path("/rest/a.wasm")), (None, None));
    assert_eq!(Addition::path(Layer::User, "/r", "/x/a.wasm").as_deref(), Some("/x/a.wasm"));
}

proptest! {
    #[test]
    fn what_was_added_is_removed_to_the_byte(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "# word\n", "\n", "\r\n", "[session]\n", "  \n", "[[policy]]\nname = \"x\"\n source=\"/x.wasm\"\n",
            "[[policy]]\r\nname = 'y'\r\nsource = '/y.wasm'\r\n[policy.grants]\r\nenv = []\r\n", "[audit]\nlevel='all'\n",
        ]), 0..6),
        end in prop::sample::select(vec!["", "# end", "  "]),
    ) {
        let before = pieces.concat() + end;
        if let Ok(added) = user().add(Some(&before), &addition("a"), false) {
            prop_assert_eq!(user().remove(Some(&added.text), "a").unwrap(), Some(before));
            let twice = user().add(Some(&added.text), &addition("b"), false).unwrap().text;
            prop_assert_eq!(user().remove(Some(&twice), "b").unwrap(), Some(added.text));
        }
    }
}

#[test]
fn copies_in_place_of_asks_are_switched_on_and_nothing_else_changes() {
    for (before, after) in [
        (None, "[undo]\ninstead-of-ask = true\n"),
        (Some("deadline-ms = 900\n"), "deadline-ms = 900\n\n[undo]\ninstead-of-ask = true\n"),
        (Some("[undo] # mine\nmax-ms = 200\n"), "[undo] # mine\ninstead-of-ask = true\nmax-ms = 200\n"),
        (Some("[undo]\ninstead-of-ask  =  false # no\n"), "[undo]\ninstead-of-ask  =  true # no\n"),
        (Some("undo = { max-ms = 200 }\n"), "undo = { instead-of-ask = true, max-ms = 200 }\n"),
        (Some("undo = {}\n"), "undo = { instead-of-ask = true }\n"),
        (Some("undo.max-ms = 200\n[audit]\n"), "undo.max-ms = 200\nundo.instead-of-ask = true\n[audit]\n"),
        (Some("[undo]\r\nmax-ms = 200\r\n"), "[undo]\r\ninstead-of-ask = true\r\nmax-ms = 200\r\n"),
        (Some("[audit]\n[undo]"), "[audit]\n[undo]\ninstead-of-ask = true\n"),
    ] {
        assert_eq!(user().copy_instead_of_ask(before).unwrap(), after, "{before:?}");
        assert_eq!(user().copy_instead_of_ask(Some(after)).unwrap(), after, "twice is as once");
    }
    assert!(user().copy_instead_of_ask(Some("undo = 1\n")).is_err());
}
