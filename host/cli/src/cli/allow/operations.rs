//! [`lowered`]: the operations whose asks can become warnings, for calls that only a catch-all rule asks about.

use std::collections::BTreeSet;

use super::choices::Setting;
use crate::cli::past_questions::{is_answered_by, is_catch_all};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::syntax::Severity;
use guard_hook::chain::Trace;
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// The maximum number of operations that are tried. Each requires an evaluation.
const TRIED: usize = 4;

/// Returns the operations that avoid the ask if the policy lowers them: a single one, or all of the call's.
pub(super) fn lowered(
    trace: &Trace,
    placed: (&ToolCall, &CallContext),
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<Vec<Setting>> {
    let policies: BTreeSet<&str> = trace.verdict.asks().map(|asked| asked.policy.as_str()).collect();
    let is_by_catch_all = trace.verdict.asks().all(|asked| is_catch_all(&asked.finding.rule));
    let (Some(policy), 1, true) = (policies.first(), policies.len(), is_by_catch_all) else { return Ok(Vec::new()) };
    let effects = trace.analysis.iter().flat_map(|analysis| &analysis.effects);
    let effects = effects.filter(|effect| effect.severity != Severity::Routine);
    let operations: BTreeSet<&str> = effects.map(|effect| effect.operation.as_str()).collect();
    let names: Vec<String> = operations.into_iter().take(TRIED).map(|name| format!("{policy}:{name}")).collect();
    let each = names.iter().map(std::slice::from_ref);
    for some in each.chain((names.len() > 1).then_some(names.as_slice())) {
        if is_answered_by(some, &[placed], dirs, environment)? {
            let setting = |name: &String| {
                let (policy, item) = name.split_once(':')?;
                Some(Setting { policy: policy.to_owned(), key: "lower", item: item.to_owned() })
            };
            return Ok(some.iter().filter_map(setting).collect());
        }
    }
    Ok(Vec::new())
}
