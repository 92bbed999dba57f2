//! Tests of lines that start the hook.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use guard_contract::shell_word::word;

fn names() -> ProgramNames {
    ProgramNames {
        harness: "claude",
        program: "guard-dev".to_owned(),
        plugin: Some("/plugin".into()),
        project: "/repo".into(),
        home: "/home/u".to_owned(),
    }
}

#[test]
fn a_script_is_found_in_every_spelling() {
    for line in [
        "/repo/.claude/hooks/a.py",
        "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/a.py",
        "$CLAUDE_PROJECT_DIR/.claude/hooks/a.py",
        "\"${CLAUDE_PROJECT_DIR}\"/.claude/hooks/a.py",
        "'/repo/.claude/hooks/a.py'",
        "./.claude/hooks/a.py",
        ".claude/hooks/a.py",
        "bash .claude/hooks/a.py",
        "python3 \"$CLAUDE_PROJECT_DIR/.claude/hooks/a.py\"",
        "/usr/bin/env python3 .claude/hooks/a.py",
        "/usr/bin/python3 /repo/.claude/../.claude/hooks/a.py",
        "cd \"$CLAUDE_PROJECT_DIR\" && ./.claude/hooks/a.py",
        "cd .claude && python3 hooks/a.py",
        "sh -c \"$CLAUDE_PROJECT_DIR/.claude/hooks/a.py\"",
        "bash -c 'cd .claude/hooks && ./a.py'",
        "uv run .claude/hooks/a.py",
        "cd $CLAUDE_PROJECT_DIR && uv run python3 .claude/hooks/a.py",
        "./.claude/hooks/a.py --strict x",
        "timeout 5 bash .claude/hooks/a.py",
        "timeout -s KILL -k 2 5s .claude/hooks/a.py",
        "exec .claude/hooks/a.py",
        "FOO=1 BAR='b c' python3 -u .claude/hooks/a.py",
        "env FOO=1 nice -n 5 .claude/hooks/a.py",
        "bash -e .claude/hooks/a.py 2>/dev/null",
        ".claude/hooks/a.py 2>&1 || true",
        "cat | .claude/hooks/a.py",
        "nohup ./.claude/hooks/a.py > /dev/null &",
        "[ -x .claude/hooks/a.py ] && .claude/hooks/a.py",
        "if [ -f .claude/hooks/a.py ]; then bash .claude/hooks/a.py; fi",
        "bash -lc 'cd .claude && exec hooks/a.py \"x; y\"' || exit 0",
        ". .claude/hooks/a.py",
    ] {
        let found = script_of(&json!({ "command": line }), &names());
        assert_eq!(found.as_deref(), Some("/repo/.claude/hooks/a.py"), "{line}");
    }
    for (handler, path) in [
        (json!({ "command": "~/.claude/hooks/a.py" }), "/home/u/.claude/hooks/a.py"),
        (json!({ "command": "$HOME/.claude/hooks/a.py" }), "/home/u/.claude/hooks/a.py"),
        (json!({ "command": "${CLAUDE_PLUGIN_ROOT}/hooks/a.sh" }), "/plugin/hooks/a.sh"),
        (json!({ "command": "bash", "args": ["${CLAUDE_PLUGIN_ROOT}/hooks/a.sh"] }), "/plugin/hooks/a.sh"),
    ] {
        assert_eq!(script_of(&handler, &names()).as_deref(), Some(path), "{handler}");
    }
    for line in [
        "a.py",
        "$CLAUDE_PROJECT_DIRECTORY/a.py",
        "$OTHER/a.py",
        "./a.py | jq .",
        "jq . | ./a.py",
        "timeout 5 ./a.py && timeout 5 ./b.py",
        "curl -d @- http://localhost || ./a.py",
        "echo './a.py'",
        "x=$(./a.py)",
        "cat ./a.py",
        "python3 -m a/b",
        "./a.py; ./b.py",
        "./a.py && ./b.py",
        "cd x && ./a.py && ./b.py",
        "cd x y && ./a.py",
        "cd x || ./a.py",
        "sh -c './a.py; ./b.py'",
        "uv add ./a.py",
        "my-runner ./a.py",
        "",
    ] {
        assert_eq!(script_of(&json!({ "command": line }), &names()), None, "{line}");
    }
}

#[test]
fn an_entry_is_known_by_what_it_starts() {
    for handler in [
        json!({ "command": "/a/guard-host", "args": ["--config", "/c", "hook", "claude"] }),
        json!({ "command": "guard-dev", "args": ["hook"] }),
        json!({ "command": "${CLAUDE_PLUGIN_ROOT}/bin/guard-host", "args": ["hook", "claude"] }),
        json!({ "command": "guard-host hook claude" }),
        json!({ "command": "\"$HOME\"/bin/guard-host hook claude --only=a" }),
        json!({ "command": " ~/bin/guard-host\t--cache '/a;b' hook  claude --only a,b " }),
        json!({ "command": "'/a b/guard-host' --config /c hook claude", "args": [] }),
        json!({ "command": closed("guard-host hook claude") }),
    ] {
        assert!(is_ours(&handler, &names()), "{handler}");
    }
    for handler in [
        json!({ "command": "/a/guard-host", "args": ["check", "ls"] }),
        json!({ "command": "/a/guard-host", "args": ["check", "hook"] }),
        json!({ "command": "/a/guard-host", "args": ["hook", 1] }),
        json!({ "command": "/a/guard-hosts", "args": ["hook"] }),
        json!({ "command": "sh", "args": ["-c", "guard-host hook claude"] }),
        json!({ "command": ["guard-host", "hook"] }),
        json!({ "url": "http://localhost/guard-host/hook" }),
        json!("guard-host hook claude"),
    ] {
        assert!(!is_ours(&handler, &names()), "{handler}");
    }
}

#[test]
fn a_line_that_does_more_than_call_the_hook_is_not_ours() {
    for line in [
        "logger 'guard-host hook claude'; my-other-check.sh",
        "my-check.sh && guard-host hook claude",
        "guard-host hook claude && my-check.sh",
        "grep -q 'guard-host hook' f && ./x",
        "guard-host hook claude | tee log",
        "guard-host hook claude 2>log",
        "guard-host hook claude &",
        "guard-host hook claude || exit 2",
        "guard-host hook claude || { [ $? = 2 ] || echo 'guard-host gave no answer, so this call is held' >&2; exit 0; }",
        "guard-host hook claude\nmy-check.sh",
        "guard-host hook claude # mine",
        "# guard-host hook claude",
        "guard-host hook claude $(my-check.sh)",
        "guard-host hook claude \"`my-check.sh`\"",
        "guard-host --config ${X:-/c} hook claude",
        "(guard-host hook claude)",
        "X=/a/guard-host hook claude",
        "X=1 guard-host hook claude",
        "echo guard-host hook claude",
        "hook guard-host",
        "'guard-host hook claude'",
        "guard-host 'hook claude'",
        "guard-host cache warm",
        "guard-host check hook",
        "guard-host hook claude --config",
        "guard-host hook generic",
        "./guard-host/run.sh hook",
        "guard-host hook claude '",
        "guard-host hook claude \\",
        "",
    ] {
        assert!(!is_ours(&json!({ "type": "command", "command": line }), &names()), "{line}");
    }
}

#[test]
fn a_script_is_known_by_its_one_line() {
    for text in [
        "#!/bin/sh\nexec /a/guard-host --config /c hook claude \"$@\"\n",
        "#!/bin/sh\nexec \"${0%/*}/../bin/guard-host\" hook claude \"$@\"\n",
        "#!/bin/sh\nexec '/a b/guard-dev' --config /c hook claude \"$@\"\n",
    ] {
        assert!(is_shim(text, &names()), "{text}");
    }
    for text in [
        "#!/bin/sh\necho x\nexec guard-host hook claude \"$@\"\n",
        "#!/bin/sh\nexec guard-host hook claude \"$@\"\nrm x\n",
        "#!/bin/sh\nexec guard-host check \"$@\"\n",
        "#!/bin/sh\nexec my-check 'guard-host hook claude' \"$@\"\n",
        "#!/bin/sh\nexec my-check && guard-host hook claude \"$@\"\n",
        "",
    ] {
        assert!(!is_shim(text, &names()), "{text}");
    }
}

proptest! {
    #[test]
    fn what_was_quoted_is_read_back(list in prop::collection::vec(any::<String>(), 0..4)) {
        let line = list.iter().map(|text| word(text)).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(words(&line), Some(list));
    }
}
