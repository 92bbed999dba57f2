//! The program that a package runner starts, by package name.

use guard_sdk::syntax::Word;

use crate::word::expand::literal;

/// Runners whose first operand is a package.
const RUNNERS: &[&str] =
    &["npx", "npm", "pnpx", "pnpm", "yarn", "bunx", "bun", "corepack", "uvx", "uv", "pipx", "deno", "dx"];

/// Packages whose program has another name.
const PROGRAMS: &[(&str, &str)] = &[
    ("@anthropic-ai/claude-code", "claude"),
    ("@augmentcode/auggie", "auggie"),
    ("@charmland/crush", "crush"),
    ("@github/copilot", "copilot"),
    ("@google/gemini-cli", "gemini"),
    ("@openai/codex", "codex"),
    ("@qwen-code/qwen-code", "qwen"),
    ("@sourcegraph/amp", "amp"),
    ("claude-code", "claude"),
    ("gemini-cli", "gemini"),
    ("opencode-ai", "opencode"),
];

/// Further ones, for other packages.
const TOOLS: &[(&str, &str)] = &[
    ("aws-cdk", "cdk"),
    ("awscli", "aws"),
    ("dotenv-cli", "dotenv"),
    ("awscliv2", "aws"),
    ("@aws-amplify/cli", "amplify"),
    ("@ionic/cli", "ionic"),
    ("@railway/cli", "railway"),
    ("@salesforce/cli", "sf"),
    ("@sanity/cli", "sanity"),
    ("@shopify/cli", "shopify"),
    ("@vercel/cli", "vercel"),
    ("@mikro-orm/cli", "mikro-orm"),
    ("@nestjs/cli", "nest"),
    ("@angular/cli", "ng"),
    ("@vue/cli", "vue"),
    ("@strapi/strapi", "strapi"),
    ("@netlify/cli", "netlify"),
    ("@cloudflare/wrangler", "wrangler"),
    ("@heroku/cli", "heroku"),
    ("@fly/cli", "fly"),
    ("@supabase/cli", "supabase"),
    ("@sentry/cli", "sentry-cli"),
    ("@google/clasp", "clasp"),
    ("@google-cloud/functions-framework", "functions-framework"),
    ("@azure/static-web-apps-cli", "swa"),
    ("@pulumi/pulumi", "pulumi"),
    ("@redwoodjs/cli", "rw"),
    ("@commitlint/cli", "commitlint"),
    ("@changesets/cli", "changeset"),
    ("@microsoft/rush", "rush"),
    ("@vscode/vsce", "vsce"),
    ("azure-cli", "az"),
    ("azure-functions-core-tools", "func"),
    ("cdktf-cli", "cdktf"),
    ("contentful-cli", "contentful"),
    ("copyfiles", "cp"),
    ("cpx", "cp"),
    ("cpx2", "cp"),
    ("cpy", "cp"),
    ("cpy-cli", "cp"),
    ("eas-cli", "eas"),
    ("expo-cli", "expo"),
    ("firebase-tools", "firebase"),
    ("gcloud-cli", "gcloud"),
    ("google-cloud-sdk", "gcloud"),
    ("heroku-cli", "heroku"),
    ("ncp", "cp"),
    ("netlify-cli", "netlify"),
    ("now", "vercel"),
    ("openstackclient", "openstack"),
    ("prisma-cli", "prisma"),
    ("python-openstackclient", "openstack"),
    ("sfdx-cli", "sfdx"),
    ("vercel-cli", "vercel"),
    ("ts-node-dev", "ts-node"),
    ("ansible-core", "ansible"),
    ("ansible-base", "ansible"),
    ("httpie", "http"),
    ("databricks-cli", "databricks"),
    ("snowflake-cli", "snow"),
    ("dbt-core", "dbt"),
    ("apache-airflow", "airflow"),
    ("oci-cli", "oci"),
];

/// Returns the program of a package, without its version.
pub(super) fn program(package: &str) -> &str {
    let package = package.strip_prefix("npm:").unwrap_or(package);
    // The first `@` belongs to a scope.
    let from = usize::from(package.starts_with('@'));
    let version = package.get(from..).and_then(|rest| rest.find(['@', '=', '<', '>', '~', '[']));
    let name = version.and_then(|at| package.get(..from + at)).filter(|name| !name.is_empty()).unwrap_or(package);
    PROGRAMS.iter().chain(TOOLS).find(|(known, _)| *known == name).map_or(name, |(_, program)| program)
}

/// Replaces the short name of a project generator with its package: `vite@5` with `create-vite@5`, and `@scope` with
/// `@scope/create`. `None` for a template on this machine or in a repository.
pub(super) fn replace_by_creator(words: &mut [Word]) -> Option<()> {
    let first = words.first_mut().filter(|first| !first.text.starts_with(['.', '/', '~']))?;
    if first.text.contains('/') && !first.text.starts_with('@') && !first.text.contains(':') {
        return None;
    }
    if !first.dynamic && !first.text.contains(char::is_whitespace) {
        *first = literal(&creator(&first.text));
    }
    Some(())
}

fn creator(package: &str) -> String {
    let (scope, name) = match package.split_once('/') {
        Some((scope, name)) if scope.starts_with('@') => (format!("{scope}/"), name),
        // A repository on a code host.
        Some(_) => return package.to_owned(),
        None => (String::new(), package),
    };
    if let Some(scope) = name.strip_prefix('@') {
        let (scope, version) = scope.split_at_checked(scope.find('@').unwrap_or(scope.len())).unwrap_or((scope, ""));
        return format!("@{scope}/create{version}");
    }
    let prefix = if name.starts_with("create-") { "" } else { "create-" };
    format!("{scope}{prefix}{name}")
}

/// Replaces a package with its program, if `runner` starts packages.
pub(super) fn replace(runner: &str, words: &mut [Word]) {
    let Some(first) = words.first_mut().filter(|first| RUNNERS.contains(&runner) && !first.dynamic) else { return };
    if first.text.starts_with(['.', '/', '~']) || first.text.contains(char::is_whitespace) {
        return;
    }
    let found = program(&first.text);
    if found != first.text {
        *first = literal(found);
    }
}

/// Returns the agent whose script is run by an interpreter: the path ends in its program, or contains its package.
pub(super) fn agent(file: &str) -> Option<&'static str> {
    let scoped = PROGRAMS.iter().filter(|(package, _)| package.starts_with('@'));
    let through = |package: &str| {
        file.split_once(package).is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(['/', '@']))
    };
    scoped.clone().find(|(package, _)| through(package)).map(|(_, program)| *program).or_else(|| {
        let name = file.rsplit_once('/')?.1;
        PROGRAMS.iter().find(|(_, program)| *program == name).map(|(_, program)| *program)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_started_by_the_name_of_its_program() {
        for (package, name) in [
            ("rimraf@5", "rimraf"),
            ("@openai/codex@latest", "codex"),
            ("npm:@openai/codex", "codex"),
            ("@org/tool@1.2", "@org/tool"),
            ("firebase-tools@13", "firebase"),
            ("ruff==0.3", "ruff"),
            ("black[d]", "black"),
            ("tsc", "tsc"),
            ("@", "@"),
        ] {
            assert_eq!(program(package), name);
        }
    }

    #[test]
    fn a_short_name_stands_for_the_package_that_makes_a_project() {
        for (package, name) in [
            ("vite", "create-vite"),
            ("vite@5", "create-vite@5"),
            ("create-vite", "create-vite"),
            ("@org", "@org/create"),
            ("@org@1", "@org/create@1"),
            ("@org/app@1", "@org/create-app@1"),
            ("user/repo", "user/repo"),
            ("@", "@/create"),
        ] {
            assert_eq!(creator(package), name);
        }
    }

    #[test]
    fn an_agent_is_known_by_the_file_of_its_script() {
        assert_eq!(agent("/a/node_modules/.bin/gemini"), Some("gemini"));
        assert_eq!(agent("/a/@openai/codex/bin/run.js"), Some("codex"));
        assert_eq!(agent("npm:@google/gemini-cli@1"), Some("gemini"));
        assert_eq!(agent("gemini"), None);
        assert_eq!(agent("src/codex.js"), None);
    }
}
