//! Requests that affect other people or a shared service: a message, a payment, a deployment, or a change at a forge or
//! in a cloud account.
//!
//! Programs with the same effects are in the tables in `programs/`. A request is recognized by its host and the parts
//! of its path.

use super::foreign_secrets::host_of;
use crate::draft::Draft;

/// Starts of URLs to which a request with a body sends a message to people, and a later part of each URL. Chat webhooks
/// aren't included, because they are meant for notifications from programs.
const MESSAGES: &[(&str, &str)] = &[
    ("slack.com/api/chat.", ""),
    ("slack.com/api/files.upload", ""),
    (TELEGRAM, "/send"),
    ("api.twilio.com/", "/Messages"),
    ("api.twilio.com/", "/Calls"),
    ("api.sendgrid.com/v3/mail/send", ""),
    ("api.resend.com/emails", ""),
    ("api.postmarkapp.com/email", ""),
    ("api.mailgun.net/", "/messages"),
    ("api.eu.mailgun.net/", "/messages"),
    ("api.brevo.com/v3/smtp/email", ""),
    ("api.mailjet.com/", "/send"),
    ("mandrillapp.com/api/", "/send"),
    ("gmail.googleapis.com/", "/send"),
    ("graph.microsoft.com/", "/sendMail"),
    ("graph.facebook.com/", "/messages"),
    ("discord.com/api/", "/messages"),
    ("api.twitter.com/2/tweets", ""),
    ("api.x.com/2/tweets", ""),
    ("api.linkedin.com/", "/posts"),
    ("api.linkedin.com/", "/ugcPosts"),
    ("events.pagerduty.com/", "/enqueue"),
    ("api.vonage.com/", "/messages"),
    ("rest.nexmo.com/sms", ""),
];

/// The URL of this service can also contain the message.
const TELEGRAM: &str = "api.telegram.org/bot";

/// Hosts that move money.
const PAYMENTS: &[&str] = &[
    "api-m.paypal.com",
    "api.adyen.com",
    "api.binance.com",
    "api.braintreegateway.com",
    "api.circle.com",
    "api.coinbase.com",
    "api.gocardless.com",
    "api.kraken.com",
    "api.mollie.com",
    "api.paypal.com",
    "api.razorpay.com",
    "api.stripe.com",
    "api.transferwise.com",
    "api.wise.com",
    "connect.squareup.com",
];

/// Path segments on such a host for logins, price quotes and tests.
const NO_PAYMENT: &[&str] = &["oauth2", "oauth", "token", "tokens", "test_helpers", "quotes", "public"];

/// Hosts and path prefixes that manage accounts at hosting platforms and clouds.
const ACCOUNTS: &[&str] = &[
    "api.buildkite.com/",
    "api.cloudflare.com/client/",
    "api.digitalocean.com/",
    "api.dnsimple.com/",
    "api.fastly.com/",
    "api.godaddy.com/",
    "api.heroku.com/",
    "api.hetzner.cloud/",
    "api.linode.com/",
    "api.machines.dev/",
    "api.netlify.com/",
    "api.planetscale.com/",
    "api.pulumi.com/",
    "api.render.com/",
    "api.scaleway.com/",
    "api.supabase.com/",
    "api.turso.tech/",
    "api.vercel.com/",
    "api.vultr.com/",
    "app.terraform.io/api/",
    "circleci.com/api/",
    "console.neon.tech/api/",
    "dns.hetzner.com/api/",
    "management.azure.com/",
];

/// Starts of the URLs of GraphQL services, in which each request has a body.
const GRAPHS: &[&str] = &[
    "api.cloudflare.com/client/",
    "api.fly.io/",
    "api.github.com/",
    "api.linear.app/",
    "api.monday.com/",
    "backboard.railway.app/",
    "backboard.railway.com/",
    "gitlab.com/",
];

/// Returns the effect of a GraphQL mutation without a removal. `body` is in lower case.
pub(super) fn mutation(url: &str, body: &str) -> Option<Draft> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let start = GRAPHS.iter().find(|start| rest.starts_with(**start))?;
    let (_, fields) = body.split_once("mutation").filter(|(_, fields)| fields.contains('{'))?;
    let draft = match *start {
        "api.github.com/" => Draft::notable("vcs", "github.change"),
        "gitlab.com/" => Draft::notable("vcs", "gitlab.change"),
        _ if fields.contains("deploy") => Draft::notable("cloud", "cloud.deploy"),
        _ => Draft::notable("cloud", "cloud.change"),
    };
    Some(draft.target(url))
}

/// Path segments on such a host for requests with a body that only read: a query, a model's answer, a login.
const ASKS: &[&str] = &["graphql", "ai", "query", "search", "validate", "verify", "oauth", "token", "markdown"];

/// Path segments of deployment hooks. Any request to one starts a deployment.
const HOOKS: &[&str] = &["build_hooks", "deploy", "deploy-hook", "deploy-hooks", "deploy_hooks", "redeploy"];

/// Path segments of documentation about such hooks.
const PAGES: &[&str] = &["docs", "guide", "guides"];

/// Ends of paths to which a request with a body starts a pipeline or a deployment.
const STARTS: &[&str] = &[
    "buildWithParameters",
    "builds",
    "dagRuns",
    "deploy",
    "deployments",
    "deploys",
    "dispatches",
    "pipeline",
    "promote",
    "redeploy",
    "rollback",
    "rollout",
];

/// Query parameters that authorize a hook without further credentials.
const KEYS: &[&str] = &["key=", "secret=", "token=", "uuid="];

/// Prefixes of test keys, with which no money moves.
const TEST_KEYS: &[&str] = &["rk_test_", "sk_test_"];

/// Options with a key as their value.
const LOGINS: &[&str] = &["-a", "--auth", "-u", "--user", "--oauth2-bearer"];

/// Returns whether all keys among a call's words are test keys.
pub(super) fn has_test_key<'w>(words: impl Iterator<Item = &'w str>) -> bool {
    let mut before = "";
    let mut keys = words.filter_map(|word| {
        let option = std::mem::replace(&mut before, word);
        let joined = word.split_once('=').filter(|(option, _)| LOGINS.contains(option)).map(|(_, value)| value);
        let short = || word.strip_prefix("-u").filter(|value| !value.is_empty());
        let given = || LOGINS.contains(&option).then_some(word);
        joined.or_else(short).or_else(given).or_else(|| bearer(word))
    });
    let is_test = |key: &str| TEST_KEYS.iter().any(|start| key.starts_with(start));
    keys.next().is_some_and(is_test) && keys.all(is_test)
}

/// Returns the key in a header: `Authorization: Bearer KEY`.
fn bearer(word: &str) -> Option<&str> {
    let word = word.strip_prefix("-H").or_else(|| word.strip_prefix("--header=")).unwrap_or(word).trim_start();
    let (_, value) = word.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("authorization"))?;
    let value = value.trim_start();
    Some(value.strip_prefix("Bearer ").unwrap_or(value).trim_start())
}

/// Returns the effect of a request on people or on a shared service. `changes`: it has a body, or a method that changes
/// something. `is_test`: its key is a test key.
pub(crate) fn effect(url: &str, changes: bool, is_test: bool) -> Option<Draft> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let is_message = |(start, later): &(&str, &str)| {
        (changes || *start == TELEGRAM) && rest.strip_prefix(start).is_some_and(|path| path.contains(later))
    };
    if MESSAGES.iter().any(is_message) {
        return Some(Draft::notable("cloud", "message.send").target(url));
    }
    let host = host_of(url)?;
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.split('#').next().unwrap_or_default().trim_end_matches('/');
    let parts = path.split('/').skip(1);
    let has = |known: &[&str]| parts.clone().any(|part| known.contains(&part));
    let opens = query.split('&').any(|pair| KEYS.iter().any(|key| pair.starts_with(key)));
    let is_page = host.starts_with("docs.") || has(PAGES);
    let is_hook = ["api.", "hooks."].iter().any(|start| host.starts_with(start)) || has(&["api"]);
    if has(HOOKS) && !is_page && (changes || opens && is_hook) {
        return Some(Draft::notable("cloud", "cloud.deploy").target(url));
    }
    // A request to this URL also starts a Jenkins build.
    let is_job = parts.clone().any(|part| part == "job") && path.ends_with("/build");
    if is_job && (changes || opens) {
        return Some(Draft::notable("cloud", "cloud.deploy").target(url));
    }
    if !changes {
        return None;
    }
    if PAYMENTS.contains(&host.as_str()) || path.ends_with("/v1/refunds") {
        let moves = !is_test && !has(NO_PAYMENT);
        return moves.then(|| Draft::notable("cloud", "payment.change").target(url));
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    let asks = has(ASKS);
    if STARTS.contains(&last) && path.contains('/') {
        return Some(Draft::notable("cloud", "cloud.deploy").target(url));
    }
    let is_account = ACCOUNTS.iter().any(|start| rest.starts_with(start));
    match host.as_str() {
        _ if asks => None,
        "api.github.com" => Some(Draft::notable("vcs", "github.change").target(url)),
        _ if path.contains("/api/v4/projects/") || path.contains("/api/v4/groups/") => {
            Some(Draft::notable("vcs", "gitlab.change").target(url))
        }
        _ => is_account.then(|| Draft::notable("cloud", "cloud.change").target(url)),
    }
}

#[cfg(test)]
mod tests {
    use super::{effect, has_test_key};

    fn operation(url: &str, changes: bool) -> Option<&'static str> {
        effect(url, changes, false).map(|draft| draft.operation)
    }

    #[test]
    fn an_address_says_that_people_get_a_message() {
        for url in ["https://slack.com/api/chat.postMessage", "https://api.telegram.org/bot1:a/sendPhoto"] {
            assert_eq!(operation(url, true), Some("message.send"), "{url}");
        }
        assert_eq!(operation("https://api.telegram.org/bot1:a/sendMessage?text=x", false), Some("message.send"));
        for url in [
            "https://hooks.slack.com/services/T/B/x",
            "https://api.telegram.org/bot1:a/getMe",
            "https://hooks.slack.com.example.org/x",
            "https://slack.com",
        ] {
            assert_eq!(operation(url, true), None, "{url}");
        }
    }

    #[test]
    fn a_deployment_is_started_by_a_hook_or_by_the_end_of_an_address() {
        for url in [
            "https://api.netlify.com/build_hooks/5f3a",
            "https://api.vercel.com/v1/integrations/deploy/prj_a/b",
            "https://circleci.com/api/v2/project/gh/a/b/pipeline",
            "https://api.github.com/repos/a/b/actions/workflows/x.yml/dispatches",
            "https://ci.example.org/job/a/build",
            "https://airflow.example.org/api/v1/dags/a/dagRuns",
        ] {
            assert_eq!(operation(url, true), Some("cloud.deploy"), "{url}");
            assert_eq!(operation(url, false), None, "{url}");
        }
        assert_eq!(operation("https://api.render.com/deploy/srv-a?key=b", false), Some("cloud.deploy"));
        assert_eq!(operation("https://ci.example.org/job/a/build?token=b", false), Some("cloud.deploy"));
        for url in [
            "http://localhost:8080/deploy",
            "https://api.example.org/deployers",
            "https://example.org/api/items",
            "http://127.0.0.1:8080/job/a/build",
            "https://example.org/docs/deploy/start",
        ] {
            assert_eq!(operation(url, true), None, "{url}");
        }
        for url in ["https://docs.example.org/deploy?token=a", "https://example.org/guide/deploy?key=intro"] {
            assert_eq!(operation(url, false), None, "{url}");
        }
    }

    #[test]
    fn a_change_at_a_forge_a_bank_or_a_cloud_is_known_by_the_host() {
        for (url, expected) in [
            ("https://api.github.com/repos/a/b/issues/1/comments", Some("github.change")),
            ("https://git.example.org/api/v4/projects/1/issues", Some("gitlab.change")),
            ("https://api.digitalocean.com/v2/droplets", Some("cloud.change")),
            ("https://api.coinbase.com/v2/accounts/a/transactions", Some("payment.change")),
            ("https://api-m.paypal.com/v1/oauth2/token", None),
            ("https://api.github.com/graphql", None),
            ("https://api.cloudflare.com/client/v4/accounts/a/ai/run/b", None),
        ] {
            assert_eq!(operation(url, true), expected, "{url}");
            assert_eq!(operation(url, false), None, "{url}");
        }
        for url in ["https://api.stripe.com/v1/refunds", "https://pay.example.org/v1/refunds"] {
            assert_eq!(operation(url, true), Some("payment.change"), "{url}");
            assert!(effect(url, true, true).is_none(), "{url}");
            assert_eq!(operation(url, false), None, "{url}");
        }
    }

    #[test]
    fn only_a_key_can_be_for_tests() {
        for words in [&["-u", "sk_test_1:"][..], &["-usk_test_1:"], &["-H", "Authorization: Bearer rk_test_1"]] {
            assert!(has_test_key(words.iter().copied()), "{words:?}");
        }
        for words in [
            &["-u", "sk_live_1:", "-o", "sk_test_1"][..],
            &["-u", "$KEY:", "-d", "metadata[a]=sk_test_1"],
            &["-u", "sk_test_1:", "-u", "$KEY:"],
            &["-H", "X-Note: sk_test_1"],
            &[],
        ] {
            assert!(!has_test_key(words.iter().copied()), "{words:?}");
        }
    }
}
