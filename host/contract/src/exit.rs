//! [`Exit`]: how a command ends. The numbers from 64 on are those of `sysexits.h`.

/// How a command ends. `hook` has the codes of its harness instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done; of `check`: the call may run.
    Success,
    /// `check`: a person must confirm the call.
    Ask,
    /// `test`: a case fails; `conformance`: something does not hold; `self version`: a digest is another one;
    /// `audit ship`: lines were lost; `audit verify`: a line is wrong.
    Failures,
    /// `confirm`: there is no such question.
    NoQuestion,
    /// `check`: the call must not run.
    Deny,
    /// `install`: which harness was not said, and nobody could be asked.
    Choice,
    /// The command line makes no sense.
    Usage,
    /// The input makes no sense.
    Data,
    /// An input file is missing.
    NoInput,
    /// Something that was to be ready is not.
    Unavailable,
    /// A failure of this program or the machine.
    Software,
    /// Only a person at a terminal may do it.
    NoPermission,
    /// The configuration is broken.
    Config,
}

impl Exit {
    /// The number.
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
