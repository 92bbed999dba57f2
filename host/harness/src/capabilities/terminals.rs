//! Harnesses that run in a terminal.

use super::{
    Abstain, Ask, Capabilities, Confidence, Deny, Fail, FileScope, Format, OnAllow, OnSilence, OnUnknownKey, Prompting,
    Rewrites, Surface, UNASKED, UNASKED_UNREWRITTEN, UNKNOWN_VERSION, file,
};
use Confidence::{High, Low, Medium};
use FileScope::{Machine, Project, User};
use Format::{Json, Toml};

/// The keys of a nested reply with a decision or a message.
const NESTED: &[&str] = NESTED_WITH_INPUT.split_at(6).0;

/// The same keys, with the call's input.
const NESTED_WITH_INPUT: &[&str] = &[
    "systemMessage",
    "hookSpecificOutput",
    "hookSpecificOutput.hookEventName",
    "hookSpecificOutput.permissionDecision",
    "hookSpecificOutput.permissionDecisionReason",
    "hookSpecificOutput.additionalContext",
    "hookSpecificOutput.updatedInput",
    "hookSpecificOutput.updatedInput.command",
];

const CLAUDE_CALL: Surface = Surface {
    on_allow: OnAllow::SkipsPrompt,
    ask: Ask::Person,
    deny: Deny::Both,
    tells_model: true,
    tells_user: true,
    rewrites: Rewrites::Undecided,
    keys: NESTED_WITH_INPUT,
    exits: &[0, 2],
    ..Surface::for_event("PreToolUse")
};

/// The capabilities of `claude`.
pub static CLAUDE: Capabilities = Capabilities {
    name: "claude",
    title: "Claude Code",
    surfaces: &[
        CLAUDE_CALL,
        Surface { event: "PreToolUse http", deny: Deny::Reply, exits: &[0], ..CLAUDE_CALL },
        // The terminal's screen, in a mode in which only a person's answer lets a call run after an ask.
        Surface { event: "PreToolUse screen", answered_by_person: true, ..CLAUDE_CALL },
        // An ask may not be shown to anyone: see `claude/asks.rs`.
        Surface { event: UNASKED, ask: Ask::None, ..CLAUDE_CALL },
        // Seen: 2.1.2 to 2.1.332 run the new input, 1.0.128 to 2.1.1 the old one. Up to 2.1.101, none is reported.
        Surface { event: UNKNOWN_VERSION, rewrites: Rewrites::Never, ..CLAUDE_CALL },
        Surface { event: UNASKED_UNREWRITTEN, ask: Ask::None, rewrites: Rewrites::Never, ..CLAUDE_CALL },
    ],
    modes: &[
        ("default", Prompting::Person),
        ("plan", Prompting::Person),
        ("acceptEdits", Prompting::Person),
        ("auto", Prompting::Person),
        ("dontAsk", Prompting::Nobody),
        ("bypassPermissions", Prompting::Skips),
    ],
    project_variables: &["CLAUDE_PROJECT_DIR"],
    runs_in_cwd: true,
    on_crash: Fail::Switch("onFailure: \"block\""),
    on_exit_one: Fail::Switch("onFailure: \"block\""),
    on_timeout: Fail::Switch("onFailure: \"block\""),
    timeout_ms: Some(600_000),
    files: &[
        file("~/.claude/settings.json", Json, User, High),
        file("./.claude/settings.json", Json, Project, High),
        file("./.claude/settings.local.json", Json, Project, High),
        file("/etc/claude-code/managed-settings.json", Json, Machine, High),
        file("/Library/Application Support/ClaudeCode/managed-settings.json", Json, Machine, High),
    ],
    on_unknown_key: OnUnknownKey::Ignored,
    confidence: High,
    unverified: &[
        "the other values of `onFailure`, and which events honor it. Versions before 2.1.295 ignore it",
        "whether an ask always prompts in the mode `plan`: the code of 2.1.150 to 2.1.332 may drop it where prompts are skipped",
        "whether an ask prompts in the mode `auto` from 2.1.211 on, if the vendor's classifier lets the call run",
    ],
    sources: &["the vendor's hooks reference of 2026-08-22, version 2.1.240", "its changelog up to 2026-10-19"],
};

const CODEX_CALL: Surface = Surface {
    tells_model: true,
    tells_user: true,
    rewrites: Rewrites::WithAllow,
    keys: NESTED_WITH_INPUT,
    ..Surface::for_event("PreToolUse")
};

/// The capabilities of `codex`.
pub static CODEX: Capabilities = Capabilities {
    name: "codex",
    title: "Codex",
    surfaces: &[
        CODEX_CALL,
        Surface {
            event: "PermissionRequest",
            tells_model: false,
            rewrites: Rewrites::Never,
            on_silence: OnSilence::Prompts,
            keys: &[
                "systemMessage",
                "hookSpecificOutput",
                "hookSpecificOutput.hookEventName",
                "hookSpecificOutput.decision",
                "hookSpecificOutput.decision.behavior",
                "hookSpecificOutput.decision.message",
            ],
            ..CODEX_CALL
        },
    ],
    modes: &[("dontAsk", Prompting::Nobody), ("bypassPermissions", Prompting::Skips)],
    project_variables: &[],
    runs_in_cwd: true,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Open,
    timeout_ms: Some(600_000),
    files: &[
        file("~/.codex/hooks.json", Json, User, High),
        file("~/.codex/config.toml", Toml, User, High),
        file("./.codex/hooks.json", Json, Project, High),
        file("./.codex/config.toml", Toml, Project, High),
    ],
    on_unknown_key: OnUnknownKey::Dropped,
    confidence: High,
    unverified: &[
        "which shell the tool `Bash` uses on Windows",
        "how Codex treats reserved fields in replies to `PermissionRequest`. guard-host never sends them",
        "a call's own working directory, which the payload lacks. A relative path may be resolved in the wrong folder",
    ],
    sources: &["the vendor's source of hooks and its generated schemas, up to version 0.164.0 of 2026-10-23"],
};

/// The capabilities of `gemini`.
pub static GEMINI: Capabilities = Capabilities {
    name: "gemini",
    title: "Gemini CLI",
    surfaces: &[Surface {
        ask: Ask::Unproven,
        tells_user: true,
        keys: &["decision", "reason", "systemMessage"],
        ..Surface::for_event("BeforeTool")
    }],
    modes: &[],
    project_variables: &["GEMINI_PROJECT_DIR"],
    runs_in_cwd: false,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Open,
    timeout_ms: Some(60_000),
    files: &[
        file("./.gemini/settings.json", Json, Project, High),
        file("~/.gemini/settings.json", Json, User, High),
        file("/etc/gemini-cli/settings.json", Json, Machine, High),
    ],
    on_unknown_key: OnUnknownKey::Ignored,
    confidence: High,
    unverified: &[
        "the reply `ask`, which isn't documented. If it overrides the harness's own deny rules, it would weaken them",
        "whether an exit code of 2 or more with text blocks the call, and whether a hook that a signal ends doesn't",
        "whether 0.64 merges a changed input into the call's input or replaces it",
    ],
    sources: &["the vendor's hooks documentation and source of 2026-08-21", "a check against 0.64.0 of 2026-10"],
};

/// The capabilities of `antigravity`.
pub static ANTIGRAVITY: Capabilities = Capabilities {
    name: "antigravity",
    title: "Antigravity",
    surfaces: &[Surface {
        on_allow: OnAllow::SkipsPrompt,
        ask: Ask::Person,
        tells_user: true,
        abstain: Abstain::Token("{\"decision\":\"allow\"}"),
        on_silence: OnSilence::Broken,
        keys: &["decision", "reason"],
        ..Surface::for_event("PreToolUse")
    }],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: false,
    on_crash: Fail::Unknown,
    on_exit_one: Fail::Unknown,
    on_timeout: Fail::Unknown,
    timeout_ms: Some(30_000),
    files: &[
        file("./.agents/hooks.json", Json, Project, Medium),
        file("~/.gemini/config/hooks.json", Json, User, Medium),
        file("~/.gemini/antigravity-cli/settings.json", Json, User, Medium),
    ],
    on_unknown_key: OnUnknownKey::Unknown,
    confidence: Medium,
    unverified: &[
        "whether an ask has no effect with the setting `always-proceed`, which no payload shows",
        "the result of a timeout, a crash or a reply without a decision. Reports say that the call is blocked",
        "whether every build honors `auto_approve`, and whether there is an event for the start of a session",
    ],
    sources: &["a third party's check of 1.4.3 of 2026-10", "live notes up to 1.1.27"],
};

const COPILOT_CALL: Surface = Surface {
    on_allow: OnAllow::SkipsPrompt,
    ask: Ask::Person,
    // Observed with 1.0.102: the screen prompts in every mode, and a run without one denies.
    answered_by_person: true,
    tells_user: true,
    keys: &["permissionDecision", "permissionDecisionReason", "type", "message"],
    ..Surface::for_event("preToolUse")
};

/// The capabilities of `copilot`.
pub static COPILOT: Capabilities = Capabilities {
    name: "copilot",
    title: "Copilot CLI",
    surfaces: &[COPILOT_CALL, Surface { event: "PreToolUse", deny: Deny::Both, exits: &[0, 2], ..COPILOT_CALL }],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: true,
    on_crash: Fail::Closed,
    on_exit_one: Fail::Closed,
    on_timeout: Fail::Open,
    timeout_ms: Some(30_000),
    files: &[
        file("./.github/hooks/guard-host.json", Json, Project, High),
        file("~/.copilot/hooks/guard-host.json", Json, User, High),
        file("/etc/github-copilot/policy.d/guard-host.json", Json, Machine, High),
    ],
    on_unknown_key: OnUnknownKey::Unknown,
    confidence: High,
    unverified: &[
        "whether an ask denies the call in autopilot and in the cloud agent. No payload shows these modes",
        "whether a hook before a call can add to the model's context",
        "in which versions the arguments are a string, and in which an object. guard-host reads both",
        "whether the event `PreToolUse` accepts a nested reply. guard-host sends a flat one",
    ],
    sources: &["the vendor's hooks reference and changelog up to 1.0.78", "a check against 1.0.101"],
};

/// The capabilities of `qwen`.
pub static QWEN: Capabilities = Capabilities {
    name: "qwen",
    title: "Qwen Code",
    surfaces: &[Surface {
        on_allow: OnAllow::MaySkipPrompt,
        ask: Ask::Person,
        // Observed with 0.24.4: the screen prompts in every mode, and a run without one denies.
        answered_by_person: true,
        tells_model: true,
        tells_user: true,
        keys: NESTED,
        ..Surface::for_event("PreToolUse")
    }],
    // It prompts in all of them.
    modes: &[
        ("default", Prompting::Person),
        ("plan", Prompting::Person),
        ("auto_edit", Prompting::Person),
        ("auto-edit", Prompting::Person),
        ("yolo", Prompting::Person),
    ],
    project_variables: &["QWEN_PROJECT_DIR"],
    runs_in_cwd: true,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Open,
    timeout_ms: Some(60_000),
    files: &[file("./.qwen/settings.json", Json, Project, High), file("~/.qwen/settings.json", Json, User, High)],
    on_unknown_key: OnUnknownKey::Ignored,
    confidence: Medium,
    unverified: &[
        "whether `timeout` is in milliseconds or seconds, and whether its default is 60 s or 600 s",
        "whether `allow` skips the prompt at 0.25",
        "whether an ask denies the call without a terminal, in a subagent and as a server. No payload shows these modes",
    ],
    sources: &["the vendor's documentation and source", "a check against 0.25.3"],
};

/// The capabilities of `droid`.
pub static DROID: Capabilities = Capabilities {
    name: "droid",
    title: "Factory Droid",
    // After 0.215.0, a hook can't distinguish `droid exec`, which ignores asks, from an interactive session.
    surfaces: &[Surface {
        on_allow: OnAllow::SkipsPrompt,
        ask: Ask::None,
        tells_user: true,
        keys: &[
            "systemMessage",
            "hookSpecificOutput",
            "hookSpecificOutput.hookEventName",
            "hookSpecificOutput.permissionDecision",
            "hookSpecificOutput.permissionDecisionReason",
        ],
        ..Surface::for_event("PreToolUse")
    }],
    modes: &[
        ("off", Prompting::Person),
        ("spec", Prompting::Person),
        ("auto-low", Prompting::Person),
        ("auto-medium", Prompting::Person),
        ("auto-high", Prompting::Person),
    ],
    project_variables: &["FACTORY_PROJECT_DIR"],
    runs_in_cwd: true,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Open,
    timeout_ms: Some(60_000),
    files: &[
        file("~/.factory/settings.json", Json, User, High),
        file("./.factory/settings.json", Json, Project, High),
        file("~/.factory/hooks.json", Json, User, Low),
        file("./.factory/hooks.json", Json, Project, Low),
    ],
    on_unknown_key: OnUnknownKey::Ignored,
    confidence: High,
    unverified: &[
        "whether `hooks.json` has the events in an outer key `hooks`, as `settings.json` does",
        "whether a changed input is merged into the call's input or replaces it",
        "whether runs of `Script` use an event of their own",
    ],
    sources: &[
        "the vendor's hooks reference of 2026-07-24",
        "checks against 0.245.0 and, live, 0.186.0",
        "runs of 0.225.2",
    ],
};

/// The capabilities of `grok`.
pub static GROK: Capabilities = Capabilities {
    name: "grok",
    title: "Grok Build",
    surfaces: &[Surface {
        // If it runs without prompts, an ask alone lets the call run. Together with a deny, the deny applies.
        ask: Ask::Unproven,
        tells_model: true,
        keys: &[
            "decision",
            "reason",
            "hookSpecificOutput",
            "hookSpecificOutput.hookEventName",
            "hookSpecificOutput.permissionDecision",
            "hookSpecificOutput.permissionDecisionReason",
            "hookSpecificOutput.additionalContext",
        ],
        ..Surface::for_event("PreToolUse")
    }],
    modes: &[("dontAsk", Prompting::Nobody), ("bypassPermissions", Prompting::Skips)],
    project_variables: &["GROK_WORKSPACE_ROOT", "CLAUDE_PROJECT_DIR"],
    runs_in_cwd: true,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Open,
    timeout_ms: Some(5_000),
    files: &[
        file("~/.grok/hooks/guard-host.json", Json, User, High),
        file("./.grok/hooks/guard-host.json", Json, Project, High),
        file("~/.grok/config.toml", Toml, User, Medium),
    ],
    on_unknown_key: OnUnknownKey::Unknown,
    confidence: High,
    unverified: &[
        "the argument names of its tools that write and edit",
        "whether it also runs the hooks of Claude Code and Cursor",
    ],
    sources: &["recorded payloads and replies of 1.0.62", "runs of 0.2.111"],
};

/// The capabilities of `kimi`.
pub static KIMI: Capabilities = Capabilities {
    name: "kimi",
    title: "Kimi Code CLI",
    surfaces: &[Surface { deny: Deny::Exit, exits: &[0, 2], ..Surface::for_event("PreToolUse") }],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: true,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Open,
    timeout_ms: Some(30_000),
    files: &[file("~/.kimi-code/config.toml", Toml, User, High)],
    on_unknown_key: OnUnknownKey::Unknown,
    confidence: High,
    unverified: &["commands that a person types with `!`"],
    sources: &["the program of 2.1.0", "runs of 2.1.0"],
};

/// The capabilities of `vibe`.
pub static VIBE: Capabilities = Capabilities {
    name: "vibe",
    title: "Mistral Vibe",
    surfaces: &[Surface {
        tells_user: true,
        keys: &["decision", "reason", "system_message"],
        ..Surface::for_event("pre_tool")
    }],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: true,
    on_crash: Fail::Switch("strict = true"),
    on_exit_one: Fail::Switch("strict = true"),
    on_timeout: Fail::Switch("strict = true"),
    timeout_ms: Some(60_000),
    files: &[file("./.vibe/hooks.toml", Toml, Project, High), file("~/.vibe/hooks.toml", Toml, User, High)],
    on_unknown_key: OnUnknownKey::Ignored,
    confidence: High,
    unverified: &["arguments of its tools that appeared in no run"],
    sources: &["the vendor's documentation of 3.0.2", "runs of 3.0.2"],
};

/// The capabilities of `crush`.
pub static CRUSH: Capabilities = Capabilities {
    name: "crush",
    title: "Crush",
    surfaces: &[Surface {
        on_allow: OnAllow::SkipsPrompt,
        tells_model: true,
        keys: &["decision", "reason", "context"],
        ..Surface::for_event("PreToolUse")
    }],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: true,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Open,
    timeout_ms: Some(30_000),
    files: &[file("./crush.json", Json, Project, High), file("~/.config/crush/crush.json", Json, User, High)],
    on_unknown_key: OnUnknownKey::Ignored,
    confidence: High,
    unverified: &[
        "whether Crush prompts after a hook without output. It can be set to run without prompts, so an ask denies the call",
        "whether hooks get the calls of subagents",
    ],
    sources: &["the vendor's hooks documentation of 2026-08-21"],
};

/// The capabilities of `kiro`.
pub static KIRO: Capabilities = Capabilities {
    name: "kiro",
    title: "Kiro and Amazon Q Developer CLI",
    surfaces: &[Surface { deny: Deny::Exit, exits: &[0, 2], ..Surface::for_event("PreToolUse") }],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: true,
    on_crash: Fail::Open,
    on_exit_one: Fail::Unknown,
    on_timeout: Fail::Open,
    timeout_ms: Some(30_000),
    files: &[
        file("~/.kiro/hooks/guard-host.json", Json, User, Medium),
        file("./.kiro/hooks/guard-host.json", Json, Project, Medium),
        file("./.kiro/agents/*.json", Json, Project, Medium),
        file("~/.aws/amazonq/cli-agents/*.json", Json, User, High),
    ],
    on_unknown_key: OnUnknownKey::Unknown,
    confidence: Medium,
    unverified: &[
        "whether every exit code except 0 blocks the call. One note says so",
        "whether the IDE leaves out a tool's arguments. A call that can't be judged is denied",
        "the default time limit: 60 s in newer versions, 30 s in older ones. This page shows the lower one",
    ],
    sources: &["the vendor's documentation of 2026-04 and 2026-09"],
};

/// The capabilities of `devin`.
pub static DEVIN: Capabilities = Capabilities {
    name: "devin",
    title: "Devin CLI",
    surfaces: &[Surface {
        ask: Ask::Unproven,
        deny: Deny::Both,
        keys: &["decision", "reason"],
        exits: &[0, 2],
        ..Surface::for_event("PreToolUse")
    }],
    modes: &[],
    project_variables: &["DEVIN_PROJECT_DIR"],
    runs_in_cwd: false,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Unknown,
    timeout_ms: None,
    files: &[
        file("~/.config/devin/config.json", Json, User, Medium),
        file("./.devin/config.json", Json, Project, Medium),
        file("./.devin/hooks.v1.json", Json, Project, Medium),
    ],
    on_unknown_key: OnUnknownKey::Unknown,
    confidence: Medium,
    unverified: &[
        "asks, changed inputs and the default time limit",
        "whether every exit code except 0 blocks the call. An older page says so",
        "whether it also runs the hooks of Claude Code",
    ],
    sources: &["the vendor's hooks documentation, as quoted by a third party in 2026-08"],
};
