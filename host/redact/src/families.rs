//! The shapes of tokens issued by services.

/// The characters of a token after its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// Letters and digits.
    Alnum,
    /// Upper-case letters and digits.
    Upper,
    /// Exactly the given number of lowercase hexadecimal digits, followed by no other letter or digit.
    Hex,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Like `Url`, with a run of at least 16 letters and digits, because the prefix also begins ordinary names.
    Row,
    /// Letters, digits, `_`, `-`, `.`, `=`, `+` and `/`.
    Wide,
}

impl Body {
    pub(super) fn holds(self, byte: u8) -> bool {
        match self {
            Body::Alnum => byte.is_ascii_alphanumeric(),
            Body::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Body::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Body::Url | Body::Row => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Body::Wide => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'=' | b'+' | b'/'),
        }
    }
}

/// The shape of one kind of token: a prefix, and the minimum length of its body.
#[derive(Debug)]
pub(super) struct TokenFamily {
    pub(super) prefix: &'static str,
    pub(super) body: Body,
    pub(super) least: usize,
}

const fn family(prefix: &'static str, body: Body, least: usize) -> TokenFamily {
    TokenFamily { prefix, body, least }
}

use Body::{Alnum, Hex, Row, Upper, Url, Wide};

/// All families, sorted by prefix. A test checks the order.
#[rustfmt::skip]
pub(super) const FAMILIES: &[TokenFamily] = &[
    family("ABIA", Upper, 16),              // AWS, bearer token of STS
    family("ABSK", Wide, 60),               // AWS Bedrock
    family("ACCA", Upper, 16),              // AWS, context-specific credential
    family("AGE-SECRET-KEY-1", Upper, 40),  // age
    family("AIza", Url, 30),                // Google API
    family("AKIA", Upper, 16),              // AWS access key
    family("AKID", Alnum, 28),              // Tencent Cloud
    family("AQVN", Url, 30),                // Yandex Cloud
    family("ASIA", Upper, 16),              // AWS temporary access key
    family("ATATT3", Wide, 40),             // Atlassian
    family("ATBB", Alnum, 28),              // Bitbucket
    family("ATCTT3", Wide, 40),             // Atlassian
    family("CCIPAT_", Url, 20),             // CircleCI
    family("CFPAT-", Url, 40),              // Contentful
    family("EAAA", Url, 56),                // Square
    family("EZAK", Alnum, 40),              // EasyPost
    family("GOCSPX-", Url, 20),             // Google OAuth client
    family("GR1348941", Url, 20),           // GitLab runner registration
    family("HRKU-", Url, 30),               // Heroku
    family("LTAI", Alnum, 16),              // Alibaba Cloud
    family("NRAK-", Upper, 20),             // New Relic
    family("NRII-", Url, 20),               // New Relic
    family("NRJS-", Hex, 19),               // New Relic
    family("PMAK-", Url, 40),               // Postman
    family("PMAT-", Upper, 24),             // Postman
    family("SG.", Wide, 20),                // SendGrid
    family("SK", Hex, 32),                  // Twilio
    family("aio_", Alnum, 24),              // Adafruit
    family("api_org_", Alnum, 30),          // Hugging Face
    family("bkua_", Hex, 40),               // Buildkite
    family("cio", Alnum, 32),               // a registry of packages for Rust
    family("dapi", Hex, 32),                // Databricks
    family("dckr_oat_", Url, 20),           // Docker
    family("dckr_pat_", Url, 20),           // Docker
    family("discord.com/api/webhooks/", Wide, 40),
    family("discordapp.com/api/webhooks/", Wide, 40),
    family("doo_v1_", Alnum, 32),           // DigitalOcean
    family("dop_v1_", Alnum, 32),           // DigitalOcean
    family("dor_v1_", Alnum, 32),           // DigitalOcean
    family("dp.ct.", Alnum, 30),            // Doppler
    family("dp.pt.", Alnum, 30),            // Doppler
    family("dp.sa.", Alnum, 30),            // Doppler
    family("dp.st.", Wide, 30),             // Doppler
    family("dt0c01.", Wide, 40),            // Dynatrace
    family("dt0s01.", Wide, 40),            // Dynatrace
    family("duffel_live_", Url, 30),        // Duffel
    family("duffel_test_", Url, 30),        // Duffel
    family("eyJ", Wide, 20),                // JSON Web Token
    family("figd_", Url, 30),               // Figma
    family("fio-u-", Url, 40),              // Frame.io
    family("fm2_", Wide, 40),               // Fly.io
    family("fo1_", Url, 30),                // Fly.io
    family("gho_", Alnum, 20),              // GitHub OAuth
    family("ghp_", Alnum, 20),              // GitHub personal
    family("ghr_", Alnum, 20),              // GitHub refresh
    family("ghs_", Alnum, 20),              // GitHub server
    family("ghu_", Alnum, 20),              // GitHub user
    family("github_pat_", Url, 20),         // GitHub fine-grained
    family("glc_", Wide, 30),               // Grafana Cloud
    family("glcbt-", Url, 16),              // GitLab job
    family("gldt-", Url, 16),               // GitLab deploy
    family("glft-", Url, 16),               // GitLab feed
    family("gloas-", Url, 16),              // GitLab OAuth
    family("glpat-", Url, 16),              // GitLab personal
    family("glptt-", Url, 16),              // GitLab trigger
    family("glrt-", Url, 16),               // GitLab runner
    family("glsa_", Url, 30),               // Grafana service account
    family("glsoat-", Url, 16),             // GitLab SCIM
    family("gsk_", Alnum, 40),              // Groq
    family("hf_", Alnum, 20),               // Hugging Face
    family("hooks.slack.com/services/", Wide, 20),
    family("hvb.", Url, 24),                // Vault batch
    family("hvr.", Url, 24),                // Vault recovery
    family("hvs.", Url, 24),                // Vault service
    family("key-", Hex, 32),                // Mailgun
    family("lin_api_", Alnum, 32),          // Linear
    family("nfp_", Alnum, 30),              // Netlify
    family("npm_", Alnum, 30),              // npm
    family("ntn_", Alnum, 40),              // Notion
    family("nvapi-", Url, 40),              // NVIDIA
    family("ops_eyJ", Wide, 40),            // 1Password
    family("phx_", Alnum, 30),              // PostHog
    family("pnu_", Alnum, 30),              // Prefect
    family("pplx-", Alnum, 40),             // Perplexity
    family("pscale_oauth_", Wide, 30),      // PlanetScale
    family("pscale_pw_", Wide, 30),         // PlanetScale
    family("pscale_tkn_", Wide, 30),        // PlanetScale
    family("pul-", Hex, 40),                // Pulumi
    family("pypi-", Url, 30),               // PyPI
    family("r8_", Alnum, 36),               // Replicate
    family("rdme_", Alnum, 60),             // ReadMe
    family("rk_live_", Alnum, 16),          // Stripe restricted
    family("rk_test_", Alnum, 16),          // Stripe restricted
    family("rubygems_", Hex, 48),           // RubyGems
    family("sbp_", Hex, 40),                // Supabase
    family("secret_", Alnum, 40),           // Notion
    family("sgp_", Url, 40),                // Sourcegraph
    family("shippo_live_", Hex, 40),        // Shippo
    family("shippo_test_", Hex, 40),        // Shippo
    family("shpat_", Alnum, 20),            // Shopify
    family("shpca_", Alnum, 20),            // Shopify
    family("shppa_", Alnum, 20),            // Shopify
    family("shpss_", Alnum, 20),            // Shopify
    family("sk-", Row, 20),                 // OpenAI, Anthropic and others
    family("sk_live_", Alnum, 16),          // Stripe
    family("sk_test_", Alnum, 16),          // Stripe
    family("sl.", Url, 60),                 // Dropbox
    family("sntrys_", Wide, 40),            // Sentry
    family("sntryu_", Hex, 64),             // Sentry
    family("sq0atp-", Url, 22),             // Square
    family("sq0csp-", Url, 40),             // Square
    family("tfp_", Wide, 40),               // Typeform
    family("tskey-", Url, 20),              // Tailscale
    family("whsec_", Wide, 24),             // Stripe webhook
    family("xai-", Alnum, 40),              // xAI
    family("xapp-", Url, 20),               // Slack app
    family("xoxa-", Url, 10),               // Slack
    family("xoxb-", Url, 10),               // Slack bot
    family("xoxc-", Url, 10),               // Slack
    family("xoxd-", Wide, 10),              // Slack
    family("xoxe-", Url, 10),               // Slack
    family("xoxe.", Wide, 20),              // Slack
    family("xoxp-", Url, 10),               // Slack user
    family("xoxr-", Url, 10),               // Slack
    family("xoxs-", Url, 10),               // Slack
    family("ya29.", Url, 20),               // Google OAuth
];

/// The number of families whose prefix begins with a smaller byte, for each byte.
static SMALLER: [u8; 257] = count_smaller();

#[expect(clippy::indexing_slicing, reason = "runs when the program is built")]
const fn count_smaller() -> [u8; 257] {
    let mut counts = [0; 257];
    let mut byte = 0;
    while byte < 256 {
        let mut end = counts[byte] as usize;
        while end < FAMILIES.len() && FAMILIES[end].prefix.as_bytes()[0] as usize == byte {
            end += 1;
        }
        counts[byte + 1] = end as u8;
        byte += 1;
    }
    counts
}

/// Returns the families whose prefix begins with this byte.
pub(super) fn beginning_with(byte: u8) -> &'static [TokenFamily] {
    let count = |at: usize| SMALLER.get(at).copied().map_or(0, usize::from);
    FAMILIES.get(count(byte.into())..count(usize::from(byte) + 1)).unwrap_or_default()
}
