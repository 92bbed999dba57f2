# The policy of same.toml in Rego. Its settings come as `data`.
#
# The findings are lists and not sets, because their order counts here: the first one of the most severe names the verdict.
package guard

deny := answers("deny")

ask := answers("ask")

answers(outcome) := [object.remove(finding, ["outcome"]) |
    some finding in findings
    finding.outcome == outcome
]

findings := [finding |
    some group in [protected_branch, outside_project, elevated, foreign_registry, unknown_host, private_key, unclear]
    some finding in group
]

protected_branch := [finding |
    some effect in input.analysis.effects
    startswith(effect.operation, "git.push.")
    finding := push(effect)
]

push(effect) := {
    "rule": "protected-branch",
    "outcome": "deny",
    "message": sprintf("`%s` would rewrite or remove `%s`, a protected branch", [effect.operation, effect.target]),
    "remedy": "push a branch of your own and open a pull request",
} if {
    effect.target in data["protected-branches"]
}

push(effect) := {
    "rule": "protected-branch",
    "outcome": "ask",
    "message": sprintf("`%s` names no branch, and the current one may be protected", [effect.operation]),
    "remedy": "name the branch that you mean",
} if {
    effect.target == ""
}

outside_project := [finding |
    some effect in input.analysis.effects
    effect.kind in {"write", "delete", "metadata"}
    effect.path.raw != ""
    effect.path.project_relative == ""
    not is_scratch(effect.path.canonical)
    finding := {
        "rule": "outside-project",
        "outcome": gravity(effect.severity in {"destructive", "catastrophic"}),
        "message": sprintf("`%s` lies outside of the project", [effect.target]),
        "remedy": sprintf("stay below `%s`", [input.context.project_root]),
    }
]

is_scratch(path) if path in data.scratch

is_scratch(path) if {
    some folder in data.scratch
    startswith(path, concat("", [folder, "/"]))
}

gravity(true) := "deny"

gravity(false) := "ask"

elevated := [finding |
    some command in input.analysis.commands
    kind := elevation(command)
    finding := {
        "rule": "elevated",
        "outcome": gravity(input.context.permission_mode == "bypassPermissions"),
        "message": sprintf("`%s` runs with the rights of another user", [command.argv[0]]),
        "remedy": sprintf("run it without `%s`", [kind]),
    }
]

raises := {"sudo", "doas", "su"}

elevation(command) := kind if {
    kind := [via.kind | some via in command.via; via.kind in raises][0]
} else := command.program if {
    command.program in raises
}

foreign_registry := [finding |
    some command in input.analysis.commands
    command.program in {"npm", "pnpm", "yarn", "pip", "pip3"}
    some at, _ in command.argv
    value := registry_at(command.argv, at)
    trim_right(value, "/") != trim_right(data.registry, "/")
    finding := {
        "rule": "foreign-registry",
        "outcome": "ask",
        "message": sprintf("`%s` would take packages from `%s`", [command.program, value]),
        "remedy": own_registry,
    }
]

registry_options := {"--registry", "--index-url", "--extra-index-url"}

registry_at(argv, at) := argv[at + 1] if argv[at] in registry_options

registry_at(argv, at) := value if {
    some option in registry_options
    start := concat("", [option, "="])
    startswith(argv[at], start)
    value := substring(argv[at], count(start), -1)
}

own_registry := "leave the option out" if data.registry == ""

own_registry := sprintf("use `%s`", [data.registry]) if data.registry != ""

unknown_host := [finding |
    some effect in input.analysis.effects
    effect.kind == "network"
    finding := reached(effect)
]

reached(effect) := {
    "rule": "unknown-host",
    "outcome": "ask",
    "message": sprintf("where `%s` leads is known only at run time", [effect.target]),
    "remedy": "write the address out",
} if {
    not effect.certain
}

reached(effect) := {
    "rule": "unknown-host",
    "outcome": "ask",
    "message": sprintf("`%s` is not one of the allowed hosts", [host]),
    "remedy": "have it added to `allowed-hosts`",
} if {
    effect.certain
    host := host_of(effect.target)
    not is_allowed(host)
}

host_of(target) := host if {
    authority := regex.split(`[/?#]`, without_scheme(target))[0]
    parts := split(authority, "@")
    host := split(parts[count(parts) - 1], ":")[0]
}

without_scheme(target) := substring(target, indexof(target, "://") + 3, -1) if contains(target, "://")

without_scheme(target) := target if not contains(target, "://")

is_allowed(host) if host in data["allowed-hosts"]

is_allowed(host) if {
    some allowed in data["allowed-hosts"]
    endswith(host, concat("", [".", allowed]))
}

private_key := [finding |
    some key in ["content", "new_string", "new_source"]
    is_string(input.input[key])
    contains(input.input[key], "PRIVATE KEY-----")
    finding := {
        "rule": "private-key",
        "outcome": "deny",
        "message": sprintf("the text for `%s` holds a private key", [file]),
        "remedy": "refer to the key by its path",
    }
]

file := object.get(input.input, "file_path", object.get(input.input, "notebook_path", ""))

unclear := [finding |
    input.tool == "Bash"
    input.analysis.coverage != "complete"
    finding := {
        "rule": "unclear",
        "outcome": "ask",
        "message": "the command cannot be followed to its end",
        "remedy": "write it without names that are known only at run time",
    }
]
