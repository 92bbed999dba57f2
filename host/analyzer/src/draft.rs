//! [`Draft`]: an effect while it is put together.

use guard_sdk::syntax::Severity;

/// An effect without the command that does it.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) kind: &'static str,
    pub(crate) operation: &'static str,
    pub(crate) severity: Severity,
    pub(crate) target: String,
    pub(crate) raw: String,
    pub(crate) certain: bool,
    pub(crate) tags: Vec<(String, String)>,
}

impl Draft {
    /// An effect of a kind that loses nothing.
    pub(crate) fn routine(kind: &'static str, operation: &'static str) -> Draft {
        Draft::new(kind, operation, Severity::Routine)
    }

    /// An effect that somebody may want to know of.
    pub(crate) fn notable(kind: &'static str, operation: &'static str) -> Draft {
        Draft::new(kind, operation, Severity::Notable)
    }

    /// An effect that loses work or data.
    pub(crate) fn destructive(kind: &'static str, operation: &'static str) -> Draft {
        Draft::new(kind, operation, Severity::Destructive)
    }

    /// All but the last of several files moved to one name are lost.
    pub(crate) fn many_to_one() -> Draft {
        let keep = "give each a name of its own, or end the name of a folder with `/`";
        let draft = Draft::destructive("delete", "files.many-to-one");
        draft.tag("loses", "all but the last of the files").tag("instead", keep)
    }

    /// An effect that loses a disk, a home, a database.
    pub(crate) fn catastrophic(kind: &'static str, operation: &'static str) -> Draft {
        Draft::new(kind, operation, Severity::Catastrophic)
    }

    fn new(kind: &'static str, operation: &'static str, severity: Severity) -> Draft {
        Draft { kind, operation, severity, target: String::new(), raw: String::new(), certain: true, tags: Vec::new() }
    }

    /// With another severity, if `condition` holds.
    pub(crate) fn severe(mut self, severity: Severity, condition: bool) -> Draft {
        if condition {
            self.severity = severity;
        }
        self
    }

    /// With a target.
    pub(crate) fn target(mut self, target: &str) -> Draft {
        target.clone_into(&mut self.target);
        self
    }

    /// With a tag that has a value.
    pub(crate) fn tag(mut self, name: &str, value: &str) -> Draft {
        self.tags.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a tag that is there only if it is true.
    pub(crate) fn flag(self, name: &str, is: bool) -> Draft {
        if is { self.tag(name, "yes") } else { self }
    }

    /// Certain only if `is` holds, too.
    pub(crate) fn certain(mut self, is: bool) -> Draft {
        self.certain &= is;
        self
    }
}
