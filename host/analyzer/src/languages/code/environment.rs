//! Detects code that prints the whole environment.

/// The maximum length of an examined text in bytes.
const LONGEST: usize = 64 * 1024;

/// The maximum number of examined matches of one kind.
const PLACES: usize = 64;

/// Expressions for the whole environment.
const ENVIRONMENTS: &[&str] = &[
    "os.environ",
    // In two pieces, because it would look like the name of an operation.
    concat!("process", ".env"),
    "Bun.env",
    "Deno.env.toObject()",
    "ENV",
    "getenv()",
    "$_ENV",
    "%ENV",
    "System.getenv()",
];

/// Calls that return the variables in a file such as `.env`.
const LOADED: &[&str] = &[
    "dotenv_values(",
    "dotenv.dotenv_values(",
    "Dotenv.load(",
    "Dotenv.overload(",
    "Dotenv.parse(",
    "Dotenv.load",
    "Dotenv.parse",
    "dotenv.config(",
    "require('dotenv').config(",
    "require(\"dotenv\").config(",
];

/// Calls that convert their argument. The parenthesis is open.
const FORMS: &[&str] = &[
    "dict(",
    "str(",
    "repr(",
    "json.dumps(",
    "pformat(",
    "JSON.stringify(",
    "inspect(",
    "Object.entries(",
    "json_encode(",
    "Dumper(",
    "JSON.pretty_generate(",
    "structuredClone(",
];

/// Methods that convert their object.
const METHODS: &[&str] = &[".items()", ".copy()", ".to_h", ".to_a", ".inspect", ".to_json", ".sort"];

/// Calls that print their argument.
const PRINTS: &[&str] = &[
    "print(",
    "print",
    "console.log(",
    "console.dir(",
    "console.table(",
    "console.error(",
    "process.stdout.write(",
    "puts",
    "puts(",
    "echo",
    "print_r(",
    "var_dump(",
    "var_export(",
    "sys.stdout.write(",
];

/// The start of a loop over the environment, and the calls in it that show a value.
const LOOPS: &[(&str, &[&str])] = &[
    ("inos.environ.items()", &["print("]),
    ("inos.environ", &["os.environ["]),
    ("inprocess.env)", &["process.env["]),
    ("Object.entries(process.env)", &["console.log("]),
    ("keys%ENV", &["$ENV{$"]),
    ("each%ENV", &["print"]),
    ("ENV.each", &["puts", "print"]),
    ("foreach(getenv()as", &["echo", "print"]),
    ("foreach($_ENVas", &["echo", "print"]),
    ("inENVIRON)", &["ENVIRON["]),
];

/// Returns whether the text prints all environment variables with their values.
pub(crate) fn is_printed(text: &str) -> bool {
    if !text.to_ascii_lowercase().contains("env") {
        return false;
    }
    let code: String = text.chars().filter(|char| !char.is_whitespace()).take(LONGEST).collect();
    let whole = |expression: &&str| {
        let mut places = code.match_indices(*expression).take(PLACES);
        places.any(|(at, _)| {
            let before = code.get(..at).unwrap_or_default();
            let after = code.get(at + expression.len()..).unwrap_or_default();
            is_whole(before, after) && reaches_a_print(before)
        })
    };
    let looped = |(start, shows): &(&str, &[&str])| {
        code.contains(start)
            && shows.iter().any(|shown| is_shown(&code, shown))
            && PRINTS.iter().any(|print| code.contains(print))
    };
    let loaded = |call: &&str| {
        let mut places = code.match_indices(*call).take(PLACES);
        places.any(|(at, _)| {
            let after = code.get(at + call.len()..).unwrap_or_default();
            let after = if call.ends_with('(') { after.split_once(')').map_or("", |(_, after)| after) } else { after };
            let is_name = [".keys", ".length", ".size"].iter().any(|name| after.starts_with(name));
            let before = code.get(..at).unwrap_or_default();
            // A separate statement usually loads the variables.
            let is_value = after.starts_with(".parsed") || !before.is_empty() && !before.ends_with([';', '{', '}']);
            !is_name && is_value && !after.starts_with('(') && reaches_a_print(before)
        })
    };
    ENVIRONMENTS.iter().any(whole) || LOOPS.iter().any(looped) || LOADED.iter().any(loaded)
}

/// Calls that send their argument to an address.
const SENDS: &[&str] = &[
    "fetch(",
    "requests.post(",
    "requests.put(",
    "httpx.post(",
    "urlopen(",
    "axios.post(",
    "axios(",
    ".request(",
    "http.post(",
    "http.post_form(",
    "Net::HTTP.post",
    "webbrowser.open(",
];

/// Returns whether the text sends all environment variables to an address, or opens an address that contains a
/// variable.
pub(crate) fn is_sent(text: &str) -> bool {
    if !text.contains("://") || !SENDS.iter().any(|call| text.contains(call)) {
        return false;
    }
    let code: String = text.chars().filter(|char| !char.is_whitespace()).take(LONGEST).collect();
    let near = ["//localhost", "//127.0.0.1"].iter().any(|host| code.contains(host));
    let whole = |expression: &&str| {
        let mut places = code.match_indices(*expression).take(PLACES);
        places.any(|(at, _)| {
            let before = code.get(..at).unwrap_or_default();
            let rest = code.get(at + expression.len()..).unwrap_or_default();
            is_whole(before, rest) && is_given(before)
        })
    };
    let opened = || {
        let behind = code.split_once("webbrowser.open(").map_or("", |(_, behind)| behind);
        let argument = behind.split(';').next().unwrap_or_default();
        ["os.environ[", "os.environ.get(", "os.getenv("].iter().any(|read| argument.contains(read))
    };
    !near && (ENVIRONMENTS.iter().any(whole) || opened())
}

/// Returns whether the text before the expression makes it an argument of a call, such as a body, and not a child's
/// environment.
fn is_given(before: &str) -> bool {
    let mut before = before;
    while let Some(rest) = FORMS.iter().find_map(|form| before.strip_suffix(form)) {
        before = rest;
    }
    const TAKES: &[&str] = &["body:", "data=", "json=", "data:", "urlencode(", "content=", ".encode("];
    TAKES.iter().any(|sign| before.ends_with(sign))
        || SENDS.iter().any(|call| before.rsplit(';').next().is_some_and(|last| last.contains(call)))
            && before.ends_with(',')
}

/// Returns whether a loop shows a value. A quoted name is that of one variable.
fn is_shown(text: &str, shown: &str) -> bool {
    let mut rests = text.match_indices(shown).take(PLACES).filter_map(|(at, _)| text.get(at + shown.len()..));
    rests.any(|rest| !shown.ends_with('[') || !rest.starts_with(['"', '\'']))
}

/// Returns whether the expression is a complete name, and no member of it is used.
fn is_whole(before: &str, after: &str) -> bool {
    let begins = !before.ends_with(['$', '.', '_']);
    let after = METHODS.iter().find_map(|method| after.strip_prefix(method)).unwrap_or(after);
    begins && (after.is_empty() || after.starts_with([')', ',', ';', '}', '|']))
}

/// Returns whether the text before the expression prints it: a call, possibly with conversions in between. The value of
/// the whole text is also printed.
fn reaches_a_print(before: &str) -> bool {
    let mut before = before;
    while let Some(rest) = FORMS.iter().find_map(|form| before.strip_suffix(form)) {
        before = rest.strip_suffix("pprint.").or_else(|| rest.strip_suffix("util.")).unwrap_or(rest);
    }
    let statement = before.rsplit([';', '{', '}']).next().unwrap_or_default();
    matches!(statement, "" | "p" | "pp" | "p(" | "pp(") && !before.ends_with(['{', '}'])
        || PRINTS.iter().any(|print| before.ends_with(print))
}

#[cfg(test)]
mod tests {
    use super::is_printed;

    #[test]
    fn the_whole_environment_is_printed_in_many_forms() {
        for text in [
            "import os; print(os.environ)",
            "import os, json\nprint(json.dumps(dict(os.environ), indent=2))",
            "for k, v in os.environ.items():\n    print(k, v)",
            " process.env",
            "console.log(JSON.stringify(process.env, null, 2))",
            "puts ENV.to_h",
            "p ENV",
            "print \"$_=$ENV{$_}\\n\" for keys %ENV",
            "foreach (sort keys %ENV) { print \"$_ $ENV{$_}\" }",
            "print_r(getenv());",
            "BEGIN { for (k in ENVIRON) print k, ENVIRON[k] }",
        ] {
            assert!(is_printed(text), "{text}");
        }
    }

    #[test]
    fn a_part_of_it_or_its_names_are_something_else() {
        for text in [
            "print(os.environ['HOME'])",
            "print(os.environ.get('HOME'))",
            "print(len(os.environ))",
            "print('CI' in os.environ)",
            "print(sorted(os.environ))",
            "subprocess.run(['ls'], env=os.environ)",
            "env = dict(os.environ); run(env)",
            "process.env.PATH",
            "!!process.env.CI",
            "console.log(Object.keys(process.env))",
            "spawn('x', { env: process.env }); console.log('done')",
            "puts ENV['HOME']",
            "print $ENV{HOME}",
            "const NODE_ENV = 1; console.log(NODE_ENV)",
        ] {
            assert!(!is_printed(text), "{text}");
        }
    }
}
