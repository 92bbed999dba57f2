//! Where harnesses hold their hooks: data, in the order of the alphabet.
//!
//! An entry is a path as [`crate::names`] compares it. A harness that is not here is not guarded.

/// Files and folders in which a harness looks for hooks, and the harness's name.
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
    (".junie/config.json", "Junie"),
    (".kimi-code/config.toml", "Kimi Code"),
    (".aws/amazonq/cli-agents/*.json", "Kiro"),
    (".kiro/agents/*.json", "Kiro"),
    (".kiro/hooks/", "Kiro"),
    (".openinterpreter/config.toml", "Open Interpreter"),
    (".openinterpreter/hooks.json", "Open Interpreter"),
    (".config/opencode/opencode.json", "OpenCode"),
    (".config/opencode/opencode.jsonc", "OpenCode"),
    (".config/opencode/plugin/", "OpenCode"),
    (".config/opencode/plugins/", "OpenCode"),
    (".opencode/plugin/", "OpenCode"),
    (".opencode/plugins/", "OpenCode"),
    ("opencode.json", "OpenCode"),
    ("opencode.jsonc", "OpenCode"),
    (".pi/agent/extensions/", "pi"),
    (".pi/extensions/", "pi"),
    ("hooks/hooks.json", "a plugin"),
    (".qoder/settings.json", "Qoder"),
    (".qoder/settings.local.json", "Qoder"),
    (".qwen/settings.json", "Qwen Code"),
    ("/etc/qwen-code/settings.json", "Qwen Code"),
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

/// Names of events and keys without which a harness asks no hook before a call.
pub(crate) const KEYS: &[&str] = &[
    "PreToolUse",
    "preToolUse",
    "BeforeTool",
    "beforeShellExecution",
    "beforeMCPExecution",
    "pre_tool_call",
    "pre_run_command",
    "pre_write_code",
    "pre_mcp_tool_use",
    "tool.execute.before",
    "tool.call",
    "\"hooks\"",
    "[hooks",
    "\"hook\"",
    "onFailure",
    "failClosed",
];

/// What switches hooks off, in settings without white space and quotes, lower case.
pub(crate) const SWITCHES: &[&str] = &[
    "disableallhooks:true",
    "disableallhooks=true",
    "hooksdisabled:true",
    "allowmanagedhooksonly:true",
    "allow_managed_hooks_only=true",
    "strictpluginonlycustomization:true",
    "hooks=false",
    "hooks:false",
    "codex_hooks=false",
    "fail_mode=open",
    // In the plugins that `guard-host install` writes.
    "constholds=false",
];

/// Options with which a harness runs without its hooks.
pub(crate) const OPTIONS: &[(&str, &[&str])] = &[
    ("claude", &["--bare", "--safe-mode"]),
    ("codex", &["features.hooks=false", "--disable=hooks", "features.codex_hooks=false"]),
    ("opencode", &["--pure"]),
];

/// Variables with which a harness runs without its hooks or plugins.
pub(crate) const VARIABLES: &[(&str, &str, &[&str])] =
    &[("opencode", "OPENCODE_PURE", &["1", "true"]), ("amp", "PLUGINS", &["off"])];

/// Programs of harnesses, and variables that move the settings which hold their hooks.
pub(crate) const MOVES: &[(&str, &[&str])] = &[
    ("claude", &["HOME", "CLAUDE_CONFIG_DIR"]),
    ("codex", &["HOME", "CODEX_HOME"]),
    ("copilot", &["HOME", "COPILOT_HOME"]),
    ("gemini", &["HOME"]),
    ("qwen", &["HOME"]),
    ("droid", &["HOME"]),
    ("opencode", &["HOME", "XDG_CONFIG_HOME", "OPENCODE_CONFIG_DIR"]),
    ("cursor-agent", &["HOME"]),
    ("amp", &["HOME", "XDG_CONFIG_HOME"]),
    ("grok", &["HOME"]),
    ("kiro-cli", &["HOME", "KIRO_HOME"]),
    ("crush", &["HOME", "XDG_CONFIG_HOME"]),
];
