//! [`Program`]: an installed guard-host, which analyzes the calls of a [`Suite`] for native tests.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};

use serde_json::{Value, json};

use super::cases::{PastEvent, Suite, WorldFacts};
use crate::syntax::{
    Analysis, Assignment, Command, Coverage, Effect, Part, Position, Redirection, Script, Severity, Span, Via, Word,
};
use crate::{Policy, Presence, ResolvedPath};

/// The variable with the program's path.
const VARIABLE: &str = "GUARD_HOST";

/// The program's name, for a search on the `PATH`.
const NAME: &str = "guard-host";

/// An installed guard-host.
#[derive(Debug, Clone)]
pub struct Program(PathBuf);

impl Program {
    /// Returns the program that the variable `GUARD_HOST` names, or else `guard-host` on the `PATH`.
    #[must_use]
    pub fn installed() -> Self {
        let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
        Program(path.map_or_else(|| NAME.into(), PathBuf::from))
    }

    /// Returns the program with this path.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Program(path.into())
    }

    /// Analyzes the call of each case in its world. `None` for a case without a call.
    fn analyze(&self, suite: &Suite) -> Result<Vec<Option<Analysis>>, String> {
        let shown = self.0.display();
        let hint =
            format!("  hint: install guard-host {} or later, or set {VARIABLE} to its path", env!("CARGO_PKG_VERSION"));
        let cannot = |error| format!("can't run `{shown}`: {error}\n{hint}");
        let mut process = Process::new(&self.0);
        process.arg("analyze").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = process.spawn().map_err(cannot)?;
        // A program that doesn't know the command exits without reading.
        let written = process.stdin.take().map(|mut input| input.write_all(request(suite).to_string().as_bytes()));
        let ended = process.wait_with_output().map_err(cannot)?;
        if !ended.status.success() {
            let error = String::from_utf8_lossy(&ended.stderr);
            return Err(format!("`{shown} analyze` failed: {}\n{hint}", error.trim()));
        }
        let analyses = serde_json::from_slice::<Vec<Value>>(&ended.stdout).ok();
        let analyses = analyses.filter(|found| found.len() == suite.cases.len() && matches!(written, Some(Ok(()))));
        let read = |value: &Value| if value.is_null() { Some(None) } else { analysis(value).map(Some) };
        let analyses = analyses.and_then(|found| found.iter().map(read).collect());
        analyses.ok_or_else(|| format!("can't read the analyses of `{shown}`\n{hint}"))
    }
}

impl Suite {
    /// Runs every case like [`Suite::failures`], with the real analysis: an installed guard-host turns each call into
    /// commands and effects, as `guard-host test` does. If it can't, returns the error.
    ///
    /// ```no_run
    /// # use guard_sdk::{Call, Decision, Error, Manifest, NoSettings, Policy, serde_json};
    /// # struct Mine;
    /// # impl Policy for Mine {
    /// #     type Settings = NoSettings;
    /// #     const MANIFEST: Manifest = Manifest::EMPTY;
    /// #     fn configure(_: NoSettings) -> Result<Self, Error> { Ok(Mine) }
    /// #     fn decide(&self, _: &Call<'_>) -> Result<Decision, Error> { Ok(Decision::abstain()) }
    /// # }
    /// use guard_sdk::testing::{Program, Suite};
    ///
    /// let suite: Suite = serde_json::from_str(
    ///     r#"{ "cases": [{ "input": "sudo git push -f origin main", "expect": "ask" }] }"#,
    /// )
    /// .unwrap();
    /// assert_eq!(suite.failures_with_program::<Mine>(&Program::installed()), [""; 0]);
    /// ```
    pub fn failures_with_program<P: Policy>(&self, program: &Program) -> Vec<String> {
        let analyses = match program.analyze(self) {
            Ok(analyses) => analyses,
            Err(error) => return vec![error],
        };
        let native = self.cases.iter().zip(analyses).filter(|(case, _)| !case.needs_harness());
        let failure = |(case, analysis)| self.failure::<P>(case, &self.world_with(case, |_| analysis));
        native.filter_map(failure).collect()
    }
}

/// Returns the suite for the program: each case with its tool, input and world.
fn request(suite: &Suite) -> Value {
    let cases = suite.cases.iter().map(|case| match &case.payload {
        Some(payload) => json!({ "payload": payload }),
        None => json!({ "tool": case.tool, "input": case.input, "facts": facts(&suite.facts.with(&case.facts)) }),
    });
    json!({ "cases": cases.collect::<Vec<_>>() })
}

fn facts(facts: &WorldFacts) -> Value {
    let git = facts.git.as_ref().map(
        |git| json!({ "branch": git.branch, "tracked": git.tracked, "staged": git.staged, "ignored": git.ignored }),
    );
    let event = |PastEvent { kind, target, tool, time, certain, tags }: &PastEvent| json!({ "kind": kind, "target": target, "tool": tool, "time": time, "certain": certain, "tags": tags });
    json!({
        "harness": facts.harness,
        "session": facts.session,
        "permission-mode": facts.permission_mode,
        "cwd": facts.cwd,
        "project-root": facts.project_root,
        "home": facts.home,
        "env": facts.env,
        "files": facts.files,
        "dirs": facts.dirs,
        "links": facts.links,
        "program": facts.program,
        "git": git,
        "history": facts.history.iter().map(event).collect::<Vec<_>>(),
        "history-is-damaged": facts.history_is_damaged,
    })
}

fn text(of: &Value, key: &str) -> Option<String> {
    of.get(key)?.as_str().map(str::to_owned)
}

fn flag(of: &Value, key: &str) -> Option<bool> {
    of.get(key)?.as_bool()
}

fn number<T: TryFrom<i64>>(of: &Value, key: &str) -> Option<T> {
    T::try_from(of.get(key)?.as_i64()?).ok()
}

fn list<T>(of: &Value, key: &str, one: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    of.get(key)?.as_array()?.iter().map(one).collect()
}

fn texts(of: &Value, key: &str) -> Option<Vec<String>> {
    list(of, key, |text| text.as_str().map(str::to_owned))
}

fn analysis(of: &Value) -> Option<Analysis> {
    let coverage = match of.get("coverage")?.as_str()? {
        "Complete" => Coverage::Complete,
        "Partial" => Coverage::Partial,
        _ => Coverage::Unparsed,
    };
    let script = |of: &Value| {
        let (language, text, command_id) = (text(of, "language")?, text(of, "text")?, number(of, "command_id")?);
        Some(Script { language, text, command_id, certain: flag(of, "certain")? })
    };
    Some(Analysis {
        coverage,
        reasons: texts(of, "reasons")?,
        commands: list(of, "commands", command)?,
        effects: list(of, "effects", effect)?,
        scripts: list(of, "scripts", script)?,
    })
}

fn command(of: &Value) -> Option<Command> {
    let (at, span) = (of.get("position")?, of.get("span")?);
    let assignment = |of: &Value| Some(Assignment { name: text(of, "name")?, value: word(of.get("value")?)? });
    let redirection = |of: &Value| {
        Some(Redirection {
            fd: number(of, "fd")?,
            operator: text(of, "operator")?,
            target: word(of.get("target")?)?,
            body: text(of, "body")?,
            body_quoted: flag(of, "body_quoted")?,
        })
    };
    Some(Command {
        id: number(of, "id")?,
        parent: number(of, "parent")?,
        argv: list(of, "argv", word)?,
        assignments: list(of, "assignments", assignment)?,
        redirections: list(of, "redirections", redirection)?,
        position: Position {
            pipeline: number(at, "pipeline")?,
            index: number(at, "index")?,
            length: number(at, "length")?,
            operator: text(at, "operator")?,
            background: flag(at, "background")?,
            within: texts(at, "within")?,
        },
        via: list(of, "via", |of| Some(Via { kind: text(of, "kind")?, detail: text(of, "detail")? }))?,
        span: Span { start: number(span, "start")?, end: number(span, "end")? },
        cwd: text(of, "cwd")?,
        certain: flag(of, "certain")?,
    })
}

fn word(of: &Value) -> Option<Word> {
    let part =
        |of: &Value| Some(Part { kind: text(of, "kind")?, text: text(of, "text")?, quoted: flag(of, "quoted")? });
    Some(Word {
        text: text(of, "text")?,
        dynamic: flag(of, "dynamic")?,
        quoted: flag(of, "quoted")?,
        glob: flag(of, "glob")?,
        parts: list(of, "parts", part)?,
    })
}

fn effect(of: &Value) -> Option<Effect> {
    let path = of.get("path")?;
    let severity = match of.get("severity")?.as_str()? {
        "Routine" => Severity::Routine,
        "Notable" => Severity::Notable,
        "Destructive" => Severity::Destructive,
        _ => Severity::Catastrophic,
    };
    let exists = match path.get("exists")?.as_str()? {
        "Yes" => Presence::Yes,
        "No" => Presence::No,
        _ => Presence::Unknown,
    };
    let tag = |of: &Value| Some((of.get(0)?.as_str()?.to_owned(), of.get(1)?.as_str()?.to_owned()));
    Some(Effect {
        kind: text(of, "kind")?,
        operation: text(of, "operation")?,
        severity,
        target: text(of, "target")?,
        path: ResolvedPath {
            raw: text(path, "raw")?,
            lexical: text(path, "lexical")?,
            canonical: text(path, "canonical")?,
            project_relative: text(path, "project_relative")?,
            git_root: text(path, "git_root")?,
            exists,
            kind: text(path, "kind")?,
        },
        command_id: number(of, "command_id")?,
        certain: flag(of, "certain")?,
        tags: list(of, "tags", tag)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::suite::tests::Silent;

    #[test]
    fn a_missing_program_fails_the_suite_with_its_name_and_the_fix() {
        let suite: Suite = serde_json::from_str(r#"{ "cases": [{ "input": "ls", "expect": "abstain" }] }"#).unwrap();
        let failures = suite.failures_with_program::<Silent>(&Program::at("/nowhere/guard-host"));
        let [failure] = failures.as_slice() else { panic!("{failures:?}") };
        assert!(failure.starts_with("can't run `/nowhere/guard-host`: "), "{failure}");
        assert!(failure.contains("set GUARD_HOST to its path"), "{failure}");
    }
}
