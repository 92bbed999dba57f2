//! Names that are put together from known ones: `scriptContent`, `sql_statements`, a tool that is called `azure_cli`.

/// Programs that tools are named after, whose words such a tool is given without the program's name.
const PROGRAMS: &[&str] = &[
    "aws",
    "az",
    "docker",
    "doctl",
    "firebase",
    "flyctl",
    "gcloud",
    "gh",
    "git",
    "glab",
    "helm",
    "heroku",
    "kubectl",
    "npm",
    "oc",
    "podman",
    "psql",
    "pulumi",
    "railway",
    "supabase",
    "terraform",
    "tofu",
    "vault",
    "vercel",
    "wrangler",
];

/// Services whose program has another name, as a tool for the program may call them.
const SERVICES: &[(&str, &str)] = &[
    ("azure", "az"),
    ("gcp", "gcloud"),
    ("github", "gh"),
    ("gitlab", "glab"),
    ("kubernetes", "kubectl"),
    ("opentofu", "tofu"),
    ("openshift", "oc"),
];

/// The program that a tool with these words in its name runs.
pub(super) fn program_of_tool(tool: &[String]) -> Option<&'static str> {
    let is_word = |name: &str| tool.iter().any(|word| word == name);
    let named = PROGRAMS.iter().find(|program| is_word(program)).copied();
    let is_client = is_word("cli") || is_word("command");
    named.or_else(|| SERVICES.iter().find(|(service, _)| is_client && is_word(service)).map(|(_, program)| *program))
}

/// Endings that only say that an argument is a text.
const ENDINGS: &[&str] = &["contents", "content", "text", "body", "source", "string", "block", "input", "lines"];

/// Languages of statements that an argument's name begins with.
const LANGUAGES: &[&str] = &["sql", "cql", "ddl", "dml"];

/// Returns the known name that a [normalized](super::names::normalize) name is made of.
pub(super) fn stem(name: &str) -> Option<&str> {
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).filter(|stem| stem.len() > 2);
    let plural = || name.strip_suffix('s').filter(|stem| stem.len() > 3 && !stem.ends_with('s'));
    let language = || LANGUAGES.iter().find(|language| name.len() > language.len() && name.starts_with(**language));
    language().copied().or(stem).or_else(plural)
}

/// The program for the statements of a tool with these words in its name.
pub(super) fn statement_program(tool: &[String], argument: &str) -> &'static str {
    let is_word = |names: &[&str]| tool.iter().any(|word| names.contains(&word.as_str()));
    if argument.starts_with("cql") || is_word(&["cassandra", "scylla", "scylladb"]) { "cqlsh -e" } else { "psql -c" }
}

/// Returns whether a path looks like that of a folder of a person's home: it is directly below the home, and its name
/// has no extension.
pub(super) fn names_folder(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let of_user = || ["/home/", "/Users/"].iter().find_map(|homes| path.strip_prefix(homes)?.split_once('/'));
    let Some(name) = path.strip_prefix("~/").or_else(|| of_user().map(|(_, name)| name)) else { return false };
    let is_file = name.contains('.') || name.ends_with("file") || !name.contains(|c: char| c.is_ascii_lowercase());
    !name.contains('/') && !is_file
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{names_folder, stem};
    use crate::call::ToolCall;
    use crate::readings::of;

    fn commands(tool: &str, input: &Value) -> Vec<String> {
        let call = ToolCall::new(tool, input.as_object().unwrap().clone());
        let text = |input: &serde_json::Map<String, Value>| Some(input.get("command")?.as_str()?.to_owned());
        of(&call, &[]).all.iter().filter_map(|reading| text(&reading.call.input)).collect()
    }

    #[test]
    fn a_tool_for_a_program_gets_its_words_in_one_text() {
        for (tool, input, command) in [
            ("mcp__kubectl__kubectl", json!({ "args": "delete ns x" }), "kubectl delete ns x"),
            ("mcp__azure__azure_cli", json!({ "args": "group delete -n x" }), "az group delete -n x"),
            ("mcp__git__git", json!({ "arguments": "push --force" }), "git push --force"),
            ("mcp__helm__helm", json!({ "params": ["uninstall", "a b"] }), "helm uninstall 'a b'"),
            ("mcp__hub__github_cli", json!({ "args": "repo delete a/b" }), "gh repo delete a/b"),
        ] {
            assert!(
                commands(tool, &input).iter().any(|found| found == command),
                "{tool}: {:?}",
                commands(tool, &input)
            );
        }
        for (tool, input) in [
            ("mcp__azure__list_groups", json!({ "args": "x" })),
            ("mcp__notes__search", json!({ "args": "delete ns x" })),
        ] {
            assert_eq!(commands(tool, &input), [""; 0], "{tool}");
        }
    }

    #[test]
    fn a_path_without_an_extension_is_a_folder() {
        assert!(names_folder("/home/u/Documents") && names_folder("~/photos/"));
        assert!(
            !["/repo/a.ts", "/repo/LICENSE", "/repo/Makefile", "src", "/repo/.env"]
                .iter()
                .any(|path| names_folder(path))
        );
    }

    #[test]
    fn names_that_are_put_together_mean_what_their_parts_mean() {
        for (name, known) in [
            ("scriptcontent", "script"),
            ("scripttext", "script"),
            ("sqlstatements", "sql"),
            ("cqlquery", "cql"),
            ("codeblock", "code"),
        ] {
            assert_eq!(stem(name), Some(known), "{name}");
        }
        for (tool, input, command) in [
            ("mcp__shell__run", json!({ "scriptContent": "ls a" }), "ls a"),
            ("mcp__db__query", json!({ "sql_statements": ["DROP TABLE a"] }), "psql -c 'DROP TABLE a'"),
            ("mcp__db__run", json!({ "params": { "sqlStatements": ["DROP TABLE a"] } }), "psql -c 'DROP TABLE a'"),
            ("mcp__cassandra__execute", json!({ "cql": "DROP KEYSPACE a" }), "cqlsh -e 'DROP KEYSPACE a'"),
            ("mcp__db__run", json!({ "migration": "DROP TABLE a;" }), "psql -c 'DROP TABLE a;'"),
            ("mcp__jupyter__append_cell", json!({ "cell_source": "%rm -r a" }), "rm -r a"),
        ] {
            assert!(
                commands(tool, &input).iter().any(|found| found == command),
                "{tool}: {:?}",
                commands(tool, &input)
            );
        }
        for (tool, input) in [
            ("mcp__notes__add", json!({ "noteText": "rm a", "migration": "from v1 to v2" })),
            ("mcp__docs__write", json!({ "description": "drop table a", "bodyText": "rm a" })),
            ("mcp__jupyter__append_cell", json!({ "cell_source": "%matplotlib inline\n%time x" })),
        ] {
            let found = commands(tool, &input);
            assert!(found.iter().all(|command| command.starts_with("python3")), "{tool}: {found:?}");
        }
    }
}
