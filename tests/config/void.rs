//! Parts of the managed file, and allows beside it, that have no effect: each is told once.

use guard_contract::Outcome;
use serde_json::json;

use crate::support::layers::Layers;

/// Returns the warnings of all views, as `text -> hint`.
fn warnings(layers: &Layers) -> Vec<String> {
    let mistakes = layers.mistakes();
    assert!(mistakes.iter().all(|mistake| mistake.is_warning()), "{mistakes:#?}");
    mistakes.iter().map(|mistake| format!("{} -> {}", mistake.problem.text, mistake.problem.hint)).collect()
}

#[test]
fn an_allow_beside_a_managed_policy_is_told_once() {
    for managed in ["preset = \"standard\"\n", "lock = [\"command-guard\"]\n"] {
        for allow in [
            "command = [\"npm\", \"publish\"]\nrules = [\"command-guard:publish-package\"]\n",
            "command = [\"npm\", \"publish\"]\n",
            "command = [\"git\", \"push\"]\nuntil = \"2020-01-01\"\n",
            "command = [\"npm publish\"]\n",
            "command = [\"git\", \"push\"]\nrules = [\"command-guard:git-pusch\"]\n",
            "command = [\"git\", \"push\"]\nwithin = \"/nope\"\n",
        ] {
            let layers = Layers::new().managed(managed).user(format!("[[allow]]\n{allow}"));
            let found = warnings(&layers);
            assert_eq!(found.len(), 1, "{managed}{allow}{found:#?}");
            assert!(found[0].contains("the `[[allow]]` for `"), "{found:#?}");
        }
    }
    // Two allows with the same words have one reason.
    let two = "[[allow]]\ncommand = [\"npm\", \"publish\"]\n".repeat(2);
    assert_eq!(warnings(&Layers::new().managed("preset = \"standard\"\n").user(two)).len(), 1);
    let works = "[[allow]]\ncommand = [\"npm\", \"publish\"]\n";
    assert_eq!(warnings(&Layers::new().user(works)), [""; 0]);
}

/// Text of a managed file, a call, and the words of the warning.
const LOOSENING: [(&str, (&str, &str), &str); 7] = [
    (
        "[[policy]]\nname = \"command-guard\"\nsettings = { lower = [\"git-push\"] }\n",
        ("Bash", "git push"),
        "`lower` has no effect",
    ),
    (
        "[[policy]]\nname = \"command-guard\"\nsettings = { silence = [\"git-push\"] }\n",
        ("Bash", "git push"),
        "`silence` has no effect",
    ),
    (
        "[[policy]]\nname = \"protected-files\"\nsettings = { confirm = [\"!Dockerfile\"] }\n",
        ("Write", "Dockerfile"),
        "`!Dockerfile` has no effect",
    ),
    (
        "[[policy]]\nname = \"protected-files\"\nsettings = { exempt = [\"Dockerfile\"] }\n",
        ("Write", "Dockerfile"),
        "`exempt` has no effect",
    ),
    ("[[policy]]\nname = \"command-guard\"\nmode = \"watch\"\n", ("Bash", "git push"), "`mode` has no effect"),
    (
        "[[policy]]\nname = \"command-guard\"\nenabled = false\n",
        ("Bash", "git push"),
        "`enabled = false` has no effect",
    ),
    ("mode = \"watch\"\n", ("Bash", "git push"), "`mode` has no effect"),
];

#[test]
fn a_managed_file_that_loosens_a_policy_of_each_users_preset_is_told() {
    for (managed, (tool, subject), words) in LOOSENING {
        let layers = Layers::new().managed(managed);
        let key = if tool == "Bash" { "command" } else { "file_path" };
        let call = [(tool, json!({ key: subject, "content": "" }))];
        assert_eq!(layers.decide(&call)[0].outcome, Outcome::Ask, "{managed}");
        let found = warnings(&layers);
        assert!(found.len() == 1 && found[0].contains(words), "{managed}{found:#?}");
        assert!(found[0].contains("add a `preset`"), "{managed}{found:#?}");
        // What the hint says works.
        let layers = Layers::new().managed(format!("preset = \"standard\"\n{managed}"));
        assert_ne!(layers.decide(&call)[0].outcome, Outcome::Ask, "{managed}");
        let found = warnings(&layers);
        assert!(!found.iter().any(|text| text.contains(words)), "{managed}{found:#?}");
    }
}

#[test]
fn a_managed_file_that_tightens_or_whose_user_chose_a_preset_is_not_told() {
    for managed in [
        "[[policy]]\nname = \"command-guard\"\nsettings = { raise = [\"git-push\"] }\n",
        "[[policy]]\nname = \"protected-files\"\nsettings = { blocked = [\"keys\"], exempt = [\"keys/public\"] }\n",
        "[[allow]]\ncommand = [\"npm\", \"publish\"]\n",
        "mode = \"watch-all\"\n",
    ] {
        let found = warnings(&Layers::new().managed(managed));
        assert!(!found.iter().any(|text| text.contains("no effect")), "{managed}{found:#?}");
    }
    let lowers = "[[policy]]\nname = \"command-guard\"\nsettings = { lower = [\"git-push\"] }\n";
    let found = warnings(&Layers::new().managed(lowers).user("preset = \"standard\"\n"));
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_second_entry_of_the_user_does_not_loosen_the_preset() {
    let second =
        "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\nsettings = { lower = [\"git-push\"] }\n";
    let found = warnings(&Layers::new().user(second));
    assert!(
        found.len() == 1 && found[0].contains("`lower` has no effect on the rules of `command-guard`"),
        "{found:#?}"
    );
    assert!(found[0].contains("put `lower` into a `[[policy]]` with `name = \"command-guard\"`"), "{found:#?}");
    for fine in [second.replace("ours", "command-guard"), format!("preset = \"none\"\n{second}")] {
        let found = warnings(&Layers::new().user(&fine));
        assert!(!found.iter().any(|text| text.contains("`lower`")), "{fine}{found:#?}");
    }
}

#[test]
fn a_user_file_that_loosens_a_managed_policy_is_told_whatever_else_it_has() {
    let below = |policy: &str, settings: &str| {
        let user = format!("[[policy]]\nname = \"{policy}\"\nsettings = {{ {settings} }}\n");
        warnings(&Layers::new().managed("preset = \"standard\"\n").user(user))
    };
    for (policy, settings, key) in [
        ("protected-files", "confirm = [\"a.yml\", \"!Makefile\"]", "!Makefile"),
        ("protected-files", "confirm = [\"a.yml\"], exempt = [\".env\"]", "exempt"),
        ("command-guard", "protected-branches = [\"rel/*\", \"!main\"]", "!main"),
        ("command-guard", "secret-reads = \"ask\"", "secret-reads"),
        ("intrusion-guard", "hosts = [\"x.io\"]", "hosts"),
    ] {
        let found = below(policy, settings);
        let has = |text: &String| text.contains(&format!("`{key}` has no effect on the rules of `{policy}`"));
        assert_eq!(found.iter().filter(|text| has(text)).count(), 1, "{settings}: {found:#?}");
    }
    for (policy, settings) in [
        ("protected-files", "confirm = [\"a.yml\", \"!a.yml\"]"),
        ("command-guard", "secret-reads = \"deny\""),
        ("intrusion-guard", "strict = true, hosts = [\"x.io\"]"),
    ] {
        let found = below(policy, settings);
        assert!(!found.iter().any(|text| text.contains("no effect")), "{settings}: {found:#?}");
    }
}
