//! [`Exit`]: exit codes. Those from 64 are from `sysexits.h`.

/// The exit code of a command. `hook` uses its harness's codes instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success. For `check`: the call may run.
    Success,
    /// `check`: a person must confirm the call.
    Ask,
    /// A negative result. `test`: a case failed. `conformance`: a check failed. `self version`: a digest differs.
    /// `audit ship`: lines were lost. `audit verify`: a line is wrong.
    Failures,
    /// `confirm`: there is no such pending call.
    NoQuestion,
    /// `check`: the call must not run.
    Deny,
    /// `install`: no harness was named, and there is no terminal for a prompt.
    Choice,
    /// The command line is wrong.
    Usage,
    /// The input is malformed.
    Data,
    /// An input file is missing.
    NoInput,
    /// Something that is needed isn't available.
    Unavailable,
    /// An error of this program or the machine.
    Software,
    /// Only a person at a terminal may do it.
    NoPermission,
    /// The configuration is broken.
    Config,
}

impl Exit {
    /// Returns the exit code's number.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Ask => 1,
            Exit::Failures => 1,
            Exit::NoQuestion => 1,
            Exit::Deny => 2,
            Exit::Choice => 2,
            Exit::Usage => 64,
            Exit::Data => 65,
            Exit::NoInput => 66,
            Exit::Unavailable => 69,
            Exit::Software => 70,
            Exit::NoPermission => 77,
            Exit::Config => 78,
        }
    }
}
