//! Requests that delete or stop something on a server, according to their method, URL or body. `outward` handles
//! requests that affect other people.

use super::{changes, outward};
use crate::draft::Draft;
use crate::programs::scripts;
use crate::run::Run;

/// Verbs of removal, as the first or last word of a URL's last segment.
const VERBS: [&str; 7] = ["delete", "destroy", "erase", "purge", "remove", "truncate", "wipe"];

/// Ends of URLs that stop or lock a server or remove it from its cluster.
const STOPS: [&str; 8] = [
    "/_close",
    "/_shutdown",
    "/actuator/shutdown",
    "/agent/leave",
    "/quitquitquit",
    "/sys/seal",
    "/sys/step-down",
    "/-/quit",
];

/// The maximum length of a URL or body that is examined, in bytes.
const LONGEST: usize = 64 * 1024;

/// Adds the effects of a request's method and URL. `sends`: it has a body, or a method that changes something.
pub(super) fn by_address(run: &mut Run<'_>, method: &str, sends: bool, url: &str) {
    if let Some((_, query)) = url.split_once("query=") {
        let query = query.split('&').next().unwrap_or_default();
        scripts::perhaps_sql(run, "http", &query.replace("%20", " ").replace("%3B", ";").replace('+', " "));
    }
    let sends = sends || ["POST", "PUT", "PATCH"].iter().any(|known| method.eq_ignore_ascii_case(known));
    let is_delete = method.eq_ignore_ascii_case("DELETE") || url.contains("_delete_by_query");
    let path = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let stops = STOPS.iter().any(|end| path.ends_with(end)) || path.contains("/agent/force-leave/");
    if is_delete || sends && (says_removal(url) || stops) {
        run.emit(Draft::destructive("network", "http.delete").target(url));
    } else {
        let is_test = outward::has_test_key(run.arguments().iter().map(|word| word.text.as_str()));
        let outward = outward::effect(url, sends, is_test);
        let draft = outward.or_else(|| changes::effect(method, url, run.arguments()));
        draft.into_iter().for_each(|draft| run.emit(draft));
    }
}

/// Returns whether the last segment of a URL suggests a removal: `/v1/apps/7/delete`, `/admin/delete_series`.
pub(in crate::programs) fn says_removal(url: &str) -> bool {
    let url = url.get(..url.len().min(LONGEST)).unwrap_or(url);
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let Some((_, last)) = path.rsplit_once('/') else { return false };
    let mut words = words(last);
    let first = words.next();
    let last = words.last();
    first.into_iter().chain(last).any(|word| VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb)))
}

/// Splits a name into words at any separator: `delete-batch`, `delete_series`, `batchDelete`.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|char: char| !char.is_ascii_alphabetic());
        let mut before = ' ';
        let end = rest.find(|char: char| {
            let ends = !char.is_ascii_alphabetic() || char.is_ascii_uppercase() && before.is_ascii_lowercase();
            before = char;
            ends
        });
        let (word, behind) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = behind;
        (!word.is_empty()).then_some(word)
    })
}

/// Adds the effects that a body requests: a mutation that deletes, a Solr deletion, or statements for a database that
/// speaks HTTP.
pub(super) fn by_body(run: &mut Run<'_>, text: &str, url: &str) {
    let text = text.get(..text.len().min(LONGEST)).unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    if url.contains("api.github.com/repos/") {
        let bare = lower.replace(char::is_whitespace, "");
        let fields = ["\"private\":false", "\"archived\":true", "\"visibility\":\"public\""];
        if fields.iter().any(|field| bare.contains(field)) {
            let loses = "nothing yet: everyone could read the repository, or no one could change it";
            run.emit(Draft::destructive("cloud", "cloud.access.change").target(url).tag("loses", loses));
        }
    }
    let takes_away =
        ["delete", "remove", "destroy", "purge", "drop", "truncate"].iter().any(|verb| lower.contains(verb));
    if !takes_away {
        outward::mutation(url, &lower).into_iter().for_each(|draft| run.emit(draft));
        return;
    }
    // A field whose name is a deletion: `{"drop_all": true}`.
    let is_field = |name: &&str| lower.contains(&format!("\"{name}\""));
    if ["drop_all", "drop_attr", "drop_op", "delete_all", "purge_all"].iter().any(is_field)
        || lower.contains("mutation") && lower.contains('{')
        || lower.trim_start().starts_with("<delete>")
        || url.contains("/tx") && lower.contains("\"statement\"")
    {
        run.emit(Draft::destructive("network", "http.delete").target(url));
        return;
    }
    // `q=DROP DATABASE x` is a form field.
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let statement = text.split_once('=').filter(|(name, _)| is_name(name)).map_or(text, |(_, value)| value);
    scripts::perhaps_sql(run, "http", statement);
}

#[cfg(test)]
mod tests {
    use super::says_removal;

    #[test]
    fn an_address_says_removal_by_its_last_part() {
        for url in [
            "https://a.io/v1/apps/7/delete",
            "http://a/api/admin/delete_series?match[]=x",
            "https://a.io/docs/delete-batch",
            "https://a.io/zones/1/purge_cache",
            "https://a.io/users/batchDelete/",
            "a.io:443/shop.Orders/PurgeAll",
        ] {
            assert!(says_removal(url), "{url}");
        }
        for url in [
            "https://a.io/undelete",
            "https://delete.io",
            "https://a.io/delete/restore",
            "https://a.io/posts/how-to-delete-it",
            "https://a.io/x?delete=1",
        ] {
            assert!(!says_removal(url), "{url}");
        }
    }
}
