//! Texts with several modules, and data next to their rules.

#![cfg(test)]

use guard_sdk::serde_json::{Value, json};
use guard_sdk::testing::World;
use guard_sdk::{Decision, Outcome};
use policy_rego::Rego;

fn ask(settings: &Value) -> Result<Decision, String> {
    World::default().decide::<Rego>(&settings.to_string(), "Bash", r#"{"command": "git push -f origin main"}"#)
}

fn with(guard: &str) -> Value {
    let library = "package lib.git\n\nimport data.lib.names\n\nforced contains branch if {\n    \
        some branch in split(input.input.command, \" \")\n    branch == \"main\"\n}\n\n\
        is_protected(branch) if branch in data.lib.git.branches\n\ntold(branch) := names.quoted(branch)\n";
    let names = "package lib.names\n\nquoted(x) := sprintf(\"`%s`\", [x])\n";
    json!({
        "file": "/p",
        "files": { "guard.rego": guard, "lib/git.rego": library, "lib/names.rego": names },
        "data": { "lib": { "git": { "branches": ["main"] } } },
    })
}

#[track_caller]
fn message(guard: &str) -> String {
    let decision = ask(&with(guard)).unwrap();
    assert_eq!(decision.outcome, Outcome::Deny);
    decision.findings[0].message.clone()
}

#[track_caller]
fn refused(guard: &str, start: &str, part: &str) {
    let error = ask(&with(guard)).unwrap_err();
    assert!(error.starts_with(start) && error.contains(part), "{error}");
}

#[test]
fn a_package_is_imported_under_its_name_another_or_none() {
    for (import, used) in [
        ("import data.lib.git", "some x in git.forced; git.is_protected(x); m := git.told(x)"),
        ("import data.lib.git as g", "some x in g.forced; g.is_protected(x); m := g.told(x)"),
        ("import data.lib", "some x in lib.git.forced; lib.git.is_protected(x); m := lib.git.told(x)"),
        ("", "some x in data.lib.git.forced; data.lib.git.is_protected(x); m := data.lib.git.told(x)"),
        ("import data.lib.git.forced", "some x in forced; m := sprintf(\"`%s`\", [x])"),
        ("import data.lib.git.branches", "some x in branches; m := sprintf(\"`%s`\", [x])"),
    ] {
        let text = format!("package guard\n\n{import}\n\ndeny contains m if {{ {used} }}\n");
        assert_eq!(message(&text), "`main`", "{text}");
    }
}

#[test]
fn a_name_of_a_rule_outranks_an_import() {
    let text = "package guard\n\nimport data.lib.git\n\ndeny contains m if {\n    \
            m := own({\"own\": \"o\"})\n}\n\nown(git) := git.own\n";
    assert_eq!(message(text), "o");
}

#[test]
fn a_name_that_no_package_has_is_refused_before_any_call() {
    for (import, condition, place, part) in [
        ("import data.lib.gti", "true", "/p/guard.rego:3:17: ", "`gti`"),
        ("import data.lib.git", "git.forsed", "/p/guard.rego:5:26: ", "`forsed`"),
        ("import data.lib.git", "git.is_forced(\"x\")", "/p/guard.rego:5:", "git.is_forced"),
        ("", "data.lib.git.branch", "/p/guard.rego:5:35: ", "`branch`"),
        ("", "git.is_protected(\"x\")", "/p/guard.rego:5:", "git.is_protected"),
        ("import input.analysis as a", "a.comands", "/p/guard.rego:5:24: ", "`comands`"),
    ] {
        refused(&format!("package guard\n\n{import}\n\ndeny contains \"x\" if {condition}\n"), place, part);
    }
}

#[test]
fn a_package_may_be_named_in_brackets() {
    let files = json!({
        "guard.rego": "package guard\n\ndeny contains data.lib[\"of-git\"].told(\"x\")\n",
        "lib/git.rego": "package lib[\"of-git\"]\n\ntold(x) := quoted(x)\n\nquoted(x) := sprintf(\"<%s>\", [x])\n",
    });
    assert_eq!(ask(&json!({ "files": files })).unwrap().findings[0].message, "<x>");
}

#[test]
fn an_error_names_the_module_that_it_is_in() {
    let mut settings = with("package guard\n\ndeny contains \"x\" if data.lib.git.forced\n");
    settings["files"]["lib/names.rego"] = "package lib.names\n\nquoted(x) := x if y > 1\n".into();
    let error = ask(&settings).unwrap_err();
    assert!(error.starts_with("/p/lib/names.rego:3:19: "), "{error}");
    settings["files"]["lib/names.rego"] = "package lib.names\n\nquoted(x) := to_number(x)\n".into();
    settings["files"]["guard.rego"] = "package guard\n\ndeny contains data.lib.names.quoted(\"x\")\n".into();
    let error = ask(&settings).unwrap_err();
    assert!(error.starts_with("/p/lib/names.rego:3:"), "{error}");
}

#[test]
fn a_package_may_stand_in_several_modules() {
    let files = json!({
        "a.rego": "package guard\n\ndeny contains \"a\" if is_push\n",
        "b.rego": "package guard\n\ndeny contains \"b\" if is_push\n\nis_push if input.tool == \"Bash\"\n",
    });
    let decision = ask(&json!({ "files": files })).unwrap();
    let told: Vec<&str> = decision.findings.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(told, ["a", "b"]);
}

#[test]
fn a_package_and_the_data_do_not_stand_at_one_place() {
    let mut settings = with("package guard\n\ndeny contains \"x\"\n");
    settings["data"] = json!({ "lib": { "git": { "forced": [] } } });
    let error = ask(&settings).unwrap_err();
    assert!(error.starts_with("/p: `data.lib.git.forced`"), "{error}");
    settings["data"] = json!({ "lib": [] });
    let error = ask(&settings).unwrap_err();
    assert!(error.starts_with("/p: `data.lib`"), "{error}");
}

#[test]
fn one_of_the_packages_is_asked() {
    let library = "package lib\n\ndeny contains \"x\"\n";
    let error = ask(&json!({ "file": "/p", "files": { "lib.rego": library } })).unwrap_err();
    assert!(error.starts_with("/p: ") && error.contains("`package guard`"), "{error}");
    let guard = "package guard\n\nallowed := true\n";
    let error = ask(&json!({ "file": "/p", "files": { "lib.rego": library, "guard.rego": guard } })).unwrap_err();
    assert!(error.starts_with("/p: ") && error.contains("`allow`"), "{error}");
}

#[test]
fn a_text_may_stand_beside_modules_and_tests_judge_nothing() {
    let settings = json!({
        "text": "package guard\n\nimport data.lib\n\ndeny contains lib.message\n",
        "files": { "lib.rego": "package lib\n\nmessage := \"m\"\n", "lib_test.rego": "this is no Rego" },
    });
    assert_eq!(ask(&settings).unwrap().findings[0].message, "m");
}
