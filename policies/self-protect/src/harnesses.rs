//! The places of harnesses' hooks: data, in alphabetical order.
//!
//! An entry is a path in the form for [`crate::names`]. Other harnesses aren't protected.

/// Files and folders with hooks, and the harness's name.
pub(crate) const REGISTRATIONS: &[(&str, &str)] = &[
    (".amp/plugins/", "Amp"),
    (".config/amp/plugins/", "Amp"),
    (".config/amp/settings.json", "Amp"),
    (".agents/hooks.json", "Antigravity"),
    (".gemini/antigravity-cli/settings.json", "Antigravity"),
    (".gemini/config/hooks.json", "Antigravity"),
    (".augment/settings.json", "Auggie"),
    (".augment/settings.local.json", "Auggie"),
    ("/etc/augment/settings.json", "Auggie"),
    (".claude/plugins/", "Claude Code"),
    (".claude/settings.json", "Claude Code"),
    (".claude/settings.local.json", "Claude Code"),
    ("/etc/claude-code/", "Claude Code"),
    ("Application Support/ClaudeCode/", "Claude Code"),
    (".cline/hooks/", "Cline"),
    (".clinerules/hooks/", "Cline"),
    ("Documents/Cline/Hooks/", "Cline"),
    (".codebuddy/settings.json", "CodeBuddy"),
    (".codebuddy/settings.local.json", "CodeBuddy"),
    (".codex/config.toml", "Codex"),
    (".codex/hooks.json", "Codex"),
    (".codex/requirements.toml", "Codex"),
    ("/etc/codex/", "Codex"),
    (".copilot/hooks/", "Copilot"),
    (".copilot/settings.json", "Copilot"),
    (".github/copilot/settings.json", "Copilot"),
    (".github/copilot/settings.local.json", "Copilot"),
    (".github/hooks/*.json", "Copilot"),
    ("/etc/github-copilot/", "Copilot"),
    (".config/crush/crush.json", "Crush"),
    (".crush.json", "Crush"),
    ("crush.json", "Crush"),
    (".cursor/hooks.json", "Cursor"),
    ("/etc/cursor/hooks.json", "Cursor"),
    ("Application Support/Cursor/hooks.json", "Cursor"),
    (".config/devin/config.json", "Devin"),
    (".devin/config.json", "Devin"),
    (".devin/config.local.json", "Devin"),
    (".devin/hooks.v1.json", "Devin"),
    (".factory/hooks.json", "Droid"),
    (".factory/settings.json", "Droid"),
    (".factory/settings.local.json", "Droid"),
    (".gemini/settings.json", "Gemini CLI"),
    ("/etc/gemini-cli/settings.json", "Gemini CLI"),
    (".grok/config.toml", "Grok"),
    (".grok/hooks/", "Grok"),
    (".hermes/config.yaml", "Hermes"),
    (".hermes/shell-hooks-allowlist.json", "Hermes"),
    ("/etc/hermes/", "Hermes"),
    (".junie/config.json", "Junie"),
    (".config/kilo/kilo.json", "Kilo"),
    (".config/kilo/kilo.jsonc", "Kilo"),
    (".config/kilo/plugin/", "Kilo"),
    (".config/kilo/plugins/", "Kilo"),
    (".kilo/plugin/", "Kilo"),
    (".kilo/plugins/", "Kilo"),
    ("kilo.json", "Kilo"),
    ("kilo.jsonc", "Kilo"),
    (".kimi-code/config.toml", "Kimi Code"),
    (".amazonq/cli-agents/*.json", "Kiro"),
    (".aws/amazonq/cli-agents/*.json", "Kiro"),
    (".kiro/agents/*.json", "Kiro"),
    (".kiro/hooks/", "Kiro"),
    (".openinterpreter/config.toml", "Open Interpreter"),
    (".openinterpreter/hooks.json", "Open Interpreter"),
    (".openclaw/extensions/guard-host/", "OpenClaw"),
    (".openclaw/openclaw.json", "OpenClaw"),
    (".config/opencode/opencode.json", "OpenCode"),
    (".config/opencode/opencode.jsonc", "OpenCode"),
    (".config/opencode/plugin/", "OpenCode"),
    (".config/opencode/plugins/", "OpenCode"),
    (".opencode/plugin/", "OpenCode"),
    (".opencode/plugins/", "OpenCode"),
    ("opencode.json", "OpenCode"),
    ("opencode.jsonc", "OpenCode"),
    (".pi/agent/extensions/", "Pi"),
    (".pi/agent/settings.json", "Pi"),
    (".pi/extensions/", "Pi"),
    (".pi/settings.json", "Pi"),
    ("hooks/hooks.json", "a plugin"),
    (".qoder/settings.json", "Qoder"),
    (".qoder/settings.local.json", "Qoder"),
    (".qwen/settings.json", "Qwen Code"),
    ("/etc/qwen-code/settings.json", "Qwen Code"),
    (".vibe/hooks.toml", "Vibe"),
    (".codeium/hooks.json", "Windsurf"),
    (".codeium/windsurf/hooks.json", "Windsurf"),
    (".windsurf/hooks.json", "Windsurf"),
    ("/etc/windsurf/hooks.json", "Windsurf"),
    ("Application Support/Windsurf/hooks.json", "Windsurf"),
];

/// Folders of scripts that hooks run, and the harness's name.
pub(crate) const SCRIPTS: &[(&str, &str)] = &[
    (".claude/hooks/", "Claude Code"),
    (".codex/hooks/", "Codex"),
    (".cursor/hooks/", "Cursor"),
    (".factory/hooks/", "Droid"),
];

/// Names of events and keys without which a harness calls no hook before a call.
pub(crate) const KEYS: &[&str] = &[
    "PreToolUse",
    "preToolUse",
    "BeforeTool",
    "beforeShellExecution",
    "beforeMCPExecution",
    "pre_run_command",
    "pre_write_code",
    "pre_mcp_tool_use",
    "tool.execute.before",
    "tool.call",
    "tool_call",
    "pre_tool",
    "pre_tool_call",
    "\"hooks\"",
    "[hooks",
    "\"hook\"",
    "onFailure",
    "failClosed",
];

/// Settings that disable hooks, without white space and quotes, in lower case.
pub(crate) const SWITCHES: &[&str] = &[
    "disableallhooks:true",
    "disableallhooks=true",
    "hooksdisabled:true",
    "allowmanagedhooksonly:true",
    "allow_managed_hooks_only=true",
    "strictpluginonlycustomization:true",
    "hooks=false",
    "hooks:false",
    "hooks:{enabled:false",
    "plugins:{enabled:false",
    "codex_hooks=false",
    "fail_mode=open",
    "strict=false",
    // In the plugins that `guard-host install` writes.
    "constholds=false",
];

/// A harness that a command may start.
pub(crate) struct Agent {
    pub(crate) program: &'static str,
    /// Options that disable its hooks.
    pub(crate) without: &'static [&'static str],
    /// Options whose value names other settings.
    pub(crate) settings: &'static [&'static str],
    /// Variables that relocate the settings with its hooks, besides `HOME`.
    pub(crate) moves: &'static [&'static str],
    /// Variables, with their values, that disable its hooks.
    pub(crate) switches: &'static [(&'static str, &'static [&'static str])],
}

const fn agent(program: &'static str, moves: &'static [&'static str]) -> Agent {
    Agent { program, without: &[], settings: &[], moves, switches: &[] }
}

pub(crate) const AGENTS: &[Agent] = &[
    Agent {
        without: &["--bare", "--safe-mode"],
        settings: &["--settings", "--setting-sources"],
        switches: &[("CLAUDE_CODE_SIMPLE", ON)],
        ..agent("claude", &["CLAUDE_CONFIG_DIR"])
    },
    Agent {
        without: &["features.hooks=false", "--disable=hooks", "features.codex_hooks=false"],
        ..agent("codex", &["CODEX_HOME"])
    },
    Agent {
        without: &["--pure"],
        switches: &[("OPENCODE_PURE", ON), ("OPENCODE_DISABLE_DEFAULT_PLUGINS", ON)],
        ..agent("opencode", &["XDG_CONFIG_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_DIR"])
    },
    Agent {
        without: &["--pure"],
        switches: &[("KILO_PURE", ON), ("KILO_DISABLE_DEFAULT_PLUGINS", ON)],
        ..agent("kilo", &["XDG_CONFIG_HOME", "KILO_CONFIG", "KILO_CONFIG_CONTENT", "KILO_CONFIG_DIR"])
    },
    Agent { without: &["--no-extensions", "-ne"], ..agent("pi", &["PI_CODING_AGENT_DIR"]) },
    Agent {
        without: &["--isolated", "--auth-env-only"],
        ..agent("openclaw", &["OPENCLAW_CONFIG_PATH", "OPENCLAW_HOME", "OPENCLAW_STATE_DIR"])
    },
    agent("vibe", &["VIBE_HOME"]),
    Agent {
        without: &["--safe-mode"],
        settings: &["--ignore-user-config"],
        switches: &[("HERMES_SAFE_MODE", ON)],
        ..agent("hermes", &["HERMES_HOME"])
    },
    Agent {
        settings: &["--settings-file"],
        switches: &[("PLUGINS", &["off"])],
        ..agent("amp", &["XDG_CONFIG_HOME", "AMP_SETTINGS_FILE"])
    },
    Agent { settings: &["--config-dir"], ..agent("copilot", &["XDG_CONFIG_HOME", "COPILOT_HOME"]) },
    agent("auggie", &[]),
    agent("crush", &["XDG_CONFIG_HOME", "CRUSH_GLOBAL_CONFIG"]),
    agent("cursor-agent", &["CURSOR_CONFIG_DIR"]),
    agent("droid", &[]),
    agent("gemini", &["GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"]),
    agent("grok", &[]),
    agent("kiro-cli", &["KIRO_HOME"]),
    agent("qwen", &["QWEN_HOME", "QWEN_CODE_SYSTEM_SETTINGS_PATH"]),
];

/// Values that enable a variable.
const ON: &[&str] = &["1", "true"];
