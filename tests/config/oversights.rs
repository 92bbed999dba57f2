//! Parts of a configuration that are valid but have no effect: `config check` and `doctor` warn, and exit with 0.

use crate::support::guests;
use crate::support::world::World;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// Returns the warnings of `config check`, which must find no mistake.
#[track_caller]
fn warnings(world: &World) -> String {
    let ended = world.run(&["config", "check"], "");
    assert!(ended.exit == 0 && !ended.stderr.contains("error: "), "{ended:?}");
    ended.stderr
}

/// Creates a project whose file protects these patterns.
fn protecting(patterns: &str) -> World {
    let world = World::new();
    for folder in ["repo/db/migrations", "repo/infra", "repo/svc/a/db"] {
        fs::create_dir_all(world.path(folder)).unwrap();
    }
    world.write("repo/.guard/guard.toml", entry(patterns));
    world
}

fn entry(patterns: &str) -> String {
    format!(
        "[[policy]]\nname = \"ours\"\nsource = \"builtin:write-control\"\nsettings = {{ protected = [{patterns}] }}\n"
    )
}

#[test]
fn a_pattern_of_a_path_that_does_not_exist_is_told_with_what_was_meant() {
    for (pattern, meant) in [
        ("db/migratons/**", "did you mean `db/migrations/**`?"),
        ("db/migratons", "did you mean `db/migrations`?"),
        ("Infra/**", "did you mean `infra/**`?"),
        ("infar/prod/*.tf", "did you mean `infra/prod/*.tf`?"),
        ("deploy/keys/**", "if it will exist later, there is nothing to do"),
        ("migrations", "did you mean `**/migrations`, as in `db/migrations`?"),
        ("migrations/*.sql", "did you mean `**/migrations/*.sql`, as in `db/migrations`?"),
        ("*.sql", "did you mean `**/*.sql`, as in `db/migrations/1.sql`?"),
        ("[0-9].sql", "did you mean `**/[0-9].sql`, as in `db/migrations/1.sql`?"),
        ("migr*", "did you mean `**/migr*`, as in `db/migrations`?"),
        ("{migrations,seeds}", "did you mean `**/{migrations,seeds}`, as in `db/migrations`?"),
        ("migrations*/?.sql", "did you mean `**/migrations*/?.sql`, as in `db/migrations/1.sql`?"),
        ("db/*.sql", "if such a file will exist later, there is nothing to do"),
    ] {
        let world = protecting(&format!("\"{pattern}\""));
        world.write("repo/db/migrations/1.sql", "");
        let output = warnings(&world);
        assert!(output.contains(&format!("no file matches `{pattern}` in `protected`")), "{output}");
        assert!(output.contains(meant) && output.contains(".guard/guard.toml:"), "{pattern}: {output}");
        let doctor = world.run(&["doctor"], "").stdout;
        assert!(doctor.contains(&format!("no file matches `{pattern}`")), "{doctor}");
    }
}

#[test]
fn patterns_that_name_no_path_or_one_that_exists_are_not_told() {
    let world = protecting(
        "\"**/*.pem\", \"*.key\", \"Dockerfile\", \"db/migrations/**\", \"./infra\", \"db/*/x.sql\", \"{db,web}/**\", \"db/mig*\", \"*.env.*\"",
    );
    world.write("repo/db/migrations/x.sql", "");
    assert_eq!(warnings(&world), "");
}

#[test]
fn an_entry_that_takes_nothing_out_is_told_if_it_is_misspelt() {
    let confirm = |entry: &str| {
        let text = format!(
            "[[policy]]\nname = \"ours\"\nsource = \"builtin:protected-files\"\nsettings = {{ confirm = [\"{entry}\"] }}\n"
        );
        let world = protecting("");
        world.write("repo/Dockerfile", "");
        world.write("repo/.guard/guard.toml", text);
        warnings(&world)
    };
    let output = confirm("!Dockerfil");
    assert!(output.contains("no file matches `!Dockerfil` in `confirm`"), "{output}");
    assert!(output.contains("did you mean `!Dockerfile`?"), "{output}");
    let world = World::new();
    world.write("repo/Dockerfile", "");
    let confirm = |policy: &str, list: &str| {
        world.configure(&format!("[[policy]]\nname = \"{policy}\"\nsettings = {{ {list} }}\n"));
        warnings(&world)
    };
    for (policy, list, pattern) in [
        ("protected-files", "confirm = [\"!Dockerfil\"]", "!Dockerfil"),
        ("protected-files", "blocked = [\"!.emv\"]", "!.emv"),
        ("protected-files", "reads = [\"!customers.csv\", \"customers.csv\"]", "!customers.csv"),
        ("protected-files", "confirm = [\"deploy.sh\", \"!demo/deploy.py\"]", "!demo/deploy.py"),
        ("command-guard", "files = { blocked = [\"!vault/public.txt\"] }", "!vault/public.txt"),
        ("command-guard", "protected-branches = [\"!mian\"]", "!mian"),
        ("command-guard", "protected-branches = [\"release/*\", \"!hotfix/*\"]", "!hotfix/*"),
    ] {
        let output = confirm(policy, list);
        assert!(output.contains(&format!("`{pattern}` takes nothing out of `")), "{list}: {output}");
        assert_eq!(output.matches("warning: ").count(), 1, "{list}: {output}");
    }
    for (policy, list) in [
        ("protected-files", "confirm = [\"!Dockerfile\"]"),
        ("protected-files", "confirm = [\"deploy.sh\", \"!demo/deploy.sh\"]"),
        ("protected-files", "blocked = [\"customers.csv\"], reads = [\"!customers.csv\"]"),
        ("protected-files", "blocked = [\"!*\", \"keys\"]"),
        ("protected-files", "blocked = [\"!fixtures\", \"!vault/**\", \"!*.pem\", \"!.env.example\"]"),
        ("command-guard", "files = { confirm = [\"!Makefile\"] }"),
        ("command-guard", "protected-branches = [\"!master\", \"release/*\", \"!release/old*\"]"),
    ] {
        assert_eq!(confirm(policy, list), "", "{list}");
    }
}

#[test]
fn a_list_without_removals_refuses_an_exclamation_mark() {
    let world = World::new();
    for (text, words) in [
        ("[[policy]]\nname = \"command-guard\"\ntools = [\"*\", \"!mcp__github__push\"]\n", "`!mcp__github__push`"),
        ("[[tool]]\nmatch = \"!mcp__ops__exec\"\nshell = \"line\"\n", "`!mcp__ops__exec`"),
        ("[undo]\nexclude = [\"*.iso\", \"!small.iso\"]\n", "`!small.iso`"),
        (
            "[[policy]]\nname = \"write-control\"\nsettings = { protected = [\"db/**\", \"!db/new.sql\"] }\n",
            "did you mean `exempt = [\"db/new.sql\"]`?",
        ),
        ("[[policy]]\nname = \"write-control\"\nsettings = { protected = [\"/db/**\"] }\n", "did you mean `db/**`?"),
        ("[[policy]]\nname = \"path-context\"\nsettings = { safe_paths = [\"!docs\"] }\n", "`!docs`"),
    ] {
        world.configure(text);
        let ended = world.run(&["config", "check"], "");
        assert!(ended.exit == 78 && ended.stderr.contains(words), "{ended:?}");
        assert!(!ended.stderr.contains("correct the settings of the policy") || words == "`!docs`", "{ended:?}");
    }
}

#[test]
fn a_misspelt_path_in_a_list_of_the_user_is_told_where_a_similar_one_exists() {
    let world = protecting("");
    fs::remove_file(world.path("repo/.guard/guard.toml")).unwrap();
    let mine = |pattern: &str| {
        world.configure(&entry(&format!("\"{pattern}\"")));
        warnings(&world)
    };
    for (pattern, meant) in [("db/migration", "db/migrations"), ("db/Migrations/**", "db/migrations/**")] {
        let output = mine(pattern);
        assert!(output.contains(&format!("no file matches `{pattern}` in `protected`")), "{output}");
        assert!(output.contains(&format!("did you mean `{meant}`?")), "{output}");
    }
    // The list is for all projects.
    for fine in ["db/migrations", "db/schema", "deploy/keys", "inf/**", "**/migration"] {
        assert_eq!(mine(fine), "", "{fine}");
    }
}

#[test]
fn a_suggestion_exists_in_each_of_its_folders() {
    for (pattern, meant) in
        [("DB/Migrations/**", "db/migrations/**"), ("SVC/A/DB", "svc/a/db"), ("svcs/a/bd/*.sql", "svc/a/bd/*.sql")]
    {
        let output = warnings(&protecting(&format!("\"{pattern}\"")));
        assert!(output.contains(&format!("did you mean `{meant}`?")), "{pattern}: {output}");
    }
}

#[test]
fn a_pattern_with_a_leading_slash_or_backslashes_is_told() {
    let blocked = |entry: &str| {
        let world = protecting("");
        let text = "[[policy]]\nname = \"ours\"\nsource = \"builtin:protected-files\"\n";
        world.write("repo/.guard/guard.toml", format!("{text}settings = {{ blocked = ['{entry}'] }}\n"));
        warnings(&world)
    };
    for (pattern, meant) in [
        ("/db/migrations", "`db/migrations`"),
        (r"db\migrations\**", "`db/migrations/**`"),
        (r"db\\migrations", "`db/migrations`"),
        (r"^db/.*\.sql$", "`db/*.sql`"),
        (r"db/.*\.sql", "`db/*.sql`"),
    ] {
        let output = blocked(pattern);
        assert!(output.contains(&format!("no file matches `{pattern}` in `blocked`")), "{output}");
        assert!(output.contains(&format!("did you mean {meant}?")), "{output}");
    }
    for fine in ["/etc/hosts", "/elsewhere/x", "db/migrations"] {
        assert_eq!(blocked(fine), "", "{fine}");
    }
}

#[test]
fn entries_of_the_user_beside_a_server_that_decides_are_told() {
    let world = World::new();
    let token = world.path("token");
    fs::write(&token, "abc\n").unwrap();
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    let remote = format!("[remote]\nurl = \"http://127.0.0.1:9\"\ntoken-file = \"{}\"\n", token.display());
    world.configure(&remote);
    assert!(!warnings(&world).contains("have no effect while it answers"), "{}", warnings(&world));
    world.configure(&format!("{remote}[[allow]]\ncommand = [\"npm\", \"publish\"]\n"));
    let output = warnings(&world);
    assert!(output.contains("so the `[[allow]]` entries of this file have no effect while it answers"), "{output}");
    world
        .configure(&format!("{remote}[[policy]]\nname = \"command-guard\"\nsettings = {{ raise = [\"git-push\"] }}\n"));
    let output = warnings(&world);
    assert!(output.contains("so the `[[policy]]` entries of this file have no effect while it answers"), "{output}");
    // Without policies here, no one would judge a script.
    let told = "can't read the scripts that a call runs";
    assert!(!output.contains(told), "{output}");
    world.configure(&format!("preset = \"none\"\n{remote}"));
    assert!(warnings(&world).contains(told), "{}", warnings(&world));
    world.configure(&format!("preset = \"none\"\n{remote}grants = [\"read:~/src\"]\n"));
    assert!(!warnings(&world).contains(told), "{}", warnings(&world));
}

#[test]
fn an_allow_that_covers_nothing_is_told() {
    let world = World::new();
    let allow = |text: &str| {
        world.configure(&format!("[[allow]]\n{text}\n"));
        warnings(&world)
    };
    let output = allow("command = [\"npm run\", \"build\"]");
    assert!(
        output.contains("has `npm run` as one word") && output.contains("`command = [\"npm\", \"run\"]`"),
        "{output}"
    );
    let output = allow("command = [\"npm\"]\nwithin = \"/nope\"");
    assert!(output.contains("`/nope`, which doesn't exist") && output.contains("correct `within`"), "{output}");
    assert_eq!(allow("command = [\"npm\", \"run build\"]\nwithin = \"~/repo\""), "");
}

#[test]
fn a_pattern_of_a_nested_file_begins_at_the_projects_root() {
    let world = protecting("");
    world.write("repo/svc/a/.guard/guard.toml", entry("\"db2/**\""));
    fs::create_dir_all(world.path("repo/svc/a/db2")).unwrap();
    let output = warnings(&world);
    assert!(output.contains("did you mean `svc/a/db2/**`?"), "{output}");
}

#[test]
fn the_renamed_folder_of_the_root_is_told_once_with_its_own_name() {
    for name in ["x", "guard"] {
        let world = World::new();
        let right = world.path("repo/.guard/guard.toml");
        world.write(&format!("repo/{name}/guard.toml"), entry("\"**/*.sql\""));
        let output = warnings(&world);
        assert!(output.contains(&format!("rename it to `{}`", right.display())), "{output}");
        assert_eq!(output.matches("rename it to").count(), 1, "{output}");
    }
}

#[test]
fn a_folder_that_is_a_missing_submodule_is_told() {
    let world = World::new();
    world.write("repo/.gitmodules", "[submodule \"rules\"]\n\tpath = .guard\n\turl = ../rules\n");
    let output = warnings(&world);
    assert!(output.contains("a submodule that isn't checked out"), "{output}");
    world.write("repo/.guard/guard.toml", "");
    assert_eq!(warnings(&world), "");
}

#[test]
fn a_file_with_a_wrong_name_is_told() {
    for name in [
        "repo/.guard/guard.tml",
        "repo/.guard/config.toml",
        "repo/guard.toml",
        "repo/.guard.toml",
        "repo/.Guard/guard.toml",
        "repo/guard/guard.toml",
        "repo/.guards/guard.toml",
        "repo/.claude/guard.toml",
        "repo/.guard-host/guard.toml",
        "repo/.github/guard.toml",
        "repo/.config/guard.toml",
        "repo/.config/guard-host/guard.toml",
        ".guard/guard.toml",
        ".guard.toml",
        ".config/guard.toml",
        ".config/guard-host.toml",
        ".config/guard/guard.toml",
    ] {
        let world = World::new();
        world.write(name, entry("\"**/*.sql\""));
        let output = warnings(&world);
        assert!(output.contains("is not read") && output.contains("rename it to `"), "{name}: {output}");
        let doctor = world.run(&["doctor"], "").stdout;
        assert!(doctor.contains("is not read"), "{name}: {doctor}");
    }
}

#[test]
fn other_files_of_such_a_name_are_not_told() {
    let world = World::new();
    world.write("repo/guard.toml", "[guard]\nname = \"another program\"\n");
    world.write("repo/.guard/notes.md", "[[policy]]\n");
    world.write("repo/guards/guard.toml", "[guard]\n");
    world.write("repo/guard/Cargo.toml", "[package]\nname = \"guard\"\n");
    world.write(".config/other/guard.toml", "preset = \"standard\"\n");
    world.write("repo/.github/guard.toml", "[rules]\nname = \"another program\"\n");
    world.write("repo/.config/other/guard.toml", "preset = \"standard\"\n");
    world.write("repo/.guard/rules_test.rego", "package guard\n");
    world.write("repo/.guard/data.json", "{\"rules\": [1]}\n");
    assert_eq!(warnings(&world), "");
    world.write("repo/.guard/guard.toml", entry("\"**/*.sql\""));
    world.write("repo/.guard/settings.toml", "protected = [\"a\"]\n");
    assert_eq!(warnings(&world), "");
}

#[test]
fn a_grant_that_waits_for_trust_is_told() {
    let world = World::new();
    world.write("repo/.guard/wishes.wasm", guests::bytes("wishes"));
    world.write(
        "repo/.guard/guard.toml",
        "[[policy]]\nname = \"ours\"\nsource = \"wishes.wasm\"\n[policy.grants]\nread = [\"~/allowed.txt\", \"./x\"]\n",
    );
    let output = world.run(&["config", "check"], "").stderr;
    assert!(output.contains("without trust it can't use `read:~/allowed.txt`\n"), "{output}");
    assert!(output.contains("review the file and run `guard-host trust "), "{output}");
}

#[test]
fn a_warning_is_no_mistake_in_any_format() {
    let world = protecting("\"db/migratons/**\"");
    let json = world.run(&["config", "check", "--format", "json"], "");
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert!(json.exit == 0 && value["ok"] == true && value["problems"][0]["level"] == "warning", "{json:?}");
    let sarif = world.run(&["config", "check", "--format", "sarif"], "");
    assert!(sarif.exit == 0 && sarif.stdout.contains("\"level\": \"warning\""), "{sarif:?}");
}

#[test]
fn a_managed_file_is_checked_before_it_is_in_use() {
    let world = World::new();
    // It would be a mistake in a user's file, which isn't used here.
    world.configure("preset = \"standrad\"\n");
    world.write("repo/new.toml", "preset = \"standard\"\nlock = [\"command-guard\"]\n");
    let fine = world.run(&["config", "check", "new.toml", "--managed"], "");
    assert_eq!((fine.exit, fine.stderr.as_str()), (0, ""), "{fine:?}");
    world.write("repo/new.toml", "lock = [\"comand-guard\"]\n");
    let wrong = world.run(&["config", "check", "new.toml", "--managed"], "");
    assert!(wrong.exit == 78 && wrong.stderr.contains("did you mean `command-guard`?"), "{wrong:?}");
    let of_user = world.run(&["config", "check", "new.toml"], "");
    assert!(of_user.exit == 78 && of_user.stderr.contains("`lock`"), "{of_user:?}");
    let missing = world.run(&["config", "check", "none.toml", "--managed"], "");
    assert_eq!(missing.exit, 66, "{missing:?}");
    assert_eq!(world.run(&["config", "check", "--managed"], "").exit, 64);
    assert_eq!(world.run(&["config", "check", "new.toml", "--config", "new.toml"], "").exit, 64);
}

#[test]
fn a_table_in_the_place_of_a_list_gets_its_brackets() {
    for (text, meant) in [
        ("[policy]\nname = \"command-guard\"\n", "write `[[policy]]`"),
        ("deadline-ms = 1000\n\n[allow]\ncommand = [\"x\"]\n", "write `[[allow]]`"),
        ("[tool]\nmatch = \"x\"\n", "write `[[tool]]`"),
    ] {
        let world = World::new();
        world.configure(text);
        let ended = world.run(&["config", "check"], "");
        assert!(ended.exit == 78 && ended.stderr.contains(meant), "{ended:?}");
    }
}

#[test]
fn an_unknown_rule_gets_the_one_that_was_meant() {
    for (policy, name, meant) in [
        ("command-guard", "git-psh", "git-push"),
        ("command-guard", "push-force", "force-push-protected"),
        ("session-guard", "retry-deny", "retry-after-deny"),
        ("protected-files", "file-secret", "secret-file"),
        ("intrusion-guard", "sent-output", "output-sent"),
    ] {
        for list in ["lower", "silence", "raise"] {
            let world = World::new();
            world.configure(&format!("[[policy]]\nname = \"{policy}\"\nsettings = {{ {list} = [\"{name}\"] }}\n"));
            let ended = world.run(&["config", "check"], "");
            let words = format!("did you mean `{meant}`?");
            assert!(ended.exit == 78 && ended.stderr.contains(&words), "{ended:?}");
        }
    }
}

#[test]
fn an_allow_that_lifts_nothing_is_told() {
    let world = World::new();
    world.configure(
        "[[allow]]\ncommand = [\"npm\", \"publish\"]\nuntil = \"2020-01-31\"\n\
         [[allow]]\ncommand = [\"git\", \"push\"]\nrules = [\"command-guard:git-pusch\"]\n\
         [[allow]]\ncommand = [\"rm\", \"-rf\"]\ntargets = [\"dist\"]\nrules = [\"command-guard:rm-recursive-force\"]\n",
    );
    let output = warnings(&world);
    assert!(output.contains("the `[[allow]]` for `npm publish` ended after 2020-01-31"), "{output}");
    assert!(output.contains("unknown rule, `command-guard:git-pusch`"), "{output}");
    assert!(
        output.contains("did you mean `command-guard:git-push`?") && output.matches("warning: ").count() == 2,
        "{output}"
    );
}

#[test]
fn ineffective_harness_rules_are_reported() {
    let world = World::new();
    let rules = r#"{"permissions": {"deny": ["Bash(python3:*)", "Read(./x)"], "ask": ["Bash(make *)"], "allow": ["Bash(ls)"]}}"#;
    world.write("repo/.claude/settings.json", rules);
    world.write(".codex/rules/mine.rules", "prefix_rule(pattern = [\"make\"], decision = \"forbidden\")\n");
    world.write(".codex/rules/lax.rules", "prefix_rule(pattern = [\"ls\"], decision = \"allow\")\n");
    world.configure("preset = \"standard\"\n");
    assert_eq!(warnings(&world), "");
    world.configure("preset = \"confined\"\n");
    let output = warnings(&world);
    assert!(
        output.contains(".claude/settings.json") && output.contains("`Bash(python3:*)`, `Bash(make *)`"),
        "{output}"
    );
    assert!(output.contains("mine.rules") && output.contains("`prefix_rule`"), "{output}");
    assert!(!output.contains("Read(") && !output.contains("Bash(ls)") && !output.contains("lax.rules"), "{output}");
    assert!(output.contains("`deny-patterns`"), "{output}");
}

#[test]
fn names_that_another_list_makes_void_are_told() {
    let world = World::new();
    let check = |settings: &str| {
        world.configure(&format!("[[policy]]\nname = \"command-guard\"\nsettings = {{ {settings} }}\n"));
        warnings(&world)
    };
    for (settings, expected) in [
        (
            "silence = [\"publish\"], raise = [\"publish-package\"]",
            "`raise` of `publish-package` has no effect: `silence` of `publish`",
        ),
        (
            "silence = [\"git-push\"], lower = [\"git-push\"]",
            "`lower` of `git-push` has no effect: `silence` of `git-push`",
        ),
        ("silence = [\"aws.*\"], raise = [\"aws.s3\"]", "`raise` of `aws.s3` has no effect: `silence` of `aws.*`"),
        ("raise = [\"git-push\"], lower = [\"git-push\"]", "`raise` of `git-push` and `lower` of `git-push` cancel"),
        ("raise = [\"rm-glob\"], lower = [\"deletion\"]", "`raise` of `rm-glob` and `lower` of `deletion` cancel"),
    ] {
        assert!(check(settings).contains(expected), "{settings}: {}", check(settings));
    }
    for settings in [
        "silence = [\"publish-package\"], raise = [\"git-push\"]",
        "silence = [\"publish-package\"], raise = [\"publish\"]",
        "raise = [\"git\"], lower = [\"publish\"]",
        "lower = [\"git-push\"]",
    ] {
        assert_eq!(check(settings), "", "{settings}");
    }
}

#[test]
fn a_chain_that_does_not_protect_guard_host_itself_is_told() {
    let world = World::new();
    for (entry, expected) in [
        ("enabled = false", "`self-protect` is not in the chain"),
        ("tools = [\"Bash\"]", "`self-protect` judges only Bash"),
    ] {
        world.configure(&format!("[[policy]]\nname = \"self-protect\"\n{entry}\n"));
        let output = warnings(&world);
        assert!(output.contains(expected), "{output}");
        let doctor = world.run(&["doctor"], "").stdout;
        assert!(doctor.contains(expected), "{doctor}");
    }
    world.configure("[[policy]]\nname = \"self-protect\"\n");
    assert_eq!(warnings(&world), "");
}

#[test]
fn an_allow_that_does_not_cover_its_own_command_is_told() {
    let world = World::new();
    world.write("repo/package.json", "{\"scripts\": {\"deploy\": \"vercel --prod\", \"test\": \"vitest\"}}");
    let allow = |text: &str| {
        world.configure(&format!("[[allow]]\n{text}\n"));
        warnings(&world)
    };
    let output = allow("command = [\"npm\", \"run\", \"deploy\"]");
    assert!(output.contains("`npm run deploy`") && output.contains("only an allow with `effects`"), "{output}");
    let output = allow("command = [\"sudo\", \"npm\", \"publish\"]");
    assert!(output.contains("doesn't cover `sudo npm publish`"), "{output}");
    for text in [
        "command = [\"npm\", \"run\", \"deploy\"]\neffects = [\"cloud.deploy\"]",
        "command = [\"npm\", \"publish\"]",
        "command = [\"npm\", \"run\", \"test\"]",
        "tool = \"mcp__github__create_issue\"",
    ] {
        assert_eq!(allow(text), "", "{text}");
    }
}
