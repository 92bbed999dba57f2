//! Calls of tools that nobody knows, and what their arguments are read as.

use serde_json::json;

use super::*;

fn call(tool: &str, input: &Value) -> ToolCall {
    ToolCall::new(tool, input.as_object().unwrap().clone())
}

/// The readings of a call: each tool with what matters of its input, and how sure it is if that is no guess.
fn read_with(tool: &str, input: &Value, table: &[Arguments]) -> Vec<String> {
    let readings = of(&call(tool, input), table);
    assert!(!readings.is_cut);
    let shown = |reading: &Reading| {
        let input = &reading.call.input;
        let text = ["command", "file_path", "url"].iter().find_map(|key| input.get(*key)?.as_str()).unwrap();
        let mark = match reading.certainty {
            Certainty::Told => "! ",
            Certainty::Guessed => "",
            Certainty::Perhaps => "? ",
            Certainty::Prose => "?? ",
        };
        let content = input.get("content").map(|text| format!(" <- {}", text.as_str().unwrap()));
        format!("{mark}{} {text}{}", reading.call.tool, content.unwrap_or_default())
    };
    readings.all.iter().map(shown).collect()
}

#[track_caller]
fn check(tool: &str, input: Value, expected: &[&str]) {
    assert_eq!(read_with(tool, &input, &[]), expected, "{tool} {input}");
}

#[test]
fn arguments_that_run_are_read_as_shell_text() {
    check("mcp__box__run", json!({ "command": "ls; pwd" }), &["Bash ls; pwd"]);
    check("box-run", json!({ "cmd": ["ls", "a b"] }), &["Bash ls 'a b'"]);
    check("box___run", json!({ "commands": ["ls", "pwd"] }), &["Bash ls", "Bash pwd"]);
    check("box_run", json!({ "command": "git", "args": ["log", "a b"] }), &["Bash git log 'a b'"]);
    check("box.run", json!({ "command_line": "ls", "cwd": "~/my x" }), &["Bash cd ~/'my x' && ls"]);
    check("x", json!({ "script": "ls", "shell": "zsh" }), &["? Bash ls"]);
    check("x", json!({ "call": { "arguments": { "Command": "ls" } } }), &["Bash ls"]);
    check(
        "x",
        json!({ "steps": [{ "command": "ls" }, { "command": "pwd" }, { "command": "ls" }] }),
        &["Bash ls", "Bash pwd"],
    );
    check("mcp__win__powershell", json!({ "command": "ls" }), &["PowerShell ls"]);
    check("x", json!({ "command": 5, "cmd": null, "commands": {} }), &[]);
}

#[test]
fn what_stands_beside_a_command_is_read_with_it() {
    check("mcp__box__run", json!({ "command": "ls", "then": "pwd" }), &["Bash ls", "? Bash pwd"]);
    check("mcp__box__run", json!({ "then": "a fine day" }), &[]);
    check("mcp__box__run", json!({ "command": "ls", "env": { "A": "b c", "1": "x" } }), &["Bash export A='b c'; ls"]);
    check(
        "mcp__shell__run",
        json!({ "stdin": ["sh", "-c", "ls -l"] }),
        &["? Bash sh -c ls -l", "? Bash sh -c 'ls -l'"],
    );
    check("mcp__shell__keys", json!({ "keys": ["ls -l", "Enter"] }), &["? Bash ls -l Enter"]);
}

#[test]
fn the_name_of_a_tool_tells_what_is_lost() {
    for (tool, input, line) in [
        ("mcp__github__delete_repository", json!({ "owner": "a", "repo": "b" }), "? Bash gh repo delete a/b"),
        ("mcp__github__merge_pull_request", json!({ "pullNumber": 1 }), "? Bash gh pr merge 1"),
        ("mcp__heroku__ps_scale", json!({ "app": "shop", "dyno": "web=0" }), "? Bash heroku ps:scale web=0"),
        ("mcp__docker__remove_volume", json!({ "volume_name": "v" }), "? Bash docker volume rm v"),
        ("mcp__railway__volume_delete", json!({ "volumeId": "v" }), "? Bash railway volume delete v"),
        ("mcp__redis__flush_all", json!({}), "? Bash redis-cli flushall"),
        (
            "mcp__mongodb__delete-many",
            json!({ "collection": "c", "filter": {} }),
            "? Bash mongosh --eval 'db.getCollection(\"c\").deleteMany({})'",
        ),
        ("mcp__k8s__helm_uninstall", json!({ "name": "x" }), "? Bash helm  uninstall x"),
        ("mcp__notion__delete", json!({ "id": "7" }), "? Bash curl -X DELETE https://notion/thing/7"),
        ("mcp__wiki__deleteWikiPage", json!({ "pageId": "7" }), "? Bash curl -X DELETE https://wiki/page/7"),
        ("mcp__store__users_delete_document", json!({ "id": "7" }), "? Bash curl -X DELETE https://store/document/7"),
        ("mcp__crm__batch-delete-customers", json!({}), "? Bash curl -X DELETE https://crm/customer/x"),
        (
            "mcp__bills__cancel_subscription",
            json!({ "id": "s/1" }),
            "? Bash curl -X DELETE https://bills/subscription/s1",
        ),
        ("mcp__github__delete_file", json!({ "path": "a.ts" }), "? Bash curl -X DELETE https://github/file/a.ts"),
        ("mcp__gmail__delete_email", json!({ "id": "7" }), "? Bash curl -X DELETE https://gmail/email/7"),
        ("mcp__crm__delete_customer", json!({ "id": "c1" }), "? Bash curl -X DELETE https://crm/customer/c1"),
        ("mcp__notion__API-delete-a-block", json!({ "block_id": "b" }), "? Bash curl -X DELETE https://notion/block/b"),
        (
            "mcp__stripe__cancel_subscription",
            json!({ "id": "s" }),
            "? Bash curl -X DELETE https://stripe/subscription/s",
        ),
        (
            "mcp__mongodb__aggregate",
            json!({ "collection": "a", "pipeline": [{ "$out": "users" }] }),
            "? Bash mongosh --eval 'db.getCollection(\"users\").drop()'",
        ),
    ] {
        assert!(read_with(tool, &input, &[]).iter().any(|read| read == line), "{tool}");
    }
    for tool in [
        "mcp__todo__delete_item",
        "mcp__todo__delete",
        "mcp__github__list_repositories",
        "mcp__github__get_deleted",
        "delete_item",
        "mcp__chat__remove_reaction_from_message",
        "mcp__audit__list_deleted_users",
        "mcp__memory__delete_entities",
        "mcp__game__reset_environment",
        "mcp__netlify__get-deploy",
        "mcp__github__remove_label",
        "mcp__shop__list_delete_events",
        "delete_project",
        "mcp__taskmaster__remove_task",
        "mcp__playwright__browser_cookie_delete",
        "mcp__crm__cancel_reminder",
        "mcp__slack__remove_reaction",
    ] {
        assert!(read_with(tool, &json!({ "id": "1" }), &[]).is_empty(), "{tool}");
    }
    let image = read_with("mcp__docker__delete_image", &json!({ "name": "a" }), &[]);
    assert!(image.iter().all(|read| !read.contains("curl")), "{image:?}");
    let query = json!({ "collection": "a", "pipeline": [{ "$match": {} }] });
    assert!(read_with("mcp__mongodb__aggregate", &query, &[]).iter().all(|read| !read.contains("mongosh")));
}

#[test]
fn a_tool_of_a_git_server_is_the_command_that_it_runs() {
    for (tool, input, line) in [
        ("git_push", json!({ "remote": "o", "branch": "b", "force": true }), "git push --force o b"),
        ("git_reset", json!({ "mode": "HARD", "commit": "HEAD~1" }), "git reset --hard 'HEAD~1'"),
        ("git_reset", json!({}), "git reset"),
        ("git_stash", json!({ "mode": "drop", "stashRef": "stash@{1}" }), "git stash drop 'stash@{1}'"),
        ("git_clean", json!({ "force": true, "directories": true, "dryRun": false }), "git clean --force -d"),
        ("git_branch", json!({ "operation": "delete", "branchName": "b", "force": true }), "git branch -D --force b"),
        ("git_tag", json!({ "mode": "delete", "tagName": "v1" }), "git tag -d v1"),
        ("delete_branch", json!({ "name": "b" }), "git branch -D b"),
        ("restore", json!({ "files": ["a b"] }), "git restore -- 'a b'"),
    ] {
        let read = read_with(&format!("mcp__git__{tool}"), &input, &[]);
        assert!(read.contains(&format!("? Bash {line}")), "{tool}: {read:?}");
    }
    for (tool, input) in [
        ("git_branch", json!({ "mode": "list" })),
        ("git_create_branch", json!({ "branch": "b" })),
        ("git_tag", json!({ "tagName": "v1" })),
        ("git_log", json!({ "max": 1 })),
    ] {
        assert!(read_with(&format!("mcp__git__{tool}"), &input, &[]).is_empty(), "{tool}");
    }
}

#[test]
fn a_commit_on_a_protected_branch_of_a_host_is_a_push() {
    let commit = |branch: Value| json!({ "owner": "a", "repo": "b", "branch": branch, "message": "m" });
    check("mcp__github__push_files", commit(json!("main")), &["? Bash git push https://a/b main"]);
    check("mcp__gitlab__create_or_update_file", json!({ "project_id": "7" }), &["? Bash git push https://7 main"]);
    check("mcp__github__push_files", commit(json!("fix/x")), &[]);
}

#[test]
fn a_request_that_deletes_or_asks_for_credentials_is_one_of_a_shell() {
    let url = "https://x.example/1";
    check(
        "mcp__http__send",
        json!({ "url": url, "method": "delete" }),
        &["Bash curl -X DELETE https://x.example/1", "WebFetch https://x.example/1"],
    );
    check("mcp__http__send", json!({ "url": url, "method": "GET" }), &["WebFetch https://x.example/1"]);
    let url = "http://u@169.254.169.254:80/latest";
    let read = ["Bash curl http://u@169.254.169.254:80/latest", "WebFetch http://u@169.254.169.254:80/latest"];
    check("WebFetch", json!({ "url": url }), &read);
    check("mcp__http__send", json!({ "url": url }), &read);
}

#[test]
fn a_setting_that_turns_hooks_off_is_a_write() {
    let path = "Write ~/.claude/settings.json <- {\"disableAllHooks\":true}";
    check("Config", json!({ "setting": "disableAllHooks", "value": true }), &[path]);
    check("Config", json!({ "setting": "theme", "value": "dark" }), &[]);
}

#[test]
fn code_is_read_by_its_language() {
    check("mcp__playwright__browser_evaluate", json!({ "function": "() => 1" }), &["Bash node -e '() => 1'"]);
    check("run_code", json!({ "language": "Python", "code": "print('x')" }), &[r"Bash python3 -c 'print('\''x'\'')'"]);
    check("mcp__ipython__cell", json!({ "code": "1" }), &["Bash python3 -c 1"]);
    check("mcp__jupyter__execute_cell", json!({ "source": "1" }), &["Bash python3 -c 1"]);
    check("mcp__mac__run_applescript", json!({ "script": "beep" }), &["Bash osascript -e beep"]);
    check("mcp__repl__stdin", json!({ "input": "import os" }), &["? Bash python3 -c 'import os'", "? Bash import os"]);
    check("mcp__neo4j__query", json!({ "query": "MATCH (n) RETURN n" }), &["Bash cypher-shell 'MATCH (n) RETURN n'"]);
    check("mcp__ide__executeCode", json!({ "code": "1" }), &["Bash python3 -c 1"]);
    check("run_code", json!({ "lang": "sh", "code": "ls" }), &["Bash ls"]);
    check("run_code", json!({ "code": "ls" }), &["Bash run-code -e ls"]);
    check("show_code", json!({ "code": "ls" }), &[]);
}

#[test]
fn a_file_is_written_if_there_is_content_or_the_tool_says_so_and_else_read() {
    check("x", json!({ "path": "a.txt" }), &["Read a.txt"]);
    check("x", json!({ "file_path": "a.txt", "content": "b" }), &["Write a.txt <- b"]);
    check("x", json!({ "filePath": "a.txt", "old_string": "a", "new_string": "b" }), &["Edit a.txt"]);
    check("mcp__fs__create_directory", json!({ "path": "a" }), &["Write a"]);
    check("mcp__fs__list_directory", json!({ "path": "a" }), &[]);
    check("mcp__fs__delete_file", json!({ "path": " ~/a b" }), &["Bash rm -- ~/'a b'"]);
    check("mcp__fs__deleteDirectory", json!({ "path": "a" }), &["Bash rm -r -- a"]);
    check("remove", json!({ "path": "a", "recursive": true }), &["Bash rm -r -- a"]);
    check("mcp__fs__move_file", json!({ "source": "a", "destination": "b" }), &["Bash mv -- a b"]);
    check("copy_file", json!({ "src": "a", "dst": "b" }), &["Bash cp -- a b"]);
    check("x", json!({ "files": [{ "path": "a", "content": "1" }, { "path": "b" }] }), &["Write a <- 1", "Read b"]);
    check("x", json!({ "paths": ["a", "b"] }), &["Read a", "Read b"]);
    check("x", json!({ "uri": "file:///a b" }), &["Read /a b"]);
    check("ReadMcpResource", json!({ "uri": "file:///a" }), &["Read /a"]);
    check("x", json!({ "path": "", "file": "one\ntwo", "files": [1] }), &[]);
}

#[test]
fn queries_are_sql_if_they_begin_like_it() {
    check("x", json!({ "sql": "vacuum t" }), &["Bash psql -c 'vacuum t'"]);
    check("x", json!({ "query": "/* x */ -- y\n Delete From t" }), &["Bash psql -c '/* x */ -- y\n Delete From t'"]);
    check("x", json!({ "statement": "update t set a = 1" }), &["Bash psql -c 'update t set a = 1'"]);
    for query in ["delete the cache", "update me", "how to drop", "{ user { id } }", "with love", "", "--"] {
        check("search", json!({ "query": query }), &[]);
    }
}

#[test]
fn addresses_are_fetched() {
    check("x", json!({ "url": "https://h/x" }), &["WebFetch https://h/x"]);
    check("x", json!({ "link": "home", "uri": "urn:x" }), &[]);
}

#[test]
fn what_is_typed_and_what_an_agent_is_told_may_be_shell_text() {
    check("mcp__tmux__send_keys", json!({ "keys": ["ls -l", "Enter"] }), &["? Bash ls -l Enter"]);
    check("write_stdin", json!({ "chars": "ls\r\u{3}" }), &["? Bash ls\n"]);
    check("mcp__notes__add", json!({ "text": "ls" }), &[]);
    check("CronCreate", json!({ "cron": "* * * * *", "prompt": "!ls -l" }), &["?? Bash ls -l"]);
    check("ScheduleWakeup", json!({ "delaySeconds": 60, "prompt": "git status" }), &["?? Bash git status"]);
    check("Agent", json!({ "prompt": "Look at it", "description": "ls" }), &[]);
    check("Agent", json!({ "prompt": "fix it\nthen run ls", "path": "x" }), &[]);
    check("CronCreate", json!({ "command": "ls" }), &["Bash ls"]);
    check("Monitor", json!({ "command": "ls" }), &["Bash ls"]);
}

#[test]
fn a_tool_that_is_known_is_not_read_once_more() {
    check("Bash", json!({ "command": "ls", "path": "x" }), &[]);
    check("Write", json!({ "file_path": "a", "command": "ls" }), &[]);
    check("WebFetch", json!({ "url": "https://h/", "command": "ls" }), &[]);
    check("Skill", json!({ "command": "ls" }), &[]);
    check("TodoWrite", json!({ "todos": [{ "content": "x", "path": "a" }] }), &[]);
}

#[test]
fn an_entry_says_for_certain_what_its_arguments_hold() {
    let one = |text: &str| vec![text.to_owned()];
    let entry = Arguments {
        tool: "mcp__*__run".to_owned(),
        shell: one("line"),
        path: one("where"),
        content: one("what"),
        sql: one("ask"),
        url: one("at"),
        adds: false,
    };
    let input = json!({ "line": "ls", "where": "a", "what": "b", "ask": "x", "at": "h", "command": "pwd" });
    let all = ["! Bash psql -c x", "! WebFetch h", "Bash pwd", "! Bash ls", "! Write a <- b"].map(str::to_owned);
    let table = [Arguments::default(), entry];
    for tool in
        ["mcp__box__run", "mcp_box_run", "@box/run", "MCP:box:run", "box-run", "box___run", "box_run", "box.run"]
    {
        assert_eq!(read_with(tool, &input, &table), all, "{tool}");
    }
    for tool in ["run", "mcp__box__runs", "mcp__run", "box-run-all"] {
        assert_eq!(read_with(tool, &input, &table), ["Bash pwd"], "{tool}");
    }
    assert_eq!(read_with("Bash", &input, &table), [""; 0]);
}

#[test]
fn an_entry_may_spell_a_servers_tool_as_a_harness_does() {
    let read = |name: &str, tool: &str| {
        let table = [Arguments { tool: name.to_owned(), sql: vec!["ask".to_owned()], ..Arguments::default() }];
        read_with(tool, &json!({ "ask": "x" }), &table).len()
    };
    for name in ["mcp_box_run", "box__run", "MCP__box__run", "mcp_*_run", "@box/run", "box___run", "MCP:box:run"] {
        assert_eq!(read(name, "mcp__box__run"), 1, "{name}");
        assert_eq!(read(name, "mcp__box__runs") + read(name, "mcp__crate__ran"), 0, "{name}");
    }
    for name in ["box_run", "box-run", "run", "mcp__bo_x__run"] {
        assert_eq!(read(name, "mcp__box__run") + read(name, "mcp__bo__x__run"), 0, "{name}");
    }
}

#[test]
fn an_entry_may_name_an_argument_in_an_object() {
    let read = |name: &str, input: &Value| {
        let table =
            [Arguments { tool: "mcp__box__run".to_owned(), shell: vec![name.to_owned()], ..Arguments::default() }];
        read_with("mcp__box__run", input, &table)
    };
    let nested = json!({ "first": { "work": "ls" } });
    for name in ["work", "first.work", "first[].work"] {
        assert_eq!(read(name, &nested), ["! Bash ls"], "{name}");
    }
    assert_eq!(read("first.work", &json!({ "first.work": "ls" })), ["! Bash ls"]);
    assert_eq!(read("work.first", &nested), [""; 0]);
}

#[test]
fn an_entry_takes_the_place_of_a_guess_or_is_added_to_it() {
    let entry = |adds| Arguments {
        tool: "mcp__box__ask".to_owned(),
        sql: vec!["command".to_owned()],
        adds,
        ..Arguments::default()
    };
    let read = |table: &[Arguments]| read_with("box_ask", &json!({ "command": "ls" }), table);
    assert_eq!(read(&[entry(false)]), ["! Bash psql -c ls"]);
    assert_eq!(read(&[entry(true)]), ["! Bash psql -c ls", "Bash ls"]);
    assert_eq!(read(&[entry(true), entry(false)]), ["! Bash psql -c ls"]);
}

#[test]
fn a_pattern_that_fits_no_name_is_refused() {
    let check = |pattern: &str| Arguments { tool: pattern.to_owned(), ..Arguments::default() }.check();
    assert!(check("").unwrap_err().contains("`match`"));
    assert!(check("mcp__[").unwrap_err().contains("`mcp__[`"));
    assert_eq!(check("mcp__*"), Ok(()));
}

#[test]
fn more_readings_than_are_looked_at_are_said_to_be_too_many() {
    let paths: Vec<String> = (0..=READINGS).map(|index| format!("f{index}")).collect();
    let readings = of(&call("x", &json!({ "paths": paths })), &[]);
    assert!(readings.is_cut && readings.all.len() == READINGS);
}

#[test]
fn an_argument_may_be_the_verb_of_a_tool() {
    for (tool, input, line) in [
        (
            "mcp__k8s__manage_resource",
            json!({ "operation": "delete", "kind": "Namespace", "name": "prod" }),
            "? Bash kubectl delete namespace prod",
        ),
        ("mcp__docker__volume", json!({ "action": "rm", "name": "data" }), "? Bash docker volume rm data"),
        ("mcp__terraform__run", json!({ "action": "destroy" }), "? Bash terraform destroy  x"),
        (
            "mcp__postgres__manage_schema",
            json!({ "operation": "drop_table", "table": "users" }),
            "? Bash psql -c 'DROP TABLE \"users\"'",
        ),
        (
            "mcp__hubspot__records",
            json!({ "operation": "delete", "id": "7" }),
            "? Bash curl -X DELETE https://hubspot/record/7",
        ),
        ("mcp__files__file_operation", json!({ "action": "delete", "path": "/srv/a" }), "Bash rm -- /srv/a"),
    ] {
        let found = read_with(tool, &input, &[]);
        assert!(found.iter().any(|other| other == line), "{tool} {input}: {found:?}");
    }
    for (tool, input) in [
        ("mcp__k8s__manage_resource", json!({ "operation": "list", "kind": "Namespace" })),
        ("mcp__docker__volume", json!({ "action": "ls" })),
        ("mcp__github__actions_get", json!({ "method": "get_workflow_run" })),
        ("mcp__openapi__get_operation", json!({ "method": "delete", "name": "users" })),
        ("mcp__notes__manage", json!({ "operation": "delete", "id": "7" })),
        ("mcp__hubspot__records", json!({ "operation": "please delete what is old" })),
    ] {
        assert_eq!(read_with(tool, &input, &[]), <[&str; 0]>::default(), "{tool} {input}");
    }
}

#[test]
fn a_request_may_have_its_method_and_its_path_apart() {
    let deletes = ["? Bash curl -X DELETE 'https://elastic/logs-*'", "Read /logs-*"];
    check("mcp__elastic__es_request", json!({ "method": "DELETE", "path": "/logs-*" }), &deletes);
    check("mcp__elastic__es_request", json!({ "method": "GET", "path": "/logs" }), &["Read /logs"]);
}

#[test]
fn code_is_of_the_language_beside_it() {
    check("mcp__run__run_code", json!({ "languageId": "sh", "code": "ls" }), &["Bash ls"]);
    check("mcp__run__execute", json!({ "language": "bash", "source": "ls" }), &["? Bash ls", "Read ls"]);
    check("mcp__run__run_code", json!({ "language": "powershell", "code": "ls" }), &["Bash pwsh -c ls"]);
    check("mcp__box__run_code", json!({ "code": "!ls" }), &["Bash ls", "Bash python3 -c '!ls'"]);
    check("mcp__gist__create", json!({ "language": "sh", "source": "ls" }), &["Write ls"]);
}

#[test]
fn statements_words_of_a_client_and_diffs_are_read() {
    check("mcp__db__query", json!({ "q": "drop table a" }), &["Bash psql -c 'drop table a'"]);
    check("mcp__postgres__execute", json!({ "text": "drop table a" }), &["Bash psql -c 'drop table a'"]);
    check("mcp__chat__post", json!({ "text": "drop table a" }), &[]);
    check("mcp__redis__execute", json!({ "args": ["FLUSHDB"] }), &["? Bash redis-cli FLUSHDB"]);
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b";
    let line = format!("Bash git apply <<'END OF DIFF'\n{diff}\nEND OF DIFF");
    check("mcp__edit__apply_patch", json!({ "diff": diff }), &[&line]);
}

#[test]
fn code_of_any_language_is_read_where_a_tool_runs_it() {
    check("mcp__engine__run_script", json!({ "code": "f(1)" }), &["Bash run-code -e 'f(1)'"]);
    check("mcp__engine__render", json!({ "code": "f(1)" }), &[]);
    check("mcp__engine__run", json!({ "language": "mermaid", "code": "graph TD" }), &[]);
    check("mcp__box__exec", json!({ "language": "groovy", "code": "f()" }), &["Bash groovy -e 'f()'"]);
}

#[test]
fn modules_and_texts_for_other_machines_are_read_as_lines() {
    check("mcp__salt__do", json!({ "function": "cmd.run", "arg": ["ls -l"] }), &["? Bash ls -l"]);
    check(
        "mcp__ansible__adhoc",
        json!({ "module": "file", "args": "path=/a state=absent" }),
        &["? Bash ansible all -m file -a 'path=/a state=absent'"],
    );
    check("mcp__fleet__run", json!({ "hosts": ["a"], "payload": "ls -l" }), &["?? Bash ls -l"]);
    check("mcp__fleet__run", json!({ "payload": "ls -l" }), &[]);
    check("mcp__lake__run", json!({ "text": "drop table a" }), &["Bash psql -c 'drop table a'"]);
}

#[test]
fn arguments_tell_what_is_lost() {
    for (tool, input, line) in [
        (
            "mcp__db__mutate",
            json!({ "operation": "delete", "table": "a", "where": "b = 1" }),
            "DELETE FROM a WHERE b = 1",
        ),
        ("mcp__db__mutate", json!({ "operation": "update", "table": "a" }), "UPDATE a SET a = 1"),
        ("mcp__docker__compose", json!({ "action": "down", "volumes": true }), "docker compose down -v"),
        ("mcp__coins__transfer", json!({ "to": "a", "amount": 1 }), "stripe transfers create --live"),
        ("mcp__forge__edit_repo", json!({ "visibility": "public" }), "gh repo edit x --visibility public"),
        ("mcp__k8s__node_ops", json!({ "action": "drain", "node": "n" }), "kubectl drain"),
        ("mcp__dbt__run_operation", json!({ "macro": "drop_all" }), "curl -X DELETE https://dbt/thing/x"),
        (
            "mcp__api__proxy",
            json!({ "method": "DELETE", "dockerAPIPath": "/volumes/a" }),
            "curl -X DELETE https://api/volumes/a",
        ),
    ] {
        assert!(
            read_with(tool, &input, &[]).iter().any(|read| read.contains(line)),
            "{tool} {:?}",
            read_with(tool, &input, &[])
        );
    }
    for (tool, input) in [
        ("mcp__docker__compose", json!({ "action": "down" })),
        ("mcp__chat__send_message", json!({ "recipient": "a", "value": "b" })),
        ("mcp__forge__edit_repo", json!({ "visibility": "private" })),
        ("mcp__browser__delete_all", json!({})),
    ] {
        check(tool, input, &[]);
    }
}

#[test]
fn the_name_of_a_tool_tells_what_others_get() {
    for (tool, input, line) in [
        ("mcp__slack__post_message", json!({ "channel": "a", "text": "b" }), "server-tool message send slack"),
        ("mcp__zapier__slack_send_message", json!({ "to": "a", "text": "b" }), "server-tool message send zapier"),
        ("mcp__drive__share_file", json!({ "id": "a" }), "server-tool access change drive"),
        ("mcp__stripe__rotate_key", json!({ "id": "a" }), "server-tool key change stripe"),
        ("mcp__food__place_order", json!({ "items": [] }), "server-tool money spend food"),
        ("mcp__gcal__create_event", json!({ "attendees": ["a"] }), "server-tool meeting change gcal"),
        ("mcp__pagerduty__resolve_incident", json!({ "id": "a" }), "server-tool state change pagerduty"),
        (
            "mcp__api__run",
            json!({ "query": "mutation { deleteUser(id: 1) { id } }" }),
            "curl -X DELETE https://api/user/",
        ),
    ] {
        assert!(read_with(tool, &input, &[]).iter().any(|read| read.contains(line)), "{tool}");
    }
    for tool in [
        "mcp__slack__list_messages",
        "mcp__reddit__reddit_get_post",
        "mcp__gmail__create_draft",
        "mcp__gcal__create_event",
        "mcp__git__git_checkout",
        "mcp__figma__create_design_token",
        "mcp__memory__add_message",
    ] {
        let read = read_with(tool, &json!({ "id": "1", "to": "2" }), &[]);
        assert!(read.iter().all(|read| !read.contains("server-tool")), "{tool}: {read:?}");
    }
}
