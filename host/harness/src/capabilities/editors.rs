//! Harnesses that run in an editor. Some of them also have a terminal program.

use super::{
    Abstain, Ask, Capabilities, Confidence, Deny, Fail, FileScope, Format, OnAllow, OnSilence, OnUnknownKey, Surface,
    file,
};
use Confidence::{High, Medium};
use FileScope::{Machine, Project, User};
use Format::{Json, Script};

const CURSOR_COMMAND: Surface = Surface {
    on_allow: OnAllow::MaySkipPrompt,
    ask: Ask::Unproven,
    tells_model: true,
    tells_user: true,
    abstain: Abstain::Token("{\"permission\":\"allow\"}"),
    on_silence: OnSilence::Broken,
    keys: &["permission", "user_message", "agent_message"],
    ..Surface::for_event("beforeShellExecution")
};

/// The capabilities of `cursor`.
pub static CURSOR: Capabilities = Capabilities {
    name: "cursor",
    title: "Cursor",
    surfaces: &[
        CURSOR_COMMAND,
        Surface { event: "beforeMCPExecution", ..CURSOR_COMMAND },
        Surface { event: "preToolUse", on_allow: OnAllow::None, ..CURSOR_COMMAND },
        // The event of a hook that was registered with Claude Code. A deny is given in every form that may be read.
        Surface { event: "PreToolUse", on_allow: OnAllow::None, deny: Deny::Both, exits: &[0, 2], ..CURSOR_COMMAND },
        Surface {
            event: "beforeReadFile",
            on_allow: OnAllow::None,
            ask: Ask::None,
            tells_model: false,
            keys: &["permission", "user_message"],
            ..CURSOR_COMMAND
        },
        // Events that ask for no permission get an empty object.
        Surface { event: "other", on_allow: OnAllow::None, abstain: Abstain::Token("{}"), ..CURSOR_COMMAND },
    ],
    modes: &[],
    project_variables: &["CURSOR_PROJECT_DIR"],
    runs_in_cwd: false,
    on_crash: Fail::Switch("failClosed: true"),
    on_exit_one: Fail::Switch("failClosed: true"),
    on_timeout: Fail::Switch("failClosed: true"),
    timeout_ms: None,
    files: &[
        file("./.cursor/hooks.json", Json, Project, High),
        file("~/.cursor/hooks.json", Json, User, High),
        file("/etc/cursor/hooks.json", Json, Machine, High),
        file("/Library/Application Support/Cursor/hooks.json", Json, Machine, High),
    ],
    on_unknown_key: OnUnknownKey::MayBlock,
    confidence: Medium,
    unverified: &[
        "whether an empty or an unknown reply blocks the call. Every reply is therefore an object with known keys",
        "the reply `ask`, which is documented for commands and MCP calls. The terminal program never prompted, so an ask denies",
        "whether `allow`, the only reply for no objection, skips the editor's own prompt",
        "the arguments of its tools that write and replace",
        "whether `Shell` causes both `beforeShellExecution` and `preToolUse`. Register only one of them for it",
    ],
    sources: &["the vendor's hooks documentation of 2026-09", "a check against its terminal program of 2026-10-08"],
};

/// The capabilities of `vscode`.
pub static VSCODE: Capabilities = Capabilities {
    name: "vscode",
    title: "VS Code agents",
    surfaces: &[Surface {
        on_allow: OnAllow::SkipsPrompt,
        ask: Ask::Person,
        tells_model: true,
        tells_user: true,
        keys: &[
            "systemMessage",
            "hookSpecificOutput",
            "hookSpecificOutput.hookEventName",
            "hookSpecificOutput.permissionDecision",
            "hookSpecificOutput.permissionDecisionReason",
            "hookSpecificOutput.additionalContext",
        ],
        ..Surface::for_event("PreToolUse")
    }],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: true,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Unknown,
    timeout_ms: Some(30_000),
    files: &[
        file("./.github/hooks/guard-host.json", Json, Project, Medium),
        file("~/.copilot/hooks/guard-host.json", Json, User, Medium),
    ],
    on_unknown_key: OnUnknownKey::Unknown,
    confidence: Medium,
    unverified: &[
        "whether a call runs after a timeout",
        "the names and arguments of all its tools",
        "whether it also runs the hooks in Claude Code's files",
    ],
    sources: &["the vendor's documentation of agent hooks of 2026-07-29"],
};

const CLINE_CALL: Surface = Surface {
    tells_model: true,
    abstain: Abstain::Token("{\"cancel\":false}"),
    on_silence: OnSilence::Runs,
    keys: &["cancel", "errorMessage", "contextModification"],
    ..Surface::for_event("PreToolUse")
};

/// The capabilities of `cline`.
pub static CLINE: Capabilities = Capabilities {
    name: "cline",
    title: "Cline",
    surfaces: &[
        CLINE_CALL,
        Surface { event: "tool_call", keys: &["cancel", "errorMessage", "context"], ..CLINE_CALL },
        // A cancel ends the whole run without showing the reason. Instead, the call gets a command that fails with the
        // reason, or a file that can't be read.
        Surface {
            event: "tool_call run_commands",
            keys: &["cancel", "context", "overrideInput", "overrideInput.commands"],
            ..CLINE_CALL
        },
        Surface {
            event: "tool_call read_files",
            keys: &["cancel", "context", "overrideInput", "overrideInput.files"],
            ..CLINE_CALL
        },
        Surface {
            event: "tool_call editor",
            keys: &[
                "cancel",
                "context",
                "overrideInput",
                "overrideInput.insert_line",
                "overrideInput.new_text",
                "overrideInput.path",
            ],
            ..CLINE_CALL
        },
    ],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: false,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Open,
    timeout_ms: Some(30_000),
    files: &[
        file("~/Documents/Cline/Hooks/PreToolUse", Script, User, High),
        file("~/.cline/hooks/PreToolUse", Script, User, High),
        file("./.cline/hooks/PreToolUse", Script, Project, High),
        file("./.clinerules/hooks/PreToolUse", Script, Project, High),
    ],
    on_unknown_key: OnUnknownKey::Ignored,
    confidence: High,
    unverified: &[
        "whether guard-host's denial is lost if another hook fails",
        "the default time limit: 30 s in the editor and 120 s elsewhere",
    ],
    sources: &["the vendor's source of 2026-08-22"],
};

const WINDSURF_CALL: Surface = Surface {
    deny: Deny::Exit,
    exits: &[0, 2],
    on_silence: OnSilence::OwnRules,
    ..Surface::for_event("pre_run_command")
};

/// The capabilities of `windsurf`.
pub static WINDSURF: Capabilities = Capabilities {
    name: "windsurf",
    title: "Windsurf Cascade",
    surfaces: &[
        WINDSURF_CALL,
        Surface { event: "pre_write_code", ..WINDSURF_CALL },
        Surface { event: "pre_read_code", ..WINDSURF_CALL },
        Surface { event: "pre_mcp_tool_use", ..WINDSURF_CALL },
    ],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: false,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Unknown,
    timeout_ms: None,
    files: &[
        file("./.windsurf/hooks.json", Json, Project, High),
        file("~/.codeium/windsurf/hooks.json", Json, User, High),
        file("~/.codeium/hooks.json", Json, User, Medium),
        file("/etc/windsurf/hooks.json", Json, Machine, High),
        file("/Library/Application Support/Windsurf/hooks.json", Json, Machine, High),
    ],
    on_unknown_key: OnUnknownKey::Unknown,
    confidence: Medium,
    unverified: &["whether there is a time limit, and whether a call runs after it", "newer keys of its hooks"],
    sources: &["the vendor's undated documentation of hooks"],
};
