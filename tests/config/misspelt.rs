//! Patterns that match no file, and files in a folder that nothing reads them in: every list of files gives the hint.

use crate::support::world::World;

/// Creates a project with files for the patterns.
fn project() -> World {
    let world = World::new();
    for file in [
        "db/migrations/1.sql",
        "data/customers.csv",
        "certs/site.pem",
        "svc/a/orders.py",
        "infra/eu.tfvars",
        "notes/plan.xls",
        "src/app.ts",
    ] {
        world.write(&format!("repo/{file}"), "");
    }
    world
}

/// Returns the warnings of `config check`, which must find no mistake.
#[track_caller]
fn warnings(world: &World) -> String {
    let ended = world.run(&["config", "check"], "");
    assert!(ended.exit == 0 && !ended.stderr.contains("error: "), "{ended:?}");
    ended.stderr
}

const PROJECT: &str = "repo/.guard/guard.toml";
const USER: &str = ".config/guard-host/guard.toml";

/// Returns the warnings about an entry with these settings, in the file of this path.
#[track_caller]
fn told(file: &str, policy: &str, settings: &str) -> String {
    let world = project();
    let name = if file == USER { policy } else { "ours" };
    let source = format!("source = \"builtin:{policy}\"");
    world.write(file, format!("[[policy]]\nname = \"{name}\"\n{source}\nsettings = {{ {settings} }}\n"));
    warnings(&world)
}

/// Policies, and settings with a list at any depth.
const ANYWHERE: [(&str, &str); 5] = [
    ("protected-files", "blocked = [LIST]"),
    ("protected-files", "confirm = [LIST]"),
    ("protected-files", "reads = [LIST]"),
    ("command-guard", "files = { blocked = [LIST] }"),
    ("command-guard", "files = { confirm = [LIST] }"),
];

#[test]
fn a_misspelt_pattern_gets_the_similar_one_that_matches_in_every_list() {
    for (pattern, meant) in [
        ("*.sqll", "*.sql"),
        ("**/migratoins", "**/migrations"),
        ("migratoins/", "migrations/"),
        ("custmers.csv", "customers.csv"),
        ("data/*.cvs", "data/*.csv"),
        ("db/**/*.sqll", "db/**/*.sql"),
        ("*.tfvar", "*.tfvars"),
        ("db/migration", "db/migrations"),
        ("/db/migrations", "db/migrations"),
    ] {
        for (policy, list) in ANYWHERE {
            let output = told(PROJECT, policy, &list.replace("LIST", &format!("\"{pattern}\"")));
            assert!(output.contains(&format!("no file matches `{pattern}` in `")), "{policy} {pattern}: {output}");
            assert!(output.contains(&format!("did you mean `{meant}`?")), "{policy} {pattern}: {output}");
            assert_eq!(output.matches("warning: ").count(), 1, "{policy} {pattern}: {output}");
        }
    }
    for (pattern, meant) in
        [("**/*.sqll", "**/*.sql"), ("**/migratoins", "**/migrations"), ("**/custmers.csv", "**/customers.csv")]
    {
        for list in ["protected", "warned"] {
            let output = told(PROJECT, "write-control", &format!("{list} = [\"{pattern}\"]"));
            assert!(output.contains(&format!("did you mean `{meant}`?")), "{list} {pattern}: {output}");
        }
    }
}

#[test]
fn a_misspelt_pattern_of_the_user_gets_the_one_that_this_project_has() {
    for (pattern, meant) in [
        ("*.sqll", "*.sql"),
        ("**/migratoins", "**/migrations"),
        ("custmers.csv", "customers.csv"),
        ("/db/migrations", "db/migrations"),
        ("db/migration", "db/migrations"),
    ] {
        for (policy, list) in ANYWHERE {
            let output = told(USER, policy, &list.replace("LIST", &format!("\"{pattern}\"")));
            assert!(output.contains(&format!("no file matches `{pattern}` in `")), "{policy} {pattern}: {output}");
            assert!(output.contains(&format!("did you mean `{meant}`?")), "{policy} {pattern}: {output}");
        }
    }
    // Another project may have these.
    for pattern in ["secrets.csv", "*.key2", "migration", "**/order.py", "payroll/*.csv", "*.xlsx", "*.tsx"] {
        for (policy, list) in ANYWHERE {
            assert_eq!(told(USER, policy, &list.replace("LIST", &format!("\"{pattern}\""))), "", "{policy} {pattern}");
        }
    }
}

#[test]
fn a_path_that_does_not_exist_is_told_in_every_list_that_protects() {
    for pattern in ["payroll/2026.ods", "payroll/*.ods"] {
        for (policy, list) in ANYWHERE {
            let output = told(PROJECT, policy, &list.replace("LIST", &format!("\"{pattern}\"")));
            assert!(output.contains(&format!("no file matches `{pattern}` in `")), "{policy} {pattern}: {output}");
            assert!(output.contains("will exist later, there is nothing to do"), "{policy} {pattern}: {output}");
        }
    }
}

#[test]
fn patterns_that_match_or_that_default_lists_have_are_not_told() {
    for pattern in [
        ".env.production",
        "config/.env.staging",
        "*.key",
        "*.p12",
        "customers.csv",
        "migrations/1.sql",
        "a/orders.py",
        "*.tsx",
        "*.xlsx",
        "*.tsv",
        "hosts",
        "2.sql",
        "**/certs",
        "*.PEM",
        "/etc/hosts",
        "~/notes/secret.txt",
    ] {
        for (policy, list) in ANYWHERE {
            let output = told(PROJECT, policy, &list.replace("LIST", &format!("\"{pattern}\"")));
            assert_eq!(output, "", "{policy} {pattern}");
        }
    }
    // The list already has the pattern that was meant.
    assert_eq!(told(PROJECT, "protected-files", "blocked = [\"*.sqll\", \"*.sql\"]"), "");
}

#[test]
fn an_exemption_without_effect_is_told_once() {
    let output = told(PROJECT, "protected-files", "exempt = [\"/db/migrations\"]");
    assert_eq!(output.matches("warning: ").count(), 1, "{output}");
    assert!(output.contains("`exempt` has no effect"), "{output}");
}

const SYNC: &str = "source = \"oci://x.example/acme/guard:1\"\nsigners = []\n";

#[test]
fn a_sync_file_that_nothing_reads_is_told_with_its_place() {
    for name in [
        ".config/guard-host/sync.toml",
        "repo/.guard/sync.toml",
        ".guard/sync.toml",
        ".config/sync.toml",
        "repo/sync.toml",
        "sync.toml",
    ] {
        let world = World::new();
        world.write(name, SYNC);
        let output = warnings(&world);
        assert!(output.contains("`guard-host sync` doesn't read `"), "{name}: {output}");
        assert!(output.contains("move it to `/etc/guard-host/sync.toml`"), "{name}: {output}");
        assert!(output.contains("guard-host sync --to "), "{name}: {output}");
        let doctor = world.run(&["doctor"], "").stdout;
        assert!(doctor.contains("doesn't read"), "{name}: {doctor}");
    }
    let world = World::new();
    world.write(".config/guard-host/sycn.toml", SYNC);
    assert!(warnings(&world).contains("rename it to `"), "{}", warnings(&world));
}

#[test]
fn sync_files_in_use_or_of_other_programs_are_not_told() {
    let world = World::new();
    world.write("repo/sync.toml", "[sync]\nfolder = \"photos\"\n");
    world.write(".config/sync.toml", "source = \"~/photos\"\n");
    world.write("repo/app/sync.toml", SYNC);
    assert_eq!(warnings(&world), "");
    // `sync --to` has run there.
    world.write(".config/guard-host/sync.toml", SYNC);
    world.write(".config/guard-host/sync/state.json", "{}");
    assert_eq!(warnings(&world), "");
}
