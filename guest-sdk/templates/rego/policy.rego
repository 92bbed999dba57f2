# my-policy: a policy of guard-host in Rego.
#
# It sees what a tool call does, not how it is spelled: `guard-host explain 'a command'` shows commands and effects as they
# stand in `input.analysis`. Add your rules beside these, and a case to `cases/`.
package guard

protected_branches := {"main", "master"}

elevators := {"sudo", "doas", "su"}

# A protected branch is rewritten or removed.
deny contains {
    "rule": "protected-branch",
    "message": sprintf("`%s` would rewrite or remove `%s`, a protected branch", [effect.operation, effect.target]),
    "remedy": "push a branch of your own and open a pull request",
} if {
    some effect in input.analysis.effects
    startswith(effect.operation, "git.push.")
    effect.target in protected_branches
}

# A command runs with the rights of another user.
ask contains {
    "rule": "elevated",
    "message": sprintf("`%s` runs with the rights of another user", [command.argv[0]]),
    "remedy": sprintf("run it without `%s`", [via.kind]),
} if {
    some command in input.analysis.commands
    some via in command.via
    via.kind in elevators
}

# A private key stands in the text of a file.
deny contains {
    "rule": "private-key",
    "message": "the text holds a private key",
    "remedy": "refer to the key by its path",
} if {
    some key in ["content", "new_string", "new_source"]
    contains(object.get(input.input, key, ""), "PRIVATE KEY-----")
}

# A command cannot be followed to its end.
ask contains {
    "rule": "unclear",
    "message": "the command cannot be followed to its end",
    "remedy": "write it without names that are known only at run time",
} if {
    input.tool == "Bash"
    input.analysis.coverage != "complete"
}
