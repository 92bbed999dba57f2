//! [`Draft`]: an effect under construction.

use guard_sdk::syntax::Severity;

/// An effect without its command.
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
    /// Creates an effect that loses nothing.
    pub(crate) fn routine(kind: &'static str, operation: &'static str) -> Draft {
        Draft::new(kind, operation, Severity::Routine)
    }

    /// Creates an effect that may be of interest.
    pub(crate) fn notable(kind: &'static str, operation: &'static str) -> Draft {
        Draft::new(kind, operation, Severity::Notable)
    }

    /// Creates an effect that loses work or data.
    pub(crate) fn destructive(kind: &'static str, operation: &'static str) -> Draft {
        Draft::new(kind, operation, Severity::Destructive)
    }

    /// Creates the loss of all but the last of several files that are moved to one name.
    pub(crate) fn many_to_one() -> Draft {
        let keep = "give each a name of its own, or end the name of a folder with `/`";
        let draft = Draft::destructive("delete", "files.many-to-one");
        draft.tag("loses", "all but the last of the files").tag("instead", keep)
    }

    /// Creates an effect that loses a disk, a home or a database.
    pub(crate) fn catastrophic(kind: &'static str, operation: &'static str) -> Draft {
        Draft::new(kind, operation, Severity::Catastrophic)
    }

    fn new(kind: &'static str, operation: &'static str, severity: Severity) -> Draft {
        Draft { kind, operation, severity, target: String::new(), raw: String::new(), certain: true, tags: Vec::new() }
    }

    /// Sets another severity if `condition` is true.
    pub(crate) fn severe(mut self, severity: Severity, condition: bool) -> Draft {
        if condition {
            self.severity = severity;
        }
        self
    }

    /// Sets the target.
    pub(crate) fn target(mut self, target: &str) -> Draft {
        target.clone_into(&mut self.target);
        self
    }

    /// Adds a tag with a value.
    pub(crate) fn tag(mut self, name: &str, value: &str) -> Draft {
        self.tags.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a tag if `is` is true.
    pub(crate) fn flag(self, name: &str, is: bool) -> Draft {
        if is { self.tag(name, "yes") } else { self }
    }

    /// Makes the effect uncertain if `is` is false.
    pub(crate) fn certain(mut self, is: bool) -> Draft {
        self.certain &= is;
        self
    }
}
